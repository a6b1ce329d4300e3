package domain_test

import (
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

// A count of pending requests that somebody made negative is none: an agent does not
// post beyond its limit.
func TestN12_NegativeCountOfPendingIsCountedAnew(t *testing.T) {
	t.Parallel()
	limited := func(c *domain.Config) {
		c.Limits = domain.DefaultLimits()
		c.Limits.Pending = 2
	}
	w := newWorld(t, limited)
	agent := w.worker()
	w.post(agent, toolCall)
	w.sql("UPDATE volatile_counts SET n = -1000 WHERE name LIKE 'pending:key:%'")
	again := openWorld(t, w.file, limited) // which has not counted yet
	again.post(agent, toolCall)
	_, err := again.tryPost(agent, toolCall)
	again.wantCode(err, domain.CodeRateLimited)
}

// A count that somebody puts back to what it was does not hide a change of rights.
func TestA2_RightsEndWhateverIsCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, err := store.Open(w.ctx, w.file, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}()
	for name, svc := range map[string]*domain.Service{"this process": w.Service, "another process": domain.NewService(other, domain.Config{Now: w.now})} {
		t.Run(name, func(t *testing.T) {
			key := w.key("key of "+name, "executor")
			read := func() domain.Code {
				_, err := w.Principal(w.ctx, key)
				return domain.ErrorCode(err)
			}
			if code := read(); code != "" { // what it has read it remembers
				t.Fatal(code)
			}
			w.sql("CREATE TABLE before AS SELECT n FROM volatile_counts WHERE name = 'rights'")
			if err := svc.RevokeKey(w.ctx, domain.System, key.ID); err != nil {
				t.Fatal(err)
			}
			w.sql("UPDATE volatile_counts SET n = (SELECT n FROM before) WHERE name = 'rights'", "DROP TABLE before")
			for late := time.After(5 * time.Second); read() != domain.CodeUnauthenticated; {
				select {
				case <-late:
					t.Fatal("the revoked key still reads")
				case <-time.After(10 * time.Millisecond):
				}
			}
			_, err := w.tryPost(key, toolCall)
			w.wantCode(err, domain.CodeUnauthenticated)
		})
	}
}
