package audit

import (
	"context"

	"countersign/domain/evidence"
	"countersign/store/driver"
)

// checkSchema compares what the database is made of with what this program makes with
// so many migrations. A trigger that somebody added could change rows unseen.
func checkSchema(ctx context.Context, s *driver.Session, applied int, p *evidence.Part) error {
	want, err := s.Driver.FreshSchema(ctx, applied)
	if err != nil {
		return err
	}
	got, err := s.Driver.Schema(s.Conn, want)
	if err != nil {
		return err
	}
	for name, text := range got {
		if made, known := want[name]; !known || made != text {
			p.AddFinding("%s: it is not this program's", name)
		}
	}
	for name := range want {
		if _, there := got[name]; !there {
			p.AddFinding("%s: it is missing", name)
		}
	}
	return nil
}
