package api

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/domain/mplp"
)

// validation says what is wrong with an object, and what would be filled or is
// doubtful.
type validation struct {
	Valid    bool      `json:"valid"`
	Errors   []finding `json:"errors"`
	Warnings []finding `json:"warnings"`
}

// validator checks one object and gives its warnings.
type validator func([]byte, mplp.Limits) ([]mplp.Warning, error)

var validators = map[string]validator{
	"confirm": parsing(mplp.ParseConfirm, func(c *mplp.Confirm) ([]mplp.Warning, error) { return c.Warnings, nil }),
	"plan":    parsing(mplp.ParsePlan, func(p *mplp.Plan) ([]mplp.Warning, error) { return p.Warnings, nil }),
	"role":    parsing(mplp.ParseRole, checkRole),
	"context": parsing(mplp.ParseContext, func(c *mplp.Context) ([]mplp.Warning, error) { return c.Warnings, nil }),
	"trace":   parsing(mplp.ParseTraceObject, func(t *mplp.TraceObject) ([]mplp.Warning, error) { return t.Warnings, nil }),
}

func parsing[T any](parse func([]byte, mplp.Limits) (*T, error), judge func(*T) ([]mplp.Warning, error)) validator {
	return func(data []byte, l mplp.Limits) ([]mplp.Warning, error) {
		parsed, err := parse(data, l)
		if err != nil {
			return nil, err
		}
		return judge(parsed)
	}
}

// strict checks an object by the official schema and the plan module's
// invariants, for which nothing is filled or only doubtful.
func strict(kind string) validator {
	return func(data []byte, l mplp.Limits) ([]mplp.Warning, error) {
		return nil, mplp.ValidateStrict(kind, data, l)
	}
}

// checkRole checks the name and the capabilities, which the wire form leaves open.
func checkRole(r *mplp.Role) ([]mplp.Warning, error) {
	in := domain.RoleFromJSON(r)
	if err := in.Check(); err != nil {
		return nil, &mplp.Invalid{Problems: domain.AsError(err).Problems}
	}
	return r.Warnings, nil
}

// validate checks an object by itself, without writing anything: what only the
// stored state could tell is not looked at. What is not JSON is refused like
// everywhere else.
func (a *api) validate(c echo.Context, _ domain.Ref) error {
	kind := param(c, "type")
	check, ok := validators[kind]
	if !ok {
		return echo.ErrNotFound
	}
	mode, err := enumParam(c, "mode", "liberal", "strict")
	if err != nil {
		return err
	}
	if mode == "strict" {
		check = strict(kind)
	}
	limit := a.service.Limits().Body
	if kind == "plan" {
		limit = a.service.Limits().PlanBody
	}
	data, err := a.body(c, limit)
	if err != nil {
		return err
	}
	warnings, err := check(data, a.service.Limits().MPLP())
	var invalid *mplp.Invalid
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	v := validation{Valid: err == nil, Errors: []finding{}, Warnings: []finding{}}
	if err != nil {
		v.Errors = append(v.Errors, newFindings(invalid.Problems)...)
		warnings = invalid.Notes
	}
	for _, w := range warnings {
		v.Warnings = append(v.Warnings, finding(w))
	}
	return writeJSON(c, http.StatusOK, v)
}
