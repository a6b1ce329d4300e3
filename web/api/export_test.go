package api

// ProblemKind is what the problems of one slug have in common.
type ProblemKind struct {
	Status int
	Title  string
}

// ProblemKinds lists every problem of the interface's own by its slug.
func ProblemKinds() map[string]ProblemKind {
	all := map[string]ProblemKind{}
	for slug, k := range problemKinds {
		all[string(slug)] = ProblemKind{k.status, k.title}
	}
	return all
}
