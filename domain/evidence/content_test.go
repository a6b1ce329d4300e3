package evidence

import "testing"

// storedContents are contents as they are stored, the second with every member.
var storedContents = []string{
	`{"v":1,"confirm_id":"c1","target_type":"other","target_id":"","requested_by_role":"","requested_by":"key:k1","received_at":"2026-01-02T03:04:05.678Z","requested_at":""}`,
	`{"v":1,"confirm_id":"c1","target_type":"other","target_id":"t1","target_hash":"sha256:aa","plan_id":"p1","step_id":"s1","required_role":"finance",` +
		`"requested_by_role":"executor","requested_by":"key:k1","received_at":"2026-01-02T03:04:05.678Z","requested_at":"2026-01-01T00:00:00.000Z",` +
		`"expires_at":"2026-01-02T03:05:05.678Z","on_reject":"recover","supersedes":"c0","reason":"a < b\n",` +
		`"actions":[{"name":"pay","args":{"n":9007199254740993,"x":"<\u003c>"},"tool_use_id":"tu","description":"d","review_config":{"timeout":5}},{"name":"","args":[]}],` +
		`"trace":{"trace_id":"t"},"session_id":"s","message_id":"m",` +
		`"requires":{"policies":[{"id":"p","version":1,"hash":"sha256:aa"}],"quorum":[{"role":"r","approvals":1}],"rejections":1}}`,
}

// Stored contents never change: what is read is written in the same bytes.
func TestContent_EveryMemberIsReadAndWritten(t *testing.T) {
	t.Parallel()
	for _, text := range storedContents {
		c, err := ParseContent([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if written := c.Marshal(); string(written) != text {
			t.Errorf("read and written again: %s", written)
		}
	}
}

func TestParseContent_Refuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":      ``,
		"an array":     `[]`,
		"another time": `{"v":1,"confirm_id":"c1","received_at":"yesterday"}`,
		"more behind":  storedContents[0] + `{}`,
	} {
		if c, err := ParseContent([]byte(text)); err == nil {
			t.Errorf("%s: read as %+v", name, c)
		}
	}
}
