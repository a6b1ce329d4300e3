package web

import (
	"strconv"
	"strings"
)

// splitList reads texts between commas. A comma in double quotes separates nothing.
func splitList(text string) (list []string) {
	for rest := text; ; {
		rest = strings.TrimSpace(rest)
		item, after, isMore := strings.Cut(rest, ",")
		item = strings.TrimSpace(item)
		if quoted, err := strconv.QuotedPrefix(rest); err == nil && strings.HasPrefix(rest, `"`) {
			if tail := strings.TrimSpace(rest[len(quoted):]); tail == "" || tail[0] == ',' {
				item, _ = strconv.Unquote(quoted)
				_, after, isMore = strings.Cut(tail, ",")
			}
		}
		if item != "" {
			list = append(list, item)
		}
		if !isMore {
			return list
		}
		rest = after
	}
}

// joinList writes texts so that splitList reads the same.
func joinList(list []string) string {
	quoted := make([]string, len(list))
	for i, text := range list {
		if quoted[i] = text; strings.ContainsAny(text, `,"`) || strings.TrimSpace(text) != text {
			quoted[i] = strconv.Quote(text)
		}
	}
	return strings.Join(quoted, ", ")
}
