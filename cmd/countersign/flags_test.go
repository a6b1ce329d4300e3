package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                       string
		args, wantFlags, wantWords []string
		wantRest                   []string
	}{
		{"flags behind names", []string{"user", "add", "kim", "--role", "tester"}, []string{"--role", "tester"}, []string{"user", "add", "kim"}, nil},
		{"flags before the command", []string{"--db", "x.db", "user", "list"}, []string{"--db", "x.db"}, []string{"user", "list"}, nil},
		{"flags between words", []string{"user", "--role=a", "add", "--role", "b", "kim"}, []string{"--role=a", "--role", "b"}, []string{"user", "add", "kim"}, nil},
		{"a switch takes no value", []string{"key", "create", "--may-decide", "bot"}, []string{"--may-decide"}, []string{"key", "create", "bot"}, nil},
		{"one dash", []string{"-db", "x.db", "-demo", "serve"}, []string{"-db", "x.db", "-demo"}, []string{"serve"}, nil},
		{"a value like a flag", []string{"--owner", "-x", "key"}, []string{"--owner", "-x"}, []string{"key"}, nil},
		{"a value is missing", []string{"key", "--owner"}, []string{"--owner"}, []string{"key"}, nil},
		{"the rest after two dashes", []string{"user", "add", "--role", "a", "--", "-kim", "--x"}, []string{"--role", "a"}, []string{"user", "add"}, []string{"-kim", "--x"}},
		{"a dash alone is a word", []string{"backup", "-"}, nil, []string{"backup", "-"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			flags, words, rest := splitArgs(test.args)
			if diff := cmp.Diff(test.wantFlags, flags); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.wantWords, words); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.wantRest, rest); diff != "" {
				t.Errorf("rest (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	environment := map[string]string{
		"COUNTERSIGN_LISTEN": "127.0.0.1:1", "COUNTERSIGN_HOST": "a.example,b.example", "COUNTERSIGN_ALLOW_SELF_APPROVAL": "true",
		"COUNTERSIGN_TRUSTED_PROXY": "10.0.0.0/8,192.0.2.0/24", "COUNTERSIGN_LIMITS": "steps=7", "COUNTERSIGN_DEMO": "true",
	}
	for _, test := range []struct {
		name, listen, host string
		args               []string
	}{
		{"variables alone", "127.0.0.1:1", "a.example,b.example", nil},
		{"flags win", "127.0.0.1:2", "c.example", []string{"--listen", "127.0.0.1:2", "--host", "c.example"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f, _ := serveCommand.flagSet(new(string))
			if err := parseFlags(f, test.args, func(name string) string { return environment[name] }); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{
				"listen": test.listen, "host": test.host, "allow-self-approval": "true",
				"trusted-proxy": "10.0.0.0/8,192.0.2.0/24", "demo": "false", "db": "countersign.db",
			}
			got := map[string]string{}
			for name := range want {
				got[name] = f.Lookup(name).Value.String()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnvironmentNamesTheVariable(t *testing.T) {
	t.Parallel()
	f, _ := serveCommand.flagSet(new(string))
	err := parseFlags(f, nil, func(name string) string {
		if name == "COUNTERSIGN_BASE_URL" {
			return "ftp://x"
		}
		return ""
	})
	want := `invalid value "ftp://x" in $COUNTERSIGN_BASE_URL: write it like https://countersign.example.org, without a path`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The place of the signing key and the head file is the same for every command, so
// the overview names it once.
func TestHelp_SaysWhereTheKeyAndTheHeadLie(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"signing-key", "head"} {
		if help := overview(nil); strings.Count(help, "$"+variable(name)) != 1 {
			t.Errorf("the overview does not name $%s once:\n%s", variable(name), help)
		}
	}
}
