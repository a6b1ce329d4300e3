package finding

import "testing"

func TestWildcard_Looks(t *testing.T) {
	t.Parallel()
	const star = "A star stands for everything in “"
	expectSamples(t, findWildcard, Look, []sample{
		{args: `{"Statement":[{"Effect":"Allow","Action":"*","Resource":"arn:aws:s3:::b/*"}]}`, says: star + "Action”"},
		{args: `{"Statement":{"Effect":"Allow","Action":["s3:GetObject","s3:*"],"Resource":"arn:aws:s3:::b/*"}}`, says: star + "Action”"},
		{args: `{"Statement":{"Effect":"Allow","Action":"s3:PutObject","Resource":"*"}}`, says: star + "Resource”"},
		{args: `{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/a"}`, says: star + "Principal”"},
		{args: `{"Effect":"Allow","Principal":{"AWS":"*"},"Action":"sqs:SendMessage"}`, says: star + "AWS”"},
		{args: `{"rules":[{"apiGroups":["apps"],"resources":["pods"],"verbs":["get","*"]}]}`, says: star + "verbs”"},
		{args: `{"role":"*"}`, says: star + "role”"},
		{args: `{"recipients":["*@example.com"],"subject":"Hi"}`, says: star + "recipients”"},
		{args: `{"to":"*"}`, says: star + "to”"},
		{args: `{"policy":"{\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"iam:*\",\"Resource\":\"*\"}]}"}`, says: star},
		{args: `{"manifest":"rules:\n- apiGroups: [\"\"]\n  resources: [\"*\"]\n  verbs: [\"get\"]\n"}`, says: star + "resources”"},
		{args: `{"scopes":["read:user","admin:*"]}`, says: star + "scopes”"},
	})
}

func TestWildcard_IsSilentAboutOrdinaryStars(t *testing.T) {
	t.Parallel()
	expectNothing(t, findWildcard, []string{
		`{"Effect":"Allow","Action":"s3:GetObject","Resource":"arn:aws:s3:::reports/2026/*"}`,
		`{"Effect":"Allow","Action":["ec2:Describe*","s3:List*"],"Resource":"*"}`,
		`{"Effect":"Deny","Action":"*","Resource":"*","Principal":"*"}`,
		`{"paths":["src/**/*.go","*"]}`,
		`{"glob":"*","pattern":"*.pdf"}`,
		`{"cron":"*/5 * * * *","schedule":"* * * * *"}`,
		`{"allowed_origins":["*"],"accept":"*/*"}`,
		`{"rules":[{"apiGroups":[""],"resources":["*"],"verbs":["get","list","watch"]}]}`,
		`{"text":"* one\n* two\n"}`,
		`{"sql":"SELECT * FROM a"}`,
		`{"resource":"projects/*/topics/a"}`,
		`{"to":"anna@example.com","cc":"**"}`,
		`{"resources":["logs-*","pods/exec"]}`,
		`{"role":"reader","rating":"*****","הערה":"*"}`,
		`{"factor":"3,5 * 2","action":"2 * 3"}`,
		`{"body":"action: save * as draft\nto: all\n"}`,
	})
}

func TestWildcard_QuotesTheAgentOnlyInTheValue(t *testing.T) {
	t.Parallel()
	expectNoWordsOf(t, "checked", findWildcard, requestOf(t, "call", `{"to":"*@countersign-checked.example"}`))
}
