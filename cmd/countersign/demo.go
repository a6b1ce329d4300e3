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
)

// throwaway makes the call use a database that remove deletes again.
func throwaway(c *call) (remove func() error, err error) {
	dir, err := os.MkdirTemp("", "countersign-demo-")
	if err != nil {
		return nil, err
	}
	c.db = filepath.Join(dir, "countersign.db")
	return func() error { return os.RemoveAll(dir) }, nil
}

// prepareDemo creates the accounts of the demo and prints them. The agent that
// it returns asks until its context ends.
func prepareDemo(ctx context.Context, c *call, svc *domain.Service, base *url.URL) (agent func(context.Context), err error) {
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
	// Its roles in the order in which it asks: plans as planner, the rest as
	// executor; architect lets it describe the context.
	_, key, err := svc.CreateKey(ctx, domain.System, domain.KeyInput{Name: "demo-agent", Roles: []string{"planner", "executor", "architect"}})
	if err != nil {
		return nil, err
	}
	rows = append(rows, []string{"agent", "demo-agent", key})
	fmt.Fprintf(c.stdout, "Countersign demo. Everything is in %s and goes when the demo ends.\n", c.db)
	if err := c.table(rows); err != nil {
		return nil, err
	}
	approve := func(ctx context.Context, confirmID string) error {
		asked, err := svc.Outcome(ctx, admin, confirmID, 0)
		if err != nil {
			return err
		}
		_, err = svc.Decide(ctx, admin, confirmID, domain.DecisionInput{
			Status: domain.Approved, ContentHash: asked.Confirm.ContentHash, Reason: "Pay it; the transfer itself is asked for again",
		})
		return err
	}
	return newDemoAgent(&client{base: base.String(), key: key}, c.stdout, approve).run, nil
}

// demoPassword makes a password of 80 random bits that can be typed.
func demoPassword() string {
	text := strings.ToLower(rand.Text())
	return strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:16]}, "-")
}
