package domain

import (
	"context"
	"errors"
	"slices"
	"strings"

	"countersign/domain/evidence"
)

// DestinationInput is a destination as a form or a command asks for it.
type DestinationInput struct {
	Name        string
	Format      Format // of a new one; it never changes
	Address     string // https://…; empty keeps the one that there is
	Types       []string
	Roles       []string // ids or names; none: all
	TargetTypes []TargetType
	Details     Details
	Key         string // id or name; empty: none
}

// DestinationRow is a destination as pages show it.
type DestinationRow struct {
	Destination
	Host    string // of its address; empty if that cannot be opened any more
	Key     string // the name of KeyID
	Health  DestinationHealth
	Waiting int // deliveries
}

// Destinations lists all destinations by name. Needs destination.read.
func (s *Service) Destinations(ctx context.Context, ref Ref) (list []*DestinationRow, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(DestinationRead, DestinationModify); err != nil {
			return err
		}
		all, err := r.Destinations()
		for _, d := range all {
			row, err := d.row(r)
			if err != nil {
				return err
			}
			list = append(list, row)
		}
		return err
	})
	return list, err
}

// DestinationDetail returns a destination, by its id or name. Needs destination.read.
func (s *Service) DestinationDetail(ctx context.Context, ref Ref, idOrName string) (row *DestinationRow, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.requireAny(DestinationRead, DestinationModify); err != nil {
			return err
		}
		d, err := findDestination(r, idOrName)
		if err == nil {
			row, err = d.row(r)
		}
		return err
	})
	return row, err
}

func (d *Destination) row(r Reader) (*DestinationRow, error) {
	row := &DestinationRow{Destination: *d}
	secret, err := d.open(r)
	if err != nil {
		return nil, err
	}
	if secret != nil {
		row.Host = secret.Host()
	}
	health, err := r.DestinationHealth(d.ID)
	if err != nil {
		return nil, err
	}
	row.Health = *health
	if row.Waiting, err = r.WaitingDeliveries(d.ID); err != nil || d.KeyID == "" {
		return row, err
	}
	key, err := r.Key(d.KeyID)
	if err == nil {
		row.Key = key.Name
	}
	return row, err
}

func findDestination(r Reader, idOrName string) (*Destination, error) {
	all, err := r.Destinations()
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if d.ID == idOrName || strings.EqualFold(d.Name, idOrName) {
			return d, nil
		}
	}
	return nil, errNotFound("destination")
}

// CreateDestination creates a destination that is told of what happens from now on. It
// returns the key that signs what the standard format sends; it is shown once. Needs
// destination.modify, and trace.read to send arguments.
func (s *Service) CreateDestination(ctx context.Context, ref Ref, in DestinationInput) (d *Destination, key string, err error) {
	secret := &DestinationSecret{}
	if in.Format == FormatStandard {
		if secret.Key, err = newSigningSecret(s.rand); err != nil {
			return nil, "", err
		}
	}
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(DestinationModify); err != nil {
			return err
		}
		if in.Address == "" {
			return Invalid("address", "required", "Enter the address that messages are sent to.")
		}
		if !slices.Contains([]Format{FormatStandard, FormatSlack, FormatTeams}, in.Format) {
			return Invalid("format", "enum", "Choose standard, slack or teams.")
		}
		all, err := tx.Destinations()
		if err != nil {
			return err
		}
		if len(all) >= MaxDestinations {
			return refuse(CodeTooLarge, "There are %d destinations already. Delete one first.", MaxDestinations)
		}
		d = &Destination{Format: in.Format, Status: DestinationEnabled, CreatedAt: s.clock()}
		if d.ID, err = s.newID(); err != nil {
			return err
		}
		if d.SinceSeq, err = tx.NextSeq(); err != nil {
			return err
		}
		if err := s.setDestination(tx, p, d, secret, in); err != nil {
			return err
		}
		if err := d.seal(tx, secret); err != nil {
			return err
		}
		if err := tx.InsertDestination(d); err != nil {
			return takenName(err, in.Name)
		}
		return s.logDestination(tx, p, "created", d, secret)
	})
	return d, secret.Key, err
}

