package api_test

import (
	"countersign/domain"
)

// gather makes the people of the story, and the policies by which they decide together.
func (s *teller) gather() {
	s.t.Helper()
	s.people = map[string]domain.Ref{}
	for name, role := range s.Story.People {
		s.server.role(role, "confirm.approve", "confirm.reject")
		user, _, err := s.server.AddUser(s.t.Context(), domain.System, name, []string{role}, "")
		if err != nil {
			s.t.Fatal(err)
		}
		s.people[name] = domain.Ref{Kind: domain.KindUser, ID: user.ID}
	}
	for _, document := range s.Story.Policies {
		if _, err := s.server.SavePolicy(s.t.Context(), domain.System, domain.PolicyInput{Document: document, Enabled: true}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// approve decides as a person, who has no key.
func (s *teller) approve(name, confirm string) {
	s.t.Helper()
	o, err := s.server.Outcome(s.t.Context(), domain.System, confirm, 0)
	if err == nil {
		_, err = s.server.Decide(s.t.Context(), s.people[name], confirm, domain.DecisionInput{Status: domain.Approved, ContentHash: o.Confirm.ContentHash})
	}
	if err != nil {
		s.t.Fatal(err)
	}
}
