package api

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/evidence"
	"countersign/domain/mplp"
	"countersign/web/native"
)

// How long the caller of a native call waits, in seconds: without a word, and at most.
const (
	defaultNativeWait = 55
	maxNativeWait     = 600
)

// Headers of an answer about a confirm. A caller who asks again sends the first one
// back: then it gets the outcome of that confirm, whatever it is.
const (
	headerConfirm = "Countersign-Confirm"
	headerStatus  = "Countersign-Status"
)

// nativePending is the answer to a caller who has stopped and comes back.
type nativePending struct {
	ConfirmID string `json:"confirm_id"`
	Status    string `json:"status"`
	ExpiresAt string `json:"expires_at,omitempty"`
}

// askNative asks about a call in the form of a harness, and answers in it.
func (a *api) askNative(c echo.Context, by domain.Ref) error {
	wait, err := nativeWait(c)
	if err != nil {
		return err
	}
	limits := a.service.Limits()
	data, err := a.body(c, limits.Body)
	if err != nil {
		return err
	}
	format := param(c, "format")
	call, err := native.Parse(format, native.Input{Body: data, Key: c.QueryParam("key"), Limits: limits.MPLP()})
	if errors.Is(err, native.ErrUnknownFormat) {
		return &domain.Error{Code: domain.CodeNotFound, Message: "There is no such format. There are " + strings.Join(native.Formats(), ", ") + "."}
	} else if err != nil {
		return err
	}
	if len(call.Actions) == 0 {
		return writeNative(c, call, native.Verdict{Status: string(domain.Rejected)})
	}
	end := func() {}
	if wait > 0 {
		if end, err = a.waits.begin(by, kindLongPoll); err != nil {
			return err
		}
	}
	defer end()
	asked, posted, err := a.postNative(c, by, format, call)
	if err != nil {
		return err
	}
	// Nothing of what was sent is kept while the caller waits.
	call.Actions, call.Identity = nil, nil
	releaseBody(c)
	control := http.NewResponseController(c.Response())
	extendDeadline(c, control, wait)
	outcome, content, err := a.service.AwaitNative(c.Request().Context(), by, posted, asked, wait)
	extendDeadline(c, control, 0)
	if err != nil {
		return err
	}
	c.Response().Header().Set(headerConfirm, outcome.Confirm.ID)
	if !outcome.IsFinal() && !call.IsHook {
		c.Response().Header().Set(headerStatus, string(domain.Pending))
		c.Response().Header().Set(echo.HeaderRetryAfter, "0")
		pending := nativePending{ConfirmID: outcome.Confirm.ID, Status: string(domain.Pending)}
		if !outcome.Confirm.ExpiresAt.IsZero() {
			pending.ExpiresAt = mplp.RenderTime(outcome.Confirm.ExpiresAt)
		}
		return writeJSON(c, http.StatusAccepted, pending)
	}
	return writeNative(c, call, newVerdict(outcome, content))
}

// postNative posts a call, or finds what was posted about it.
func (a *api) postNative(c echo.Context, by domain.Ref, format string, call *native.Call) (asked domain.NativeCall, posted *domain.Confirm, err error) {
	limits := a.service.Limits().MPLP()
	if asked, err = newNativeCall(c, by, format, call); err != nil {
		return asked, nil, err
	}
	object := nativeConfirm(c.QueryParams(), call)
	_, isSuperseding := object.Get("supersedes")
	posted, err = a.service.PostNative(c.Request().Context(), by, asked, func(id, supersedes string) (*mplp.Confirm, error) {
		object.Set("confirm_id", mplp.String(id))
		if supersedes != "" && !isSuperseding {
			object.Set("supersedes", mplp.String(supersedes))
		}
		return mplp.ParseConfirm(object.Bytes(), limits)
	})
	return asked, posted, err
}

func writeNative(c echo.Context, call *native.Call, v native.Verdict) error {
	answer, err := call.Answer(v)
	if err != nil {
		return err
	}
	c.Response().Header().Set(headerStatus, v.Status)
	return c.JSONBlob(http.StatusOK, answer)
}

