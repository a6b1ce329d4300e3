package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"countersign/domain"
	"countersign/web/client"
)

// useTemporaryDatabase creates a database for the call. remove deletes it.
func useTemporaryDatabase(c *call) (remove func() error, err error) {
	dir, err := os.MkdirTemp("", "countersign-demo-")
	if err != nil {
		return nil, err
	}
	c.db = filepath.Join(dir, "countersign.db")
	return func() error { return os.RemoveAll(dir) }, nil
}

// prepareDemo creates the accounts of the demo and prints them. The returned
// agent posts requests until its context ends. With wait it posts none, and a command
// that does is printed.
func prepareDemo(ctx context.Context, c *call, svc *domain.Service, base *url.URL, wait bool) (agent func(context.Context), err error) {
	rows := [][]string{{"WHO", "NAME", "PASSWORD"}}
	var admin domain.Ref
	for _, user := range []struct{ name, role string }{{"admin", domain.AdminRole}, {"reviewer", "reviewer"}} {
		password := demoPassword()
		added, _, err := svc.AddUser(ctx, domain.System, user.name, []string{user.role}, password)
		if err != nil {
			return nil, err
		}
		if user.role == domain.AdminRole {
			admin = domain.Ref{Kind: domain.KindUser, ID: added.ID}
		}
		rows = append(rows, []string{user.name, user.name, password})
	}
	rows[1][0] = "administrator"
	// The order matters: it posts plans as planner and the rest as executor.
	// architect lets it create the context.
	_, key, err := svc.CreateKey(ctx, domain.System, domain.KeyInput{Name: "demo-agent", Roles: []string{"planner", "executor", "architect"}})
	if err != nil {
		return nil, err
	}
	rows = append(rows, []string{"agent", "demo-agent", key})
	fmt.Fprintf(c.stdout, "Countersign demo. Its data is in %s and is deleted when the demo ends.\n", c.db)
	if err := c.table(rows); err != nil {
		return nil, err
	}
	if wait {
		_, err := fmt.Fprintf(c.stdout, "To ask for something, from a second terminal:\n  COUNTERSIGN_URL=%s COUNTERSIGN_KEY=%s %s ask pay --args '{\"amount\": 100}' --reason 'Pay an invoice'\n", base, key, os.Args[0])
		return func(context.Context) {}, err
	}
	approve := func(ctx context.Context, confirmID string) error {
		asked, err := svc.Outcome(ctx, admin, confirmID, 0)
		if err != nil {
			return err
		}
		_, err = svc.Decide(ctx, admin, confirmID, domain.DecisionInput{
			Status: domain.Approved, ContentHash: asked.Confirm.ContentHash, Reason: "Pay it; the transfer itself needs another approval",
		})
		return err
	}
	return newDemoAgent(client.New(base.String(), key), c.stdout, approve).run, nil
}

// demoPassword returns a password of 80 random bits that is easy to type.
func demoPassword() string {
	text := strings.ToLower(rand.Text())
	return strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:16]}, "-")
}
