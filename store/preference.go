package store

import (
	"errors"

	"countersign/domain"
)

// preference is a user's choice of display.
type preference struct {
	user string
	domain.Preferences
}

var preferences = newTable("volatile_preferences", 1, func(p *preference) []column {
	return []column{{"user_id", text(&p.user)}, {"shortcuts_off", flag(&p.ShortcutsOff)}}
})

func (r *reader) Preferences(userID string) (domain.Preferences, error) {
	p, err := preferences.get(r, "WHERE user_id = $1", userID)
	if errors.Is(err, domain.ErrNotFound) {
		return domain.Preferences{}, nil
	}
	if err != nil {
		return domain.Preferences{}, err
	}
	return p.Preferences, nil
}

func (x *tx) SetPreferences(userID string, p domain.Preferences) error {
	return preferences.upsert(x, &preference{userID, p})
}
