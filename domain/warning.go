package domain

import "countersign/domain/mplp"

type loggedWarning struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
}

// loggedWarnings returns what the log says of warnings: the first sixteen, without
// texts that follow from the code.
func loggedWarnings(list []mplp.Warning) (logged []loggedWarning) {
	for _, w := range list[:min(len(list), 16)] {
		if w.Code == mplp.CodeFilled {
			w.Message = ""
		}
		logged = append(logged, loggedWarning(w))
	}
	return logged
}
