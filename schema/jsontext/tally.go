package jsontext

import "bytes"

// Tally counts the values of a JSON text and their depth, part by part as the text comes in: a
// text with too many of them can be refused before all of it is there. Its other faults are the
// task of [Check], once the text is complete. The zero value is ready.
type Tally struct {
	// Values is the number of values that have begun: every value but the first of an object
	// or an array follows a comma, and that first one is counted with its bracket.
	Values int
	// Deepest is how many objects and arrays were open at once at most.
	Deepest int

	depth         int
	text, escaped bool // within a string; after a backslash
}

// Add reads the next part of the text.
func (t *Tally) Add(part []byte) {
	for i := 0; i < len(part); i++ {
		if t.text {
			if t.escaped {
				t.escaped = false
				continue
			}
			end := bytes.IndexAny(part[i:], "\"\\")
			if end < 0 {
				return
			}
			i += end
			t.escaped, t.text = part[i] == '\\', part[i] == '\\'
			continue
		}
		switch part[i] {
		case '"':
			t.text = true
		case ',':
			t.Values++
		case '{', '[':
			t.Values++
			t.depth++
			t.Deepest = max(t.Deepest, t.depth)
		case '}', ']':
			t.depth--
		}
	}
}
