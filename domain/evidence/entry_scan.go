package evidence

// scanEntry reads an entry as Marshal writes it; nil when encoding/json has to
// look at it.
func scanEntry(data []byte) *Entry {
	s, e := scan{rest: string(data)}, new(Entry)
	s.must(`{"v":1,"seq":`)
	e.Seq = s.integer()
	s.must(`,"type":`)
	e.Type = s.text()
	s.must(`,"at":`)
	e.At = s.moment()
	s.must(`,"principal":`)
	e.Principal = s.text()
	s.must(`,"kind":`)
	e.Kind = s.text()
	e.Name = s.member(`,"name":`)
	e.Role = s.member(`,"role":`)
	e.Cause = s.member(`,"cause":`)
	e.ConfirmID = s.member(`,"confirm_id":`)
	e.PlanID = s.member(`,"plan_id":`)
	e.ObjectID = s.member(`,"object_id":`)
	e.ContentHash = longHash(s.member(`,"content_hash":`))
	e.EffectiveHash = longHash(s.member(`,"effective_hash":`))
	if s.has(`,"decisions":[`) {
		e.Decisions = s.decisions()
	}
	e.TraceID = s.member(`,"trace_id":`)
	e.SpanID = s.member(`,"span_id":`)
	if s.has(`,"data":`) {
		e.Data = s.raw()
	}
	s.must(`,"rows":[`)
	e.Rows = s.rows(e)
	s.must(`}`)
	if !s.ended() {
		return nil
	}
	return e
}

// decisions takes the rest of an array of decisions.
func (s *scan) decisions() (list []EntryDecision) {
	for !s.failed {
		s.must(`{"type":`)
		d := EntryDecision{Type: s.text()}
		s.must(`,"args_hash":`)
		d.ArgsHash = longHash(s.text())
		d.Filled = s.has(`,"filled":true`)
		s.must(`}`)
		list = append(list, d)
		if s.has(`]`) {
			break
		}
		s.must(`,`)
	}
	return list
}

// rows takes the rest of an array of rows.
func (s *scan) rows(e *Entry) []Row {
	list := make([]Row, 0, 4) // most write no more
	for !s.failed && !s.has(`]`) {
		if len(list) > 0 {
			s.must(`,`)
		}
		s.must(`[`)
		r := Row{Table: s.text()}
		s.must(`,`)
		r.Key = e.longKey(s.text())
		s.must(`,`)
		var err error
		if r.Digest, err = parseDigest(s.text()); err != nil {
			s.fail()
		}
		if s.has(`,`) {
			if r.Before, err = parseDigest(s.text()); err != nil {
				s.fail()
			}
		}
		s.must(`]`)
		list = append(list, r)
	}
	return list
}
