package views

// Hidden counts the characters of s that only a mark makes visible.
func Hidden(s string) int {
	if isVisible(s) {
		return 0
	}
	n := 0
	for _, segment := range Visible(s) {
		if segment.Kind == Invisible {
			n++
		}
	}
	return n
}
