package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// test is a part of a rule: a comparison of a member, or parts that are joined.
type test struct {
	member, operator, value string
	parts                   []*test
}

func (x *test) cel() string {
	if x.parts == nil {
		return fmt.Sprintf("args.%s %s %s", x.member, x.operator, x.value)
	}
	texts := make([]string, len(x.parts))
	for i, part := range x.parts {
		texts[i] = part.cel()
	}
	return "(" + strings.Join(texts, " "+x.operator+" ") + ")"
}

// honest says what the rule says of arguments, without rounding, conversions and CEL.
func (x *test) honest(args map[string]any) truth {
	switch x.operator {
	case "&&":
		return slices.Min(x.all(args))
	case "||":
		return slices.Max(x.all(args))
	}
	var order int
	switch sent := args[x.member].(type) {
	case json.Number:
		a, isNumber := new(big.Rat).SetString(x.value)
		b, _ := new(big.Rat).SetString(sent.String())
		if !isNumber {
			return isUnknown
		}
		order = b.Cmp(a)
	case string:
		if x.value[0] != '\'' {
			return isUnknown
		}
		order = strings.Compare(sent, strings.Trim(x.value, "'"))
	default:
		return isUnknown
	}
	holds := map[string]bool{">": order > 0, "<": order < 0, ">=": order >= 0, "==": order == 0, "!=": order != 0}[x.operator]
	return map[bool]truth{true: isTrue, false: isFalse}[holds]
}

func (x *test) all(args map[string]any) (values []truth) {
	for _, part := range x.parts {
		values = append(values, part.honest(args))
	}
	return values
}

func randomTest(r *rand.Rand, depth int) *test {
	if depth > 0 && r.IntN(3) > 0 {
		return &test{operator: []string{"&&", "||"}[r.IntN(2)], parts: []*test{randomTest(r, depth-1), randomTest(r, depth-1)}}
	}
	if r.IntN(3) == 0 {
		return &test{member: "currency", operator: []string{"==", "!="}[r.IntN(2)], value: []string{"'EUR'", "'USD'"}[r.IntN(2)]}
	}
	return &test{member: []string{"amount", "count", "price"}[r.IntN(3)], operator: []string{">", "<", ">=", "==", "!="}[r.IntN(5)],
		value: []string{"10000", "9007199254740992", "0.5", "-3"}[r.IntN(4)]}
}

func honestOf(t *testing.T, rule *test, p *Post) (value truth) {
	for _, a := range p.Actions {
		if !strings.HasPrefix(strings.ToLower(a.Name), "wire_") {
			continue
		}
		var args map[string]any
		dec := json.NewDecoder(bytes.NewReader(a.Args))
		dec.UseNumber()
		if err := dec.Decode(&args); err != nil {
			t.Fatal(err)
		}
		value = max(value, rule.honest(args))
	}
	return value
}
