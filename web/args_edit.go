package web

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/views"
	"countersign/web/argsform"
)

// maxArgsFields limits the fields for arguments on a page. Of more, the first actions
// have them and the others JSON.
const maxArgsFields = 2 * argsform.MaxFields

func (p *confirmPage) editors() []*argsform.Form { return newEditors(p.actions()) }

// newEditors returns the forms that the agent's schemas draw, parallel to the actions:
// nil where there is only JSON. They are the same whenever the page is made.
func newEditors(actions []evidence.Action) []*argsform.Form {
	forms := make([]*argsform.Form, len(actions))
	room := maxForm - formRest - argsSize(actions)
	fields := maxArgsFields
	for i, action := range actions {
		form := argsform.New(action.ReviewConfig, action.Args)
		if form == nil || form.Fields() > fields {
			continue
		}
		size := viewSize(form.View(fieldNames(i), notSent, nil))
		if size > room {
			continue
		}
		forms[i], room, fields = form, room-size, fields-form.Fields()
	}
	return forms
}

// maxPathShown is how many characters of a path in the arguments are shown.
const maxPathShown = 100

// viewSize returns what fields add to a posted form, in bytes.
func viewSize(fields []views.ArgsField) (size int) {
	for _, field := range fields {
		size += len(field.Name) + 2 + len(url.QueryEscape(strings.ReplaceAll(field.Text, "\n", "\r\n"))) + viewSize(field.Members)
	}
	return size
}

func notSent(int) (string, bool) { return "", false }

// fieldNames names the fields of an action in the form.
func fieldNames(action int) func(number int) string {
	return func(number int) string { return fmt.Sprintf("field_%d_%d", action, number) }
}

// argsEdit is what was posted for the arguments of one action. Both the fields and the
// JSON are posted. The one that was changed counts.
type argsEdit struct {
	form   url.Values
	action evidence.Action
	editor *argsform.Form // nil if there is only JSON
	index  int
	wrong  views.Errors // what is wrong, by field

	misfits []string // rules of the schema that the edit breaks
}

// Names of the fields: the JSON, the fields together, and that the edit need not fit
// the schema.
func (e *argsEdit) json() string   { return "args_" + strconv.Itoa(e.index) }
func (e *argsEdit) fields() string { return "fields_" + strconv.Itoa(e.index) }
func (e *argsEdit) unfit() string  { return "unfit_" + strconv.Itoa(e.index) }

func (e *argsEdit) sent(number int) (string, bool) {
	sent, there := e.form[fieldNames(e.index)(number)]
	return strings.Join(sent, ""), there
}

func (e *argsEdit) changesJSON() bool {
	return e.form.Has(e.json()) && !sameArgs(e.form.Get(e.json()), e.action.Args)
}

func (e *argsEdit) changesFields() bool { return e.editor != nil && e.editor.IsChanged(e.sent) }

// changed names what was changed, or returns "".
func (e *argsEdit) changed() string {
	switch {
	case e.changesJSON():
		return e.json()
	case e.changesFields():
		return e.fields()
	}
	return ""
}

// view returns the fields with what was sent.
func (e *argsEdit) view(wrong views.Errors) []views.ArgsField {
	if e.editor == nil {
		return nil
	}
	return e.editor.View(fieldNames(e.index), e.sent, wrong)
}

// read returns the edited arguments, or says what is wrong with them.
func (e *argsEdit) read() []byte {
	byFields, byJSON := e.changesFields(), e.changesJSON()
	var args []byte
	switch {
	case byFields && byJSON:
		e.wrong[e.json()] = "You changed the fields and the JSON. Undo one of them, so that it is clear which counts."
		return nil
	case byFields:
		var wrong argsform.Problems
		args, wrong = e.editor.Read(e.sent)
		for number, why := range wrong {
			e.wrong[fieldNames(e.index)(number)] = why
		}
		if args != nil && sameJSON(args, e.action.Args) {
			e.wrong[e.fields()] = changesNothing
			return nil
		}
	case e.editor != nil && !byJSON:
		e.wrong[e.fields()] = changesNothing
		return nil
	default:
		var why string
		if args, why = editedArgs(e.form.Get(e.json()), e.action.Args); why != "" {
			e.wrong[e.json()] = why
		}
	}
	if args != nil && e.editor != nil {
		e.check(args, byFields)
	}
	return args
}

// check reports what of an edit does not fit the agent's schema. The reviewer may go on
// anyway, because only the tool knows what it accepts. The next page repeats the warning.
func (e *argsEdit) check(args []byte, byFields bool) {
	accepted := e.form.Get(e.unfit()) != ""
	var others []string
	for _, misfit := range e.editor.Misfits(args) {
		told := domain.NewExcerpt(misfit.Path, maxPathShown).String() + ": " + misfit.Rule
		e.misfits = append(e.misfits, told)
		if accepted {
			continue
		}
		e.wrong[e.unfit()] = "These arguments do not fit the agent's schema."
		if byFields && misfit.Number >= 0 {
			e.wrong[fieldNames(e.index)(misfit.Number)] = misfit.Rule
		} else {
			others = append(others, told)
		}
	}
	if len(others) > 0 {
		name := e.json()
		if byFields {
			name = e.fields()
		}
		e.wrong[name] = strings.Join(others, " ")
	}
}

const changesNothing = "This edit changes nothing. Change the arguments, or choose Approve."

// editedArgs compacts what the reviewer wrote, or says why it cannot run.
func editedArgs(text string, original []byte) (args []byte, why string) {
	args, err := mplp.Compact([]byte(text))
	var syntax *mplp.SyntaxError
	switch {
	case strings.TrimSpace(text) == "":
		return nil, "Enter the arguments that may run instead."
	case errors.As(err, &syntax):
		return nil, "This JSON is not accepted: " + syntax.Message
	case err != nil:
		return nil, "This JSON is not accepted."
	case args[0] != '{':
		return nil, "Arguments must be a JSON object: { … }."
	case sameJSON(args, original):
		return nil, changesNothing
	}
	return args, ""
}

// sameArgs reports whether only white space differs.
func sameArgs(text string, original []byte) bool {
	args, err := mplp.Compact([]byte(text))
	return err == nil && sameJSON(args, original)
}

// sameJSON reports whether arguments are the original ones, or those that the editor
// showed for them.
func sameJSON(args, original []byte) bool {
	return string(args) == string(original) || string(args) == views.Editable(string(original))
}
