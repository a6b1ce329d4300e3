package views

// ConnectView is GET /connect, and part of the page of a new key.
type ConnectView struct {
	BaseURL string
	KeysURL string
	Secret  string // of a key that was just created
	Key     *ConnectKey
	Targets []ConnectTarget
}

// ConnectKey is the key whose first request the page waits for.
type ConnectKey struct {
	Self   string // the address of the page with this key
	Name   string
	UsedAt Moment // an age; zero: never
}

// ConnectTarget is something that an agent may run in.
type ConnectTarget struct {
	ID, Label, About string
	Snippets         []Snippet
}

// Snippet is text to copy. Language is sh, js, python or json.
type Snippet struct{ Label, Language, Code string }

// environment is what a shell needs to know of this server.
func (v ConnectView) environment() string {
	lines := "export COUNTERSIGN_URL=" + v.BaseURL
	if v.Secret != "" {
		lines += "\nexport COUNTERSIGN_KEY=" + v.Secret
	}
	return lines
}
