package domain

import (
	"context"
	"strings"

	"countersign/domain/evidence"
)

// everyonesRights is the topic of changes that may concern anybody: a role is
// held by users and keys that its entry does not name.
const everyonesRights = "rights of everyone"

// rightsTopic is what those wait for whose rights hang on a principal: on a key
// its own, on a user their own and those of the keys they own.
func rightsTopic(principal string) string { return "rights of " + principal }

// rightsChanged names whose rights an entry may have changed; empty: nobody's.
func rightsChanged(e *evidence.Entry) string {
	family, event, _ := strings.Cut(e.Type, ".")
	switch {
	case event == "created":
		return ""
	case family == "key":
		return rightsTopic(Ref{KindAgent, e.ObjectID}.String())
	case family == "user":
		return rightsTopic(Ref{KindUser, e.ObjectID}.String())
	case family == "role":
		return everyonesRights
	}
	return ""
}

// listen hears of a topic as a principal: what may have ended its rights wakes it
// too, so that a revoked key, a disabled user or a changed role ends an open wait
// at once (DESIGN, Who may do what). What had ended before is not heard of: who
// listens looks after that.
func (s *Service) listen(ctx context.Context, ref Ref, topic string, wake func(*Outcome)) (stop func(), err error) {
	group, err := s.group(ctx, ref)
	if err != nil {
		return nil, err
	}
	return s.feed.listen(wake, topic, rightsTopic(ref.String()), rightsTopic(string(group)), everyonesRights), nil
}

// group is whose principal it is, which never changes.
func (s *Service) group(ctx context.Context, ref Ref) (Group, error) {
	if use, ok := s.used(ref.ID); ok && ref.Kind == KindAgent {
		return use.group, nil
	}
	p, err := s.Principal(ctx, ref)
	if err != nil {
		return "", err
	}
	return p.Group, nil
}
