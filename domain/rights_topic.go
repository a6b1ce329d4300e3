package domain

import (
	"context"
	"strings"

	"countersign/domain/evidence"
)

// allRightsTopic is the topic of changes that may concern anyone: a role's entry does
// not name the users and keys that hold it.
const allRightsTopic = "rights of everyone"

// rightsTopic is the topic of changes of a principal's rights. A key waits on its own
// and on its owner's.
func rightsTopic(principal string) string { return "rights of " + principal }

// rightsTopicOf returns the topic of the rights that an entry may have changed, "" for
// none.
func rightsTopicOf(e *evidence.Entry) string {
	family, event, _ := strings.Cut(e.Type, ".")
	switch {
	case event == "created":
		return ""
	case family == "key":
		return rightsTopic(Ref{KindAgent, e.ObjectID}.String())
	case family == "user":
		return rightsTopic(Ref{KindUser, e.ObjectID}.String())
	case family == "role":
		return allRightsTopic
	}
	return ""
}

// subscribe calls wake about a topic, and when the principal's rights may have ended: a
// revoked key, a disabled user or a changed role ends an open wait at once. The caller
// checks rights after it has subscribed.
func (s *Service) subscribe(ctx context.Context, ref Ref, topic string, wake func(*Outcome)) (stop func(), err error) {
	group, err := s.groupOf(ctx, ref)
	if err != nil {
		return nil, err
	}
	return s.feed.addWaiter(wake, topic, rightsTopic(ref.String()), rightsTopic(string(group)), allRightsTopic), nil
}

// groupOf returns the group of a principal, which never changes.
func (s *Service) groupOf(ctx context.Context, ref Ref) (Group, error) {
	if use, ok := s.recentUse(ref.ID); ok && ref.Kind == KindAgent {
		return use.group, nil
	}
	p, err := s.Principal(ctx, ref)
	if err != nil {
		return "", err
	}
	return p.Group, nil
}