// UpdateDestination changes a destination. Needs destination.modify, and trace.read to
// send arguments.
func (s *Service) UpdateDestination(ctx context.Context, ref Ref, id string, in DestinationInput) (*Destination, error) {
	return s.changeDestination(ctx, ref, id, "modified", func(tx Tx, p *Principal, d *Destination, secret *DestinationSecret) error {
		if secret.URL == "" && in.Address == "" {
			return Invalid("address", "required", "The address cannot be read any more. Enter it again.")
		}
		return s.setDestination(tx, p, d, secret, in)
	})
}

// RotateDestinationKey gives a destination of the standard format a new key, which is
// shown once. The old one signs too for 24 hours. Needs destination.modify.
func (s *Service) RotateDestinationKey(ctx context.Context, ref Ref, id string) (key string, err error) {
	if key, err = newSigningSecret(s.rand); err != nil {
		return "", err
	}
	_, err = s.changeDestination(ctx, ref, id, "key_rotated", func(_ Tx, _ *Principal, d *Destination, secret *DestinationSecret) error {
		if d.Format != FormatStandard {
			return refuse(CodeInvalidTransition, "Messages to this destination are not signed.")
		}
		secret.OldKey, secret.OldUntil, secret.Key = secret.Key, s.clock().Add(rotationOverlap), key
		return nil
	})
	return key, err
}

// DisableDestination stops telling a destination. What waits for it is not sent. Needs
// destination.modify.
func (s *Service) DisableDestination(ctx context.Context, ref Ref, id string) error {
	_, err := s.changeDestination(ctx, ref, id, "disabled", func(tx Tx, _ *Principal, d *Destination, _ *DestinationSecret) error {
		if d.Status == DestinationDisabled {
			return refuse(CodeInvalidTransition, "The destination is disabled already.")
		}
		d.Status = DestinationDisabled
		return tx.EndDeliveriesTo(d.ID, s.clock())
	})
	return err
}

// EnableDestination tells a destination what happens from now on. Needs
// destination.modify.
func (s *Service) EnableDestination(ctx context.Context, ref Ref, id string) error {
	_, err := s.changeDestination(ctx, ref, id, "enabled", func(tx Tx, _ *Principal, d *Destination, secret *DestinationSecret) (err error) {
		switch {
		case d.Status == DestinationEnabled:
			return refuse(CodeInvalidTransition, "The destination is enabled already.")
		case secret.URL == "":
			return refuse(CodeInvalidTransition, "The address cannot be read any more. Enter it again first.")
		case d.Format == FormatStandard && secret.Key == "":
			return refuse(CodeInvalidTransition, "The signing key cannot be read any more. Make a new one first.")
		}
		d.Status = DestinationEnabled
		if d.SinceSeq, err = tx.NextSeq(); err != nil {
			return err
		}
		return tx.SetDestinationHealth(&DestinationHealth{DestinationID: d.ID})
	})
	return err
}

// DeleteDestination deletes a destination with its deliveries. Needs destination.modify.
func (s *Service) DeleteDestination(ctx context.Context, ref Ref, id string) error {
	return s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(DestinationModify); err != nil {
			return err
		}
		d, err := findDestination(tx, id)
		if err != nil {
			return err
		}
		if err := errors.Join(tx.DeleteDeliveriesTo(d.ID), tx.DeleteDestination(d.ID)); err != nil {
			return err
		}
		return s.log(tx, p, evidence.Entry{Type: "destination.deleted", ObjectID: d.ID, Data: data("name", d.Name)})
	})
}

