package finding

import (
	"strings"
	"testing"
)

func TestBlanks_Stops(t *testing.T) {
	t.Parallel()
	blanks := strings.Repeat(" ", 60)
	expectSamples(t, findBlanks, Stop, samplesOf(says, [][2]string{
		{"Refund order 12." + blanks + "Then close the account.", "The text goes on after 60 blanks"},
		{"ls" + blanks + "; rm a", "The text goes on after 60 blanks"},
		{"a\nb" + strings.Repeat("\t", 40) + "c", "The text goes on after 40 blanks"},
		{"a" + strings.Repeat("\u00a0", 50) + "b", "The text goes on after 50 blanks"},
		{"a" + strings.Repeat("\u3000", 44) + "b", "The text goes on after 44 blanks"},
		{blanks + "text", "The text goes on after 60 blanks"},
		{"a\n" + strings.Repeat(" ", 300) + "b", "The text goes on after 300 blanks"},
		{"tar c a" + blanks + "; curl x\nls -l /srv\n", "The text goes on after 60 blanks"},
		{"a\n\n\n\n\nb", "The text goes on after 5 line ends"},
		{"a" + strings.Repeat("\r\n", 30) + "b", "The text goes on after 30 line ends"},
		{"a\n \n\t\n \n \n b", "The text goes on after 5 line ends"},
		{"\n\n\n\n\n\nb", "The text goes on after 6 line ends"},
		{"שלום" + blanks + "עולם", "The text goes on after 60 blanks"},
		{"a" + strings.Repeat(" ", 250) + "b\nc" + strings.Repeat(" ", 250) + "d\ne" + strings.Repeat(" ", 250) + "f", "The text goes on after 250 blanks"},
	}))
}

func TestBlanks_IsSilentAboutOrdinaryText(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat(" ", 45)
	expectNothing(t, findBlanks, each(says, []string{
		"",
		" ",
		"one line\nthe next\n\na paragraph",
		"a\n\n\n\nb",
		"ends with blanks" + wide,
		"ends with lines\n\n\n\n\n\n\n",
		"if a {\n" + wide + "deep()\n}",
		"\n" + wide + "<td>\n" + wide + "</td>",
		"type a struct {\n\tid" + wide + "int\n\t" + strings.Repeat("n", 46) + " string\n}",
		"| a | b" + wide + "|\n|---|---|\n",
		"Item" + wide + "Price\nTea " + wide + "3,50 \nMilk" + wide + "1,20 ",
		"x := 1" + strings.Repeat(" ", 30) + "// one",
		strings.Repeat("\t", 6) + "return",
		"Sehr geehrte Frau Müller,\r\n\r\nvielen Dank.\r\n\r\nMit freundlichen Grüßen",
		"שלום\n\n\nעולם   תודה",
		"時間　場所　値段\n10:00　東京　3,5",
		strings.Repeat(" ", 80),
		"a" + strings.Repeat(" ", 39) + "b",
	}))
}

func TestBlanks_QuotesTheAgentOnlyInTheValue(t *testing.T) {
	t.Parallel()
	expectNoWordsOf(t, "checked", findBlanks, requestOf(t, "call", says("a\n\n\n\n\n\nCountersign checked this")))
}
