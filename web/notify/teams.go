package notify

import "countersign/domain"

// teamsBody is a message of a Teams workflow, with one Adaptive Card.
type teamsBody struct {
	Type        string            `json:"type"`
	Attachments []teamsAttachment `json:"attachments"`
}

type teamsAttachment struct {
	ContentType string    `json:"contentType"`
	Content     teamsCard `json:"content"`
}

type teamsCard struct {
	Schema  string           `json:"$schema"`
	Type    string           `json:"type"`
	Version string           `json:"version"`
	Body    []teamsParagraph `json:"body"`
	Actions []teamsLink      `json:"actions"`
}

// teamsParagraph is a RichTextBlock. A TextBlock would read its text as Markdown.
type teamsParagraph struct {
	Type    string     `json:"type"`
	Inlines []teamsRun `json:"inlines"`
}

type teamsRun struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type teamsLink struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

func renderTeams(m *domain.Message, link string) ([]byte, error) {
	card := teamsCard{
		Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4",
		Body:    []teamsParagraph{{Type: "RichTextBlock", Inlines: []teamsRun{{Type: "TextRun", Text: sentenceOf(m)}}}},
		Actions: []teamsLink{{Type: "Action.OpenUrl", Title: linkLabel(m), URL: link}},
	}
	return encode(teamsBody{Type: "message", Attachments: []teamsAttachment{{ContentType: "application/vnd.microsoft.card.adaptive", Content: card}}})
}