// changeDestination changes a destination and logs it. Without its secret, because that
// is lost, change gets an empty one.
func (s *Service) changeDestination(ctx context.Context, ref Ref, id, event string, change func(tx Tx, p *Principal, d *Destination, secret *DestinationSecret) error) (d *Destination, err error) {
	err = s.write(ctx, ref, func(tx Tx, p *Principal) error {
		if err := p.require(DestinationModify); err != nil {
			return err
		}
		if d, err = findDestination(tx, id); err != nil {
			return err
		}
		secret, err := d.open(tx)
		if err != nil {
			return err
		}
		if secret == nil {
			secret = &DestinationSecret{}
		}
		before := *secret
		if err := change(tx, p, d, secret); err != nil {
			return err
		}
		if *secret != before {
			if err := d.seal(tx, secret); err != nil {
				return err
			}
		}
		d.UpdatedAt = s.clock()
		if err := tx.UpdateDestination(d); err != nil {
			return takenName(err, d.Name)
		}
		return s.logDestination(tx, p, event, d, secret)
	})
	return d, err
}

// setDestination sets what a form or a command asks for.
func (s *Service) setDestination(tx Tx, p *Principal, d *Destination, secret *DestinationSecret, in DestinationInput) error {
	if err := checkNewName("name", in.Name); err != nil {
		return err
	}
	if in.Address != "" {
		if s.checkAddress == nil {
			return refuse(CodeInvalid, "This program sends nothing.")
		}
		if err := s.checkAddress(in.Address); err != nil {
			return err
		}
		secret.URL = in.Address
	}
	if len(in.Types) == 0 {
		return Invalid("types", "min_items", "Choose at least one event.")
	}
	for _, t := range in.Types {
		if !slices.ContainsFunc(DestinationEvents(), func(k EventKind) bool { return k.Type == t }) {
			return Invalid("types", "enum", "There is no event %s.", t)
		}
	}
	for _, t := range in.TargetTypes {
		if !slices.Contains(TargetTypes, t) {
			return Invalid("target_types", "enum", "There is no target type %s.", t)
		}
	}
	var roles []string
	if len(in.Roles) > 0 {
		found, err := findRoles(tx, in.Roles)
		if err != nil {
			return err
		}
		roles = roleIDs(found)
	}
	switch {
	case !slices.Contains([]Details{DetailsNone, DetailsNames, DetailsFull}, in.Details):
		return Invalid("details", "enum", "Choose none, names or full.")
	case in.Details == DetailsFull && d.Format != FormatStandard:
		return Invalid("details", "enum", "Only the standard format can have reasons and arguments.")
	case in.Details == DetailsFull && !p.Can(TraceRead):
		return errMissingCapability(TraceRead)
	}
	d.KeyID = ""
	if in.Key != "" {
		key, err := findKey(tx, in.Key)
		if ErrorCode(err) == CodeNotFound {
			return Invalid("key", "reference", "There is no key %s.", in.Key)
		} else if err != nil {
			return err
		}
		d.KeyID = key.ID
	}
	d.Name, d.Types, d.Roles, d.TargetTypes, d.Details, d.UpdatedAt = in.Name, in.Types, roles, in.TargetTypes, in.Details, s.clock()
	return nil
}

// logDestination logs a change of a destination, without what its address hides.
func (s *Service) logDestination(tx Tx, p *Principal, event string, d *Destination, secret *DestinationSecret) error {
	facts := []any{"name", d.Name}
	if event == "created" || event == "modified" {
		facts = append(facts, "format", d.Format, "host", secret.Host(), "types", d.Types, "roles", capList(d.Roles), "target_types", d.TargetTypes, "details", d.Details, "key", d.KeyID)
	}
	return s.log(tx, p, evidence.Entry{Type: "destination." + event, ObjectID: d.ID, Data: data(facts...)})
}

func takenName(err error, name string) error {
	if errors.Is(err, ErrConflict) {
		return refuse(CodeIDTaken, "There already is a destination named %s.", name)
	}
	return err
}
