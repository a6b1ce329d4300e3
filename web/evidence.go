package web

import (
	"cmp"
	"mime"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/views"
)

const (
	evidencePath   = "/evidence"
	checkpointPath = evidencePath + "/checkpoint.txt"
	bundlesPath    = evidencePath + "/confirms"
	verifyPath     = evidencePath + "/verify"
)

func bundlePath(id string) string { return bundlesPath + "/" + url.PathEscape(id) }

// evidencePage is the log as an auditor is shown it.
type evidencePage struct {
	signed     string
	checkpoint evidence.Checkpoint
	last       []*evidence.Entry // the last entry in the checkpoint
	keys       []domain.SigningKey
	handovers  []*evidence.Entry
	imports    []*evidence.Entry // newest first, one more than are shown
}

// maxImportsShown bounds how many entries of imports the page lists.
const maxImportsShown = 10

func (s *Server) evidence(v *visit) error {
	p, err := s.loadEvidence(v)
	if err != nil {
		return err
	}
	view, err := newEvidenceView(p)
	if err != nil {
		return err
	}
	if view.Imports, err = s.logRows(v, p.imports[:min(len(p.imports), maxImportsShown)]); err != nil {
		return err
	}
	view.BaseURL, view.Notice = s.base.String(), noticeOf(v)
	view.Verification = newVerificationView(s.svc.Verification())
	if id := v.QueryParam("confirm_id"); id != "" {
		switch _, err := s.svc.Prove(v.ctx(), v.ref(), id); {
		case err == nil: // only what is an id goes into a command that is copied
			view.ConfirmID = id
		case domain.ErrorCode(err) != domain.CodeNotFound:
			return err
		}
	}
	return s.show(v, http.StatusOK, "Evidence", views.Evidence(view))
}

func (s *Server) loadEvidence(v *visit) (p *evidencePage, err error) {
	p = new(evidencePage)
	if p.signed, err = s.svc.Checkpoint(v.ctx(), v.ref()); err != nil {
		return nil, err
	}
	if p.checkpoint, err = evidence.PeekCheckpoint(p.signed); err != nil {
		return nil, err
	}
	if p.keys, err = s.svc.EvidenceKeys(v.ctx(), v.ref()); err != nil {
		return nil, err
	}
	entries := func(f domain.EntryFilter) (list []*evidence.Entry) {
		if err == nil {
			list, err = s.svc.Entries(v.ctx(), v.ref(), f)
		}
		return list
	}
	p.last = entries(domain.EntryFilter{Before: &p.checkpoint.Size, Newest: true, Limit: 1})
	p.handovers = entries(domain.EntryFilter{Types: []string{evidence.EntryKeyRotated, evidence.EntryRestored}})
	p.imports = entries(domain.EntryFilter{Types: importTypes, Newest: true, Limit: maxImportsShown + 1})
	return p, err
}

func (s *Server) verifyNow(v *visit) error {
	if err := s.svc.VerifyNow(v.ctx(), v.ref()); err != nil {
		retryAfter(v, err)
		return err
	}
	return redirect(v, evidencePath+"?done=verification")
}

func (s *Server) checkpoint(v *visit) error {
	signed, err := s.svc.Checkpoint(v.ctx(), v.ref())
	if err != nil {
		return err
	}
	return download(v, "checkpoint.txt", "text/plain; charset=utf-8", []byte(signed))
}

// bundle returns the bytes that the JSON interface gives. The id comes in the
// path, or from the form of the page.
func (s *Server) bundle(v *visit) error {
	id := cmp.Or(v.Param("id"), v.QueryParam("confirm_id"))
	bundle, err := s.svc.ConfirmBundle(v.ctx(), v.ref(), id)
	if err != nil {
		return err
	}
	return download(v, "evidence-"+id+".json", echo.MIMEApplicationJSON, bundle)
}

func download(v *visit, name, contentType string, data []byte) error {
	v.Response().Header().Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	return v.Blob(http.StatusOK, contentType, data)
}

// confirmEvidence is how far a confirm is proven.
type confirmEvidence struct {
	*domain.Proof
	signer string // name of the key; empty if the reader may not see the keys
}

// loadConfirmEvidence proves the confirm to whoever may take its bundle away;
// to others it gives nothing.
func (s *Server) loadConfirmEvidence(v *visit, c *domain.Confirm) (*confirmEvidence, error) {
	audits := v.user.Can(domain.TraceRead)
	if !audits && v.user.Group != c.RequestedGroup {
		return nil, nil
	}
	proof, err := s.svc.Prove(v.ctx(), v.ref(), c.ID)
	if err != nil || !audits {
		return &confirmEvidence{Proof: proof}, err
	}
	keys, err := s.svc.EvidenceKeys(v.ctx(), v.ref())
	if err != nil {
		return nil, err
	}
	return &confirmEvidence{proof, keyName(keys[len(keys)-1].VKey)}, nil
}
