package notify

import (
	"strings"

	"countersign/domain"
)

// slackBody is a message of a Slack incoming webhook. Slack shows the blocks; the text
// is for notifications, and for gateways that know no blocks.
type slackBody struct {
	Text        string       `json:"text"`
	Parse       string       `json:"parse"`  // "none": no names or links are looked for
	Markdown    bool         `json:"mrkdwn"` // false: no formatting
	UnfurlLinks bool         `json:"unfurl_links"`
	UnfurlMedia bool         `json:"unfurl_media"`
	Blocks      []slackBlock `json:"blocks"`
}

// slackBlock is a section, which has a text, or actions, which have elements.
type slackBlock struct {
	Type     string        `json:"type"`
	Text     *slackText    `json:"text,omitempty"`
	Elements []slackButton `json:"elements,omitempty"`
}

// slackText is a text without markup.
type slackText struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Emoji bool   `json:"emoji"` // false: :names: stay as they are
}

type slackButton struct {
	Type string    `json:"type"`
	Text slackText `json:"text"`
	URL  string    `json:"url"`
}

// slackEscaper writes what Slack reads as markup in a text.
var slackEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func renderSlack(m *domain.Message, link string) ([]byte, error) {
	sentence := sentenceOf(m)
	plain := func(text string) slackText { return slackText{Type: "plain_text", Text: text} }
	section := plain(sentence)
	return encode(slackBody{
		Text: slackEscaper.Replace(sentence), Parse: "none",
		Blocks: []slackBlock{
			{Type: "section", Text: &section},
			{Type: "actions", Elements: []slackButton{{Type: "button", Text: plain(linkLabel(m)), URL: link}}},
		},
	})
}
