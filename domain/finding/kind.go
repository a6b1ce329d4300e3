package finding

import "slices"

// Kinds are the kinds that rules of this version report. Whatever counts findings by
// kind knows these, and no others.
var Kinds = []Kind{
	"hidden", "blanks", "url", "encoded", "shell", "sql", "wildcard", "odd one", "protection", "diff", "actions", "past", "iban", "order", "host", "trial", "rights", "total", "step", "claim",
	"identifier", "sum", "number", "count", "date", "object", "version", "network", "unit", "zone", "environment", "agree",
	"superseded", "rejected-before", "asked-twice", "approved-unused", "differs",
	"first-time", "new-address", "other-account", "far-above", "often-rejected",
}

// Levels are all levels, the gravest first.
var Levels = []Level{Stop, Look, Note}

// IsKnown reports whether it is one of Levels.
func (l Level) IsKnown() bool { return slices.Contains(Levels, l) }
