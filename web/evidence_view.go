package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/views"
)

// importTypes are the entries of records that were imported as decided or
// already running.
var importTypes = []string{"confirm.imported", "plan.imported"}

func newEvidenceView(p *evidencePage) (views.EvidenceView, error) {
	view := views.EvidenceView{
		Checkpoint: views.Checkpoint{
			Origin: p.checkpoint.Origin, Size: strconv.FormatInt(p.checkpoint.Size, 10), Root: p.checkpoint.Root.String(),
			Signed: p.signed, URL: checkpointPath,
		},
		VKey: p.keys[len(p.keys)-1].VKey,
	}
	for _, e := range p.last {
		view.Checkpoint.At = views.At(e.At)
	}
	handed := map[string]handover{} // by the key that took over
	for _, e := range p.handovers {
		h, err := evidence.ParseKeyChange(e)
		if err != nil {
			return view, err
		}
		handed[h.NewVKey] = handover{e, h}
		if e.Type == evidence.EntryRestored {
			view.Restores = append(view.Restores, handed[h.NewVKey].restore())
		}
	}
	for _, key := range p.keys {
		view.Keys = append(view.Keys, newEvidenceKey(key, handed))
	}
	if len(p.imports) > maxImportsShown {
		for _, kind := range importTypes {
			view.MoreImports = append(view.MoreImports, views.Link{Label: kind, URL: withQuery(logPath, url.Values{"type": {kind}}.Encode())})
		}
	}
	return view, nil
}

func newVerificationView(v domain.Verification) views.VerificationView {
	view := views.VerificationView{
		Off: v.Next.IsZero(), Ended: views.At(v.Ended), Took: v.Took.Round(time.Millisecond).String(), Entries: strconv.FormatInt(v.Entries, 10),
		Findings: v.Findings, More: v.OmittedFindings, Failure: v.Failure, FailedAt: views.At(v.FailedAt), Next: views.At(v.Next),
	}
	if v.Running {
		view.Running = views.At(v.Began)
	}
	return view
}

// handover is the entry by which a key took over, and what it says.
type handover struct {
	entry *evidence.Entry
	evidence.KeyChange
}

func (h handover) link() views.Link {
	return views.Link{Label: strconv.FormatInt(h.entry.Seq, 10), URL: logEntryPath(h.entry.Seq)}
}

// restore describes the entries that a backup did not have.
func (h handover) restore() views.EvidenceRestore {
	r := views.EvidenceRestore{
		Entry: h.link(), At: views.At(h.entry.At), Kept: strconv.FormatInt(h.Size, 10), Origin: h.OldOrigin,
		Lost: "We do not know how many were lost.",
	}
	if known, err := evidence.PeekCheckpoint(h.LastKnown); err == nil && known.Size >= h.Size {
		r.Lost = fmt.Sprintf("At least %d were lost.", known.Size-h.Size)
	}
	return r
}

func newEvidenceKey(key domain.SigningKey, handed map[string]handover) views.EvidenceKey {
	row := views.EvidenceKey{
		VKey: key.VKey, Current: key.To == nil, Signed: signedWords(key), Trust: "the first key of this log",
	}
	h, ok := handed[key.VKey]
	if !ok {
		return row
	}
	row.Since, row.Entry, row.Trust = views.At(h.entry.At), h.link(), "the key before it vouches for this one"
	if h.OldVKey == "" {
		row.Trust = "the key before it was lost, so nothing vouches for this one"
	}
	return row
}

// signedWords says which checkpoints a key signed.
func signedWords(key domain.SigningKey) string {
	switch {
	case key.From == 0 && key.To == nil:
		return "signed every checkpoint"
	case key.To == nil:
		return fmt.Sprintf("signs from %d entries on", key.From)
	case key.From == 0:
		return fmt.Sprintf("signed up to %d entries", *key.To)
	}
	return fmt.Sprintf("signed from %d to %d entries", key.From, *key.To)
}

// keyName is the name of a key to verify with and its number, without the key:
// one log's keys all have its name.
func keyName(vkey string) string {
	name, rest, _ := strings.Cut(vkey, "+")
	number, _, _ := strings.Cut(rest, "+")
	return name + "+" + number
}

func newConfirmEvidence(p *confirmPage) *views.ConfirmEvidence {
	if p.Evidence == nil {
		return nil
	}
	c, proof := p.Confirm, p.Evidence.Proof
	view := &views.ConfirmEvidence{
		State: evidenceState(p), Decided: c.IsFinal() && !c.Imported, Signer: p.Evidence.signer,
		Entry: views.Link{Label: strconv.FormatInt(proof.Seq, 10)},
	}
	if p.Reader.Can(domain.TraceRead) {
		view.Entry.URL, view.AboutURL = logEntryPath(proof.Seq), withQuery(evidencePath, encodeNonEmpty(url.Values{"confirm_id": {c.ID}}))+"#verify"
	}
	if proof.Size > 0 {
		view.Size, view.Root = strconv.FormatInt(proof.Size, 10), proof.Root.String()
	}
	if view.State.Holds() {
		view.BundleURL = bundlePath(c.ID)
	} else {
		view.Signer = "" // a signature is no comfort here
	}
	return view
}

func evidenceState(p *confirmPage) views.EvidenceState {
	switch proof := p.Evidence.Proof; {
	case !proof.Proven && proof.Size == 0:
		return views.EvidenceUnproven
	case !proof.Proven:
		return views.EvidenceAltered
	case p.Confirm.Imported:
		return views.EvidenceImport
	case p.Content == nil:
		return views.EvidenceForgotten
	}
	return views.EvidenceProven
}
