package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/store"
)

var evidenceVerify = command{
	name: "evidence verify", flags: "[--vkey KEY] [--checkpoint FILE] [--bundle FILE] [--json]",
	about: "Verifies the database, or a bundle, and changes nothing. Exit codes: 0 verified, 4 tampered, 3 cannot tell.",
	setup: func(f *flag.FlagSet) action {
		o := &verifyOptions{}
		f.Var((*nonEmpty)(&o.vkey), "vkey", "the `KEY` that must have signed; by default that of the signing key beside the database")
		f.Var((*nonEmpty)(&o.checkpoint), "checkpoint", "`FILE` with an earlier checkpoint that the log must begin with")
		f.Var((*nonEmpty)(&o.bundle), "bundle", "`FILE` with a bundle to verify instead of the database")
		f.BoolVar(&o.json, "json", false, "print the result as JSON")
		return o.run
	},
}

type verifyOptions struct {
	vkey, checkpoint, bundle string
	json                     bool
}

// Exit codes of evidence verify.
const (
	exitUnknown  exitError = 3
	exitTampered exitError = 4
)

func (o *verifyOptions) run(ctx context.Context, c *call) error {
	report, err := o.verify(ctx, c)
	if o.json {
		return c.printReportJSON(report, err)
	}
	if err != nil {
		fmt.Fprintf(c.stdout, "cannot tell: %v\n", err)
		return exitUnknown
	}
	return c.printReport(report)
}

func (o *verifyOptions) verify(ctx context.Context, c *call) (*evidence.Report, error) {
	if o.vkey != "" {
		if err := evidence.CheckVKey(o.vkey); err != nil {
			return nil, fmt.Errorf("--vkey: %w", err)
		}
	}
	kept, err := o.kept()
	if err != nil {
		return nil, err
	}
	if o.bundle != "" {
		return o.verifyBundle(kept)
	}
	return o.verifyDatabase(ctx, c, kept)
}

// kept reads the checkpoint kept from before, if one is named. A file without a
// checkpoint, such as a saved error page, gives no result: neither verified nor
// tampered.
func (o *verifyOptions) kept() (string, error) {
	text, err := readIfNamed(o.checkpoint)
	if err != nil || o.checkpoint == "" {
		return "", err
	}
	if _, err := evidence.PeekCheckpoint(text); err != nil {
		return "", fmt.Errorf("--checkpoint %s: %w", o.checkpoint, err)
	}
	return text, nil
}

func (o *verifyOptions) verifyBundle(kept string) (*evidence.Report, error) {
	data, err := os.ReadFile(o.bundle)
	if err != nil {
		return nil, err
	}
	if o.vkey != "" {
		return evidence.VerifyBundle(data, o.vkey, kept, domain.NewPartialHistory().Check)
	}
	claimed, err := evidence.BundleKey(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.bundle, err)
	}
	return nil, fmt.Errorf("--vkey is missing. The bundle claims the key\n%s\nGet the key from the operator by another way, and compare", claimed)
}

func (o *verifyOptions) verifyDatabase(ctx context.Context, c *call, kept string) (*evidence.Report, error) {
	files := c.storeOptions()
	vkey := o.vkey
	if vkey == "" {
		var err error
		if vkey, err = store.VKey(store.KeyFile(c.db, files.SigningKey)); err != nil {
			return nil, err
		}
	}
	// Read the head file first, because a server may write to the database.
	head, err := readIfNamed(store.HeadFile(c.db, files.Head))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	audit, signed, err := audited(ctx, c.db)
	if err != nil {
		return nil, err
	}
	report := audit.Finish(signed, vkey)
	if head != "" {
		audit.CheckKeptCheckpoint("head file", head, vkey, true)
	} else {
		audit.MissingHeadFile(o.vkey == "" || files.Head != "")
	}
	if kept != "" {
		audit.CheckKeptCheckpoint(o.checkpoint, kept, vkey, false)
	}
	return report, nil
}

// audited reads a database. It reads it again if a server began to write to it:
// then there is a journal, and a reader sees one state.
func audited(ctx context.Context, db string) (audit *evidence.Audit, signed string, err error) {
	const attempts = 5
	for range attempts {
		audit = evidence.NewAudit()
		if signed, err = store.Audit(ctx, db, audit); !errors.Is(err, store.ErrChanged) {
			break
		}
	}
	return audit, signed, err
}

func readIfNamed(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// printReport prints the result.
func (c *call) printReport(r *evidence.Report) error {
	say := func(format string, args ...any) { fmt.Fprintf(c.stdout, format+"\n", args...) }
	for _, finding := range r.Findings {
		say("  %s", finding)
	}
	if r.OmittedFindings > 0 {
		say("  and %d more", r.OmittedFindings)
	}
	for _, unknown := range r.Unknown {
		say("  %s", unknown)
	}
	for _, note := range r.Notes {
		say("note: %s", note)
	}
	switch {
	case r.IsTampered():
		say("tampered: %d findings", len(r.Findings)+r.OmittedFindings)
		return exitTampered
	case !r.IsVerified():
		say("cannot tell")
		return exitUnknown
	}
	say("verified: %d log entries and %d contents\norigin %s\nsize %d\nroot %s", r.Entries, r.Contents, r.Checkpoint.Origin, r.Checkpoint.Size, r.Checkpoint.Root)
	return nil
}

// The results of a verification.
const (
	resultVerified = "verified"
	resultTampered = "tampered"
	resultUnknown  = "unknown"
)

// verifyReport is what evidence verify prints as JSON.
type verifyReport struct {
	Result   string   `json:"result"`
	Findings []string `json:"findings"` // what is not as it was logged, the first of them
	More     int      `json:"more"`     // findings beyond these
	Unknown  []string `json:"unknown"`  // why there is no result
	Notes    []string `json:"notes"`
	Entries  int64    `json:"entries"`
	Contents int      `json:"contents"`
	Origin   string   `json:"origin"`
	Size     int64    `json:"size"`
	Root     string   `json:"root"`
}

// printReportJSON prints the result as JSON. failed is why there is no report.
func (c *call) printReportJSON(r *evidence.Report, failed error) error {
	if failed != nil {
		r = &evidence.Report{Unknown: []string{failed.Error()}}
	}
	told, conclusion := verifyReport{
		Result: resultVerified, Findings: shortened(r.Findings), More: r.OmittedFindings, Unknown: shortened(r.Unknown), Notes: shortened(r.Notes),
		Entries: r.Entries, Contents: r.Contents, Origin: r.Checkpoint.Origin, Size: r.Checkpoint.Size, Root: r.Checkpoint.Root.String(),
	}, error(nil)
	switch {
	case r.IsTampered():
		told.Result, conclusion = resultTampered, exitTampered
	case !r.IsVerified():
		told.Result, conclusion = resultUnknown, exitUnknown
	}
	if err := json.NewEncoder(c.stdout).Encode(told); err != nil && conclusion == nil {
		return err
	}
	return conclusion
}

// shortened cuts each finding, because it may contain the key of a row, of any
// length.
func shortened(list []string) []string {
	const enough = 500
	some := make([]string, len(list))
	for i, text := range list {
		if some[i] = text; len(text) > enough {
			some[i] = strings.ToValidUTF8(text[:enough], "") + "…"
		}
	}
	return some
}
