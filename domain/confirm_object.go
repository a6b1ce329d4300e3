package domain

import (
	"bytes"
	"context"

	"countersign/domain/evidence"
	"countersign/domain/mplp"
)

// left stands in a stored object in place of arguments that the content beside
// it has: they are the bulk of both. No JSON text has the byte.
const left = "\x00"

// withoutArgs takes the arguments of the actions out of the object that they
// came in, where they stand in the order of the actions.
func withoutArgs(object []byte, actions []evidence.Action) []byte {
	var stored []byte
	rest := object
	for _, a := range actions {
		before, after, ok := bytes.Cut(rest, a.Args)
		if !ok || len(a.Args) == 0 {
			return object
		}
		stored = append(append(stored, before...), left...)
		rest = after
	}
	return append(stored, rest...)
}

// object is the object as the client sent it, and as the server completed it.
func (c *ConfirmContent) object() ([]byte, error) {
	if !bytes.Contains(c.Native, []byte(left)) {
		return c.Native, nil
	}
	content, err := evidence.ParseContent(c.Content)
	if err != nil {
		return nil, err
	}
	return c.objectOf(content), nil
}

// objectOf is object for those who have parsed the content.
func (c *ConfirmContent) objectOf(content *evidence.Content) []byte {
	if !bytes.Contains(c.Native, []byte(left)) {
		return c.Native
	}
	object := make([]byte, 0, len(c.Native)+len(c.Content)) // where the arguments are
	rest := c.Native
	for _, a := range content.Actions {
		before, after, _ := bytes.Cut(rest, []byte(left))
		object = append(append(object, before...), a.Args...)
		rest = after
	}
	return append(object, rest...)
}

// ConfirmObject is a confirm as the JSON interface gives it, without what only a
// page shows.
type ConfirmObject struct {
	Confirm   *Confirm
	Decisions []*Decision
	Native    []byte
}

// ConfirmObject finds a confirm as the JSON interface gives it. An expiry is
// settled before it answers.
func (s *Service) ConfirmObject(ctx context.Context, ref Ref, id string) (o *ConfirmObject, err error) {
	err = s.settled(ctx, ref, byID(id), func(r Reader, _ *Principal, c *Confirm) error {
		o, err = confirmObject(r, c)
		return found(err, "confirm content: it has been forgotten")
	})
	return o, err
}

// ConfirmObjects is Confirms with each as the JSON interface gives it. One
// whose content has been forgotten is left out.
func (s *Service) ConfirmObjects(ctx context.Context, ref Ref, f ConfirmFilter, page Page) (list [][]byte, next string, err error) {
	f.Bare = true
	err = s.readSettled(ctx, ref, func(r Reader, p *Principal) error {
		rows, after, err := s.confirms(r, p, f, page)
		if err == nil {
			err = allProven(rows)
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
			_, next, err := s.confirms(r, p, f, Page{Limit: rows, Cursor: page.Cursor})
			return next, err
		})
		return err
	})
	return list, next, err
}

func confirmObject(r Reader, c *Confirm) (*ConfirmObject, error) {
	stored, err := contentOf(r, c)
	if err != nil {
		return nil, err
	}
	object, err := stored.object()
	if err != nil {
		return nil, err
	}
	o := &ConfirmObject{Confirm: c}
	if c.Imported || !c.Final() {
		o.Native = mplp.RenderConfirm(object, string(c.Status), nil, nil)
		return o, nil
	}
	if o.Decisions, err = decisionsOn(r, c); err != nil {
		return nil, err
	}
	entries, err := r.Entries(EntryFilter{ConfirmID: c.ID, Types: confirmEntries, Limit: MaxPage})
	o.Native = mplp.RenderConfirm(object, string(c.Status), records(o.Decisions), objectEvents(entries))
	return o, err
}

// DecideObject is Decide, and gives the confirm as it is then.
func (s *Service) DecideObject(ctx context.Context, ref Ref, id string, in DecisionInput) (*ConfirmObject, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	made, err := s.decide(ctx, ref, byID(id), in)
	if err != nil {
		return nil, err
	}
	o := &ConfirmObject{Confirm: made.Confirm, Decisions: []*Decision{made.Decision}}
	o.Native = mplp.RenderConfirm(made.stored.objectOf(made.content), string(made.Confirm.Status), records(o.Decisions),
		objectEvents([]*evidence.Entry{made.entry}))
	return o, nil
}
