package finding

import "testing"

func TestUnguarded_LooksAtCommandsThatGiveUpACheck(t *testing.T) {
	t.Parallel()
	const says = "A command gives up a check: "
	expectSamples(t, findShell, Look, []sample{
		{args: `{"command":"curl -kfsSLO https://dl.example.org/a.tar.gz"}`, says: says + "certificates"},
		{args: `{"script":"#!/bin/sh\nset -e\ncurl --insecure https://a.example/x -o x\n"}`, says: says + "certificates"},
		{args: `{"command":"sudo wget --no-check-certificate https://a.example/x"}`, says: says + "certificates"},
		{args: `{"command":"git commit --no-verify -m x"}`, says: says + "hooks"},
		{args: `{"command":"git -c http.sslVerify=false pull"}`, says: says + "certificates"},
		{args: `{"command":"ssh -o StrictHostKeyChecking=no host uptime"}`, says: says + "host keys"},
		{args: `{"command":"scp -oStrictHostKeyChecking=no a b:"}`, says: says + "host keys"},
		{args: `{"command":"apt-get install -y --allow-unauthenticated x"}`, says: says + "signatures"},
		{args: `{"cmd":["docker","run","--privileged","x"]}`, says: says + "isolation"},
		{args: `{"command":"NODE_TLS_REJECT_UNAUTHORIZED=0 node app.js"}`, says: says + "certificates"},
		{args: `{"command":"chmod -R 777 /srv/www"}`, says: says + "permissions"},
		{args: `{"ci":"job:\n  script: true\n  run: curl -sk https://x.example\n"}`, says: says + "certificates"},
	})
	expectNothing(t, findShell, []string{
		`{"command":"curl -fsSLO https://dl.example.org/a.tar.gz"}`,
		`{"command":"curl --keepalive-time 2 https://k.example/-k"}`,
		`{"command":"git commit -m 'add --no-verify to the docs'"}`,
		`{"command":"ssh -o StrictHostKeyChecking=yes host uptime"}`,
		`{"command":"docker run --privileged=false x"}`,
		`{"command":"echo curl -k"}`, `{"command":"curl -okernel https://a.example/kernel"}`,
		`{"command":"tar -k -xf a.tar; sort -k 2 x"}`,
		`{"command":"chmod 0755 /srv"}`,
		`{"text":"Never use curl -k."}`,
		`{"command":"kubectl get pods -n curl"}`,
		`{"command":"npm ci --ignore-scripts"}`,
		`{"command":"# curl -k\ntrue"}`,
	})
}

func TestUnguarded_NotesWhatTheReasonSpeaksOf(t *testing.T) {
	t.Parallel()
	r := requestOf(t, "call", `{"command":"curl -k https://localhost:8443/healthz"}`)
	r.Reason = "The probe has to skip the certificate of the internal CA"
	if found := foundIn(t, findShell, r); len(found) != 1 || found[0].Level != Note {
		t.Errorf("found %+v, want a note", found)
	}
}
