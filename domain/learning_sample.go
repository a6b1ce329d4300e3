package domain

import (
	"context"
	"errors"

	"countersign/domain/mplp"
)

// LearningSamples returns a sample for each decision that a person or an agent made on
// a plan and that counted, newest first, valid against the official intent schema. Timeouts,
// cancellations and imports give none. Needs trace.read.
func (s *Service) LearningSamples(ctx context.Context, ref Ref, page Page) (list [][]byte, next string, err error) {
	err = s.read(ctx, ref, func(r Reader, p *Principal) error {
		if err := p.require(TraceRead); err != nil {
			return err
		}
		f := ConfirmFilter{TargetType: TargetPlan, Decided: true, OmitTexts: true, Visible: p.confirmVisibility()}
		if p.Kind == KindAgent {
			f.Visible = Visibility{Group: p.Group}
		}
		rows, after, err := r.Confirms(f, page)
		if err == nil {
			err = checkAllProven(rows)
		}
		if err != nil {
			return err
		}
		list, next, err = fillPageWithLists(page, rows, after, func(row *ConfirmRow) ([][]byte, error) {
			if row.Cause != CauseHuman && row.Cause != CauseAgent || row.TargetHash == "" {
				return nil, ErrNotFound // nobody decided, or the plan came later and may be another's
			}
			return s.learningSamples(r, p, row)
		}, func(rows int) (string, error) {
			_, next, err := r.Confirms(f, Page{Limit: rows, Cursor: page.Cursor})
			return next, err
		})
		return err
	})
	return list, next, err
}

// learningSamples builds a sample for each decision that counted.
func (s *Service) learningSamples(r Reader, p *Principal, row *ConfirmRow) (list [][]byte, err error) {
	decisions, err := r.Decisions(row.RequestedSeq)
	if err == nil {
		decisions, err = countedDecisions(r, &row.Confirm, decisions)
	}
	if err != nil {
		return nil, err
	}
	for i, d := range decisions {
		id := row.ID
		if i < len(decisions)-1 {
			id += "/" + d.ID // the last one is named as the only one would be
		}
		sample, err := s.learningSample(r, p, row, d, id)
		if err != nil {
			return nil, err
		}
		list = append(list, sample)
	}
	return list, nil
}

func (s *Service) learningSample(r Reader, p *Principal, row *ConfirmRow, d *Decision, id string) ([]byte, error) {
	plan, err := r.Plan(row.PlanID)
	if err != nil {
		return nil, err
	}
	native, err := s.renderPlan(r, plan)
	if err != nil {
		return nil, err
	}
	objective, _ := mplp.Member(native, "objective")
	steps, _ := mplp.Member(native, "steps")
	about := mplp.Raw("null")
	c, err := r.Context(plan.ContextID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	if err == nil && c.isVisibleTo(p) {
		about = c.Native
	}

	approved := d.Status == Approved
	choose := func(yes, no string) mplp.Raw {
		if approved {
			return mplp.String(yes)
		}
		return mplp.String(no)
	}
	source := "user"
	if row.Cause == CauseAgent {
		source = "agent"
	}
	input, output, feedback, meta, sample := mplp.NewObject(), mplp.NewObject(), mplp.NewObject(), mplp.NewObject(), mplp.NewObject()
	input.Set("intent_id", mplp.String(mplp.CanonicalID("plan", plan.ID)))
	input.Set("raw_request_summary", objective)
	input.Set("intent_text", objective)
	input.Set("context", about)
	output.Set("final_intent_summary", mplp.String(plan.Title))
	output.Set("plan_id", mplp.String(mplp.CanonicalID("plan", plan.ID)))
	output.Set("plan_step_count", mplp.Int(int64(len(plan.States))))
	output.Set("resolution_quality_label", choose("good", "bad"))
	output.Set("plan_structure", steps)
	feedback.Set("source", mplp.String(source))
	feedback.Set("type", choose("approval", "rejection"))
	feedback.Set("quality_label", choose("good", "poor"))
	if d.Reason != "" {
		feedback.Set("details", mplp.String(d.Reason))
	}
	meta.Set("human_feedback_label", choose("approved", "rejected"))
	if source != "user" {
		meta.Set("human_feedback_label", mplp.String("not_reviewed"))
	}
	meta.Set("source_event_ids", mplp.Strings([]string{mplp.CanonicalID("event", Cursor{Seq: d.Seq}.String())}))
	sample.Set("sample_id", mplp.String(mplp.CanonicalID("sample", id)))
	sample.Set("sample_family", mplp.String("intent_resolution"))
	sample.Set("created_at", mplp.String(mplp.RenderTime(d.DecidedAt)))
	sample.Set("input", input.Bytes())
	sample.Set("output", output.Bytes())
	sample.Set("feedback", feedback.Bytes())
	sample.Set("meta", meta.Bytes())
	return sample.Bytes(), nil
}
