package domain

import (
	"encoding/json"
	"slices"

	"countersign/domain/evidence"
)

// unused refuses a part of an approval of which the log says that it was used: the row
// that said so is gone.
func (c *Confirm) unused(r Reader, subject string) error {
	entries, err := r.Entries(EntryFilter{ConfirmID: c.ID, Type: "confirm.consumed", Limit: MaxPage})
	if err != nil {
		return err
	}
	isUsed := slices.ContainsFunc(entries, func(e *evidence.Entry) bool {
		var facts struct{ Subject string }
		return json.Unmarshal(e.Data, &facts) != nil || facts.Subject == subject
	})
	if isUsed {
		return c.unproven()
	}
	return nil
}
