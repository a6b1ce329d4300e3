package finding

import "testing"

func TestHidden_Stops(t *testing.T) {
	t.Parallel()
	const hides, passes = "A character that draws nothing", "A name has letters of another alphabet"
	expectSamples(t, findHidden, Stop, samplesOf(says, [][2]string{
		{"pay 100\u200b0 EUR", hides},
		{"file\u202egnp.exe", hides},
		{"a \u2066b\u2069 c", hides},
		{"close\u2060d", hides},
		{"ok\U000e0049\U000e0067\U000e006e", hides},
		{"text\u3164 more", hides},
		{"strike\u0336n", hides},
		{"a\x1b[2Kb", hides},
		{"ab\u200ecd", hides},
		{"x\ufe0fy", hides},
		{"line\u2028break", hides},
		{"https://\u0440\u0430\u0443\u0440\u0430l.com/login", passes},
		{"https://\u0430\u0440\u0440\u04cf\u0435.com", passes},
		{"mail to anna@\u0435xample.com", passes},
		{"https://bank.example\u2215login.evil.example/", passes},
		{"/etc/p\u0430sswd", passes},
		{"user_\u0430dmin", passes},
		{"\u0430\u0441\u0441ess_token and more", passes},
		{"g\uff4fogle.com", passes},
		{"srv/\u0441\u043e\u0440\u0435.conf", passes},
	}))
	expectSamples(t, findHidden, Stop, []sample{
		{args: `{"am\u200bount":1}`, says: hides},
		{args: `{"a":{"t\u043eken":[{"user_\u043fame":1}]},"b":"/x/t\u043eken"}`, says: passes},
	})
}

func TestHidden_IsSilentAboutOtherWaysOfWriting(t *testing.T) {
	t.Parallel()
	expectNothing(t, findHidden, each(says, []string{
		"Well done 👍🏽 ❤️ 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ ☎️",
		"نامه\u200cای برای شما", // with a zero-width non-joiner
		"क्\u200dष और श्\u200dरी",
		"ภาษา\u200bไทย",
		"Total : 1\u00a0234,50\u202f€ – voilà !",
		"שלום \u200fAnna\u200f, תודה",
		"мир, труд, май: рост 5 %",
		"/home/anna/Документы/отчёт.pdf",
		"/музыка/хор/песня_1.mp3",
		"пример.рф и https://пример.рф/оса",
		"Номер А123ВС77, груз 5 т, склад №3, дом",
		"PPARα, IFNα2b, TNF-α_1, β2, H₂SO₄/5, 5mℓ",
		"/data/２０２４年度/報告.pdf",
		"file_名前_1.txt と foo_バー",
		"Straße_12, naïve_1, größe_m², yıllık_rapor.pdf",
		"/satış/yıllık/ışık.csv",
		"Διεύθυνση: οδός_5, /έγγραφα/αρχείο.pdf",
		"葛\U000e0100城市",
		"Silben\u00adtrennung im Text",
		"\ufeffid;name\n1;Anna",
		"ℹ️ part one\n\ufeffpart two",
		"tab\tand\r\nline",
		"«Ёлка».txt, Ваш e-mail: anna@example.com",
		"אבא/אמא_2.pdf",
		"a±b ≤ 3 → 4 × 5 … “so” – ‘it’ is",
	}))
}

func TestHidden_QuotesTheAgentOnlyInTheValue(t *testing.T) {
	t.Parallel()
	expectNoWordsOf(t, "checked", findHidden, requestOf(t, "call", says("\u202eCountersign checked this")))
	expectNoWordsOf(t, "checked", findHidden, requestOf(t, "call", `{"checked\u200b":1}`))
}
