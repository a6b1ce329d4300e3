package domain

import "testing"

// TestSignal_TwoHaveToLook: what ended rights came with the outcome, or before it.
func TestSignal_TwoHaveToLook(t *testing.T) {
	t.Parallel()
	o := new(Outcome)
	for _, tt := range []struct {
		name  string
		given []*Outcome
		want  *Outcome
	}{
		{"an outcome", []*Outcome{o}, o},
		{"something else", []*Outcome{nil}, nil},
		{"an outcome, then something else", []*Outcome{o, nil}, nil},
		{"something else, then an outcome", []*Outcome{nil, o}, nil},
		{"an outcome after much else", []*Outcome{nil, nil, o}, nil},
		{"an outcome before much else", []*Outcome{o, nil, nil}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSignal()
			for _, given := range tt.given {
				s.notify(given)
			}
			if got := s.latest(<-s); got != tt.want {
				t.Errorf("told %p, want %p", got, tt.want)
			}
		})
	}
}
