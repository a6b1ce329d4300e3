package domain

import (
	"bytes"
	"context"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// argsPlaceholder stands in stored JSON for arguments that the content has too: they
// are the bulk of both. No JSON text contains this byte.
const argsPlaceholder = "\x00"

// stripArgs replaces the arguments of the actions in the JSON that they came in, where
// they stand in the order of the actions.
func stripArgs(object []byte, actions []evidence.Action) []byte {
	var stored []byte
	rest := object
	for _, a := range actions {
		before, after, ok := bytes.Cut(rest, a.Args)
		if !ok || len(a.Args) == 0 {
			return object
		}
		stored = append(append(stored, before...), argsPlaceholder...)
		rest = after
	}
	return append(stored, rest...)
}

// object returns the JSON that the client sent, as the server completed it.
func (c *ConfirmContent) object() ([]byte, error) {
	if !bytes.Contains(c.Native, []byte(argsPlaceholder)) {
		return c.Native, nil
	}
	content, err := evidence.ParseContent(c.Content)
	if err != nil {
		return nil, err
	}
	return c.objectOf(content), nil
}

// objectOf is object for callers that have parsed the content.
func (c *ConfirmContent) objectOf(content *evidence.Content) []byte {
	if !bytes.Contains(c.Native, []byte(argsPlaceholder)) {
		return c.Native
	}
	object := make([]byte, 0, len(c.Native)+len(c.Content)) // where the arguments are
	rest := c.Native
	for _, a := range content.Actions {
		before, after, _ := bytes.Cut(rest, []byte(argsPlaceholder))
		object = append(append(object, before...), a.Args...)
		rest = after
	}
	return append(object, rest...)
}

// ConfirmJSON is a confirm as the JSON interface returns it.
type ConfirmJSON struct {
	Confirm   *Confirm
	Decisions []*Decision
	Native    []byte
}

// ConfirmJSON returns a confirm for the JSON interface. It is expired first if it is
// due.
func (s *Service) ConfirmJSON(ctx context.Context, ref Ref, id string) (o *ConfirmJSON, err error) {
	err = s.readConfirm(ctx, ref, byID(id), func(r Reader, _ *Principal, c *Confirm) error {
		o, err = confirmObject(r, c)
		return notFoundOr(err, "content (it was deleted)")
	})
	return o, err
}

// ConfirmsJSON is Confirms for the JSON interface. Confirms whose content was pruned
// are left out.
func (s *Service) ConfirmsJSON(ctx context.Context, ref Ref, f ConfirmFilter, page Page) (list [][]byte, next string, err error) {
	f.OmitTexts = true
	err = s.readAfterExpiry(ctx, ref, func(r Reader, p *Principal) error {
		rows, after, err := s.listConfirms(r, p, f, page)
		if err == nil {
			err = checkAllProven(rows)
		}
		if err != nil {
			return err
		}
		list, next, err = fillPage(page, rows, after, func(row *ConfirmRow) ([]byte, error) {
			o, err := confirmObject(r, &row.Confirm)
			if err != nil {
				return nil, err
			}
			return o.Native, nil
		}, func(rows int) (string, error) {
			_, next, err := s.listConfirms(r, p, f, Page{Limit: rows, Cursor: page.Cursor})
			return next, err
		})
		return err
	})
	return list, next, err
}

func confirmObject(r Reader, c *Confirm) (*ConfirmJSON, error) {
	stored, err := loadContent(r, c)
	if err != nil {
		return nil, err
	}
	object, err := stored.object()
	if err != nil {
		return nil, err
	}
	o := &ConfirmJSON{Confirm: c}
	if c.Imported || !c.IsFinal() {
		o.Native = mplp.RenderConfirm(object, string(c.Status), nil, nil)
		return o, nil
	}
	if o.Decisions, err = loadDecisions(r, c); err != nil {
		return nil, err
	}
	if o.Decisions, err = countedDecisions(r, c, o.Decisions); err != nil {
		return nil, err
	}
	entries, err := r.Entries(EntryFilter{ConfirmID: c.ID, Types: confirmEntries, Limit: MaxPage})
	o.Native = mplp.RenderConfirm(object, string(c.Status), decisionRecords(o.Decisions), objectEvents(entries))
	return o, err
}

// DecideJSON is Decide, and returns the confirm for the JSON interface.
func (s *Service) DecideJSON(ctx context.Context, ref Ref, id string, in DecisionInput) (*ConfirmJSON, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	made, err := s.decide(ctx, ref, byID(id), in)
	if err != nil {
		return nil, err
	}
	if made.Confirm.Quorum > 0 {
		return s.ConfirmJSON(ctx, ref, id)
	}
	o := &ConfirmJSON{Confirm: made.Confirm, Decisions: []*Decision{made.Decision}}
	o.Native = mplp.RenderConfirm(made.stored.objectOf(made.content), string(made.Confirm.Status), decisionRecords(o.Decisions),
		objectEvents([]*evidence.Entry{made.entry}))
	return o, nil
}
