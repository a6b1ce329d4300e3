package policy

import (
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"
)

// maxRegexp bounds the compiled form of a pattern of matches, in instructions.
const maxRegexp = 100

// environment has the variables and functions of conditions. It takes a millisecond, so
// that it is built at first use.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	object := cel.MapType(cel.StringType, cel.DynType)
	return cel.NewEnv(
		cel.Variable("tool", cel.StringType),
		cel.Variable("args", object),
		cel.Variable("actions", cel.ListType(object)),
		cel.Variable("target_type", cel.StringType),
		cel.Variable("target_id", cel.StringType),
		cel.Variable("step_id", cel.StringType),
		cel.Variable("plan", object),
		cel.Variable("requester", object),
		cel.Variable("reason", cel.StringType),
		cel.Variable("now", cel.TimestampType),
		ext.Strings(),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ASTValidators(cel.ValidateRegexLiterals()),
		cel.RegexProgramSizeLimit(maxRegexp),
		cel.ParserExpressionSizeLimit(MaxCondition),
		cel.ParserRecursionLimit(64),
	)
})

// members are those that an object of the server has. Arguments have any.
var members = map[string][]string{
	"plan":      {"title", "steps", "context_id"},
	"requester": {"name", "roles", "owner"},
}

// leftOut are functions whose time or result grows with the product of two texts.
var leftOut = []string{"replace", "join", "format", "indexOf", "lastIndexOf"}
