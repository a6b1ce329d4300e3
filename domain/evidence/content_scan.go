package evidence

// scanContent reads a content as Marshal writes it; nil when encoding/json has to
// look at it.
func scanContent(data []byte) *Content {
	s, c := scan{rest: string(data)}, new(Content)
	s.must(`{"v":1,"confirm_id":`)
	c.ConfirmID = s.text()
	s.must(`,"target_type":`)
	c.TargetType = s.text()
	s.must(`,"target_id":`)
	c.TargetID = s.text()
	c.TargetHash = s.member(`,"target_hash":`)
	c.PlanID = s.member(`,"plan_id":`)
	c.StepID = s.member(`,"step_id":`)
	c.RequiredRole = s.member(`,"required_role":`)
	s.must(`,"requested_by_role":`)
	c.RequestedByRole = s.text()
	s.must(`,"requested_by":`)
	c.RequestedBy = s.text()
	s.must(`,"received_at":`)
	c.ReceivedAt = s.moment()
	s.must(`,"requested_at":`)
	c.RequestedAt = s.text()
	if s.has(`,"expires_at":`) {
		c.ExpiresAt = s.moment()
	}
	c.OnReject = s.member(`,"on_reject":`)
	c.Supersedes = s.member(`,"supersedes":`)
	c.Reason = s.member(`,"reason":`)
	if s.has(`,"actions":[`) {
		c.Actions = s.actions()
	}
	if s.has(`,"trace":`) {
		c.Trace = s.raw()
	}
	c.SessionID = s.member(`,"session_id":`)
	c.MessageID = s.member(`,"message_id":`)
	s.must(`}`)
	if !s.ended() {
		return nil
	}
	return c
}

// actions takes the rest of an array of actions.
func (s *scan) actions() (list []Action) {
	for !s.failed {
		s.must(`{"name":`)
		a := Action{Name: s.text()}
		s.must(`,"args":`)
		a.Args = s.raw()
		a.ToolUseID = s.member(`,"tool_use_id":`)
		a.Description = s.member(`,"description":`)
		if s.has(`,"review_config":`) {
			a.ReviewConfig = s.raw()
		}
		s.must(`}`)
		list = append(list, a)
		if s.has(`]`) {
			break
		}
		s.must(`,`)
	}
	return list
}