// nativeWait is waitParam with more time, and with a default.
func nativeWait(c echo.Context) (time.Duration, error) {
	text := cmp.Or(c.QueryParam("wait"), strconv.Itoa(defaultNativeWait))
	if !isDigits(text) {
		return 0, domain.Invalid("wait", "type_error", "wait must be a whole number of seconds.")
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds > maxNativeWait {
		seconds = maxNativeWait
	}
	return time.Duration(seconds) * time.Second, nil
}

// newNativeCall names a call and its executions. Names of a harness that cannot be ids
// are replaced by their digest.
func newNativeCall(c echo.Context, by domain.Ref, format string, call *native.Call) (domain.NativeCall, error) {
	asked := domain.NativeCall{
		ID:          format + "-" + native.Digest(append([]string{by.String(), format}, call.Identity...)...),
		IsAskedOnce: !call.IsHook, Waited: c.Request().Header.Get(headerConfirm),
	}
	unnamed := cmp.Or(c.QueryParam("execution_id"), uuid.NewString())
	var same []string // what identifies each action
	for i := range call.Actions {
		action := &call.Actions[i]
		action.ID = idOf(cmp.Or(action.ID, unnamed))
		asked.Executions = append(asked.Executions, action.ID)
		digest, err := actionDigest(action.Name, action.Args)
		if err != nil {
			return asked, err
		}
		same = append(same, digest)
	}
	asked.IsSameCall = func(content *evidence.Content) bool {
		for i, action := range content.Actions {
			if digest, err := actionDigest(action.Name, action.Args); err != nil || digest != same[i] {
				return false
			}
		}
		return true
	}
	return asked, nil
}

func actionDigest(name string, args []byte) (string, error) {
	canonical, err := native.Canonical(args)
	return native.Digest(name, canonical), err
}

// idOf returns a text as an id: itself, its digest if it cannot be one, or empty.
func idOf(text string) string {
	if text == "" || mplp.IsID(text) {
		return text
	}
	return native.Digest(text)
}

// nativeConfirm is the confirm about a call. Members of the query win over what the
// harness says.
func nativeConfirm(query url.Values, call *native.Call) *mplp.Object {
	object := mplp.NewObject()
	object.Set("target_type", mplp.String(string(domain.TargetOther)))
	object.Set("reason", mplp.String(cmp.Or(query.Get("reason"), call.Reason)))
	if session := cmp.Or(query.Get("session_id"), idOf(call.Session)); session != "" {
		object.Set("session_id", mplp.String(session))
	}
	for _, name := range []string{"required_role", "supersedes"} {
		if query.Has(name) {
			object.Set(name, mplp.String(query.Get(name)))
		}
	}
	if timeout := query.Get("timeout"); timeout != "" {
		object.Set("timeout", numberOrText(timeout))
	}
	var actions, configs []mplp.Raw
	for _, a := range call.Actions {
		action, config := mplp.NewObject(), mplp.NewObject()
		action.Set("name", mplp.String(a.Name))
		action.Set("args", mplp.Raw(a.Args))
		action.Set("tool_use_id", mplp.String(a.ID))
		if a.Description != "" {
			action.Set("description", mplp.String(a.Description))
		}
		config.Set("allowed_decisions", mplp.Strings(append(a.Decisions[:len(a.Decisions):len(a.Decisions)], "reject")))
		if a.Schema != nil {
			config.Set("args_schema", mplp.Raw(a.Schema))
		}
		actions, configs = append(actions, action.Bytes()), append(configs, config.Bytes())
	}
	object.Set("actions", mplp.Array(actions...))
	object.Set("review_configs", mplp.Array(configs...))
	return object
}

// numberOrText is a number of the query as JSON. What is no number is refused as a text.
func numberOrText(text string) mplp.Raw {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return mplp.Int(n)
	}
	return mplp.String(text)
}

// newVerdict says what became of a call, in words for the agent.
func newVerdict(o *domain.Outcome, content *evidence.Content) native.Verdict {
	v := native.Verdict{Status: string(o.Confirm.Status)}
	if o.Decision == nil {
		v.Words = "Not decided yet (confirm " + o.Confirm.ID
		if !o.Confirm.ExpiresAt.IsZero() {
			v.Words += ", expires " + mplp.RenderTime(o.Confirm.ExpiresAt)
		}
		v.Words += "): call again with the same arguments to go on waiting. Do not try another way."
		return v
	}
	v.Role, v.Words, v.Timeout = o.Decision.DecidedByRole, o.Text, o.Decision.Cause == domain.CauseTimeout
	isDecided := o.Decision.Cause != domain.CauseTimeout && o.Decision.Cause != domain.CauseCancelled
	for i, d := range o.Decision.Actions {
		made := native.Decision{Name: content.Actions[i].Name, Original: []byte(content.Actions[i].Args)}
		switch {
		case d.Type == domain.ActionReject && isDecided:
			made.Words = rejectedBy(v.Role, cmp.Or(d.Message, o.Text))
		case d.Type == domain.ActionReject:
			made.Words = v.Words
		default:
			made.IsApproved = true
			if d.Type == domain.ActionEdit {
				made.Args = []byte(d.Args)
			}
		}
		v.Actions = append(v.Actions, made)
	}
	return v
}

func rejectedBy(role, reason string) string {
	if reason == "" {
		return "Rejected by " + role + ", without a reason."
	}
	return "Rejected by " + role + ": " + reason
}
