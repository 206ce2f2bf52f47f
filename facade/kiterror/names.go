package kiterror

import "strings"

// MaxNames is how many names a message lists. It is a variable part of a message for
// people, so a longer list would help nobody.
const MaxNames = 20

// maxLetters is how many bytes of a name that a caller sent a message repeats.
const maxLetters = 60

// Quoted is a name that a caller sent as a message repeats it: short, and without
// control characters.
func Quoted(name string) string {
	if name == "" {
		return `""`
	}
	if len(name) > maxLetters {
		name = name[:maxLetters] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return '?'
		}
		return r
	}, name)
}

// Instead ends a message about a name that does not exist with the names that do. With
// suggest it asks about the one that was probably meant.
func Instead(name string, names []string, suggest bool) string {
	if len(names) == 0 {
		return "; there is nothing"
	}
	var b strings.Builder
	if near := nearest(name, names); suggest && near != "" {
		b.WriteString("; did you mean " + near + "?")
	}
	b.WriteString("; there is ")
	b.WriteString(strings.Join(names[:min(len(names), MaxNames)], ", "))
	if more := len(names) - MaxNames; more > 0 {
		b.WriteString(", …")
	}
	return b.String()
}

// nearest is the name that was most likely meant, or "" where none is close.
func nearest(name string, names []string) string {
	if len(name) > maxLetters {
		return ""
	}
	best, at := "", 1+len(name)/3
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d <= at && (best == "" || d < at) {
			best, at = n, d
		}
	}
	return best
}

// distance is how many letters have to be put in, taken out or changed.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}
