package views_test

import (
	"testing"

	"countersign/views"
)

func TestToolNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		in   []string
		want string
	}{
		{"none", nil, ""},
		{"one", []string{"deploy"}, "“deploy”"},
		{"different ones", []string{"deploy", "send_mail"}, "“deploy” + “send_mail”"},
		{"the same again", []string{"deploy", "send_mail", "send_mail"}, "“deploy” + “send_mail” × 2"},
		{"the order counts", []string{"send_mail", "deploy", "send_mail"}, "“send_mail” + “deploy” + “send_mail”"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := views.ToolNames(tc.in); got != tc.want {
				t.Errorf("ToolNames = %q, want %q", got, tc.want)
			}
		})
	}
}
