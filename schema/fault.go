package schema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Fault is one mistake in a file that an author wrote: a card, a frond.yaml, a gateway.yaml. It
// fails the start; it is never sent to a caller.
//
//	fronds/catalog/entities/product.yaml#/properties/price/type: this is not a type; write number
type Fault struct {
	File    string `json:"file,omitempty"`    // as the author would name it: fronds/catalog/entities/product.yaml
	Pointer string `json:"pointer,omitempty"` // RFC 6901 into that file; "" for the file itself
	Message string `json:"message"`           // the problem, in one sentence
	Remedy  string `json:"remedy,omitempty"`  // the text to write instead
}

// TwoOwners is the part of a fault's message that reports a name claimed by two sources. Other
// packages write it in their messages, so that [Claims] recognises those too.
const TwoOwners = "has two owners"

// Claims says whether err, or an error in its chain, is Faults of which one is about a name
// with [TwoOwners].
func Claims(err error) bool {
	var faults Faults
	return errors.As(err, &faults) && slices.ContainsFunc(faults, func(f Fault) bool { return strings.Contains(f.Message, " "+TwoOwners+": ") })
}

// Error returns the fault on one line: file#pointer: message; remedy. Parts that are empty are
// left out.
func (f Fault) Error() string {
	var b strings.Builder
	if b.WriteString(f.File); f.Pointer != "" {
		fmt.Fprintf(&b, "#%s", f.Pointer)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	if f.Remedy != "" {
		fmt.Fprintf(&b, "; %s", f.Remedy)
	}
	return b.String()
}

// Faults are all the faults of a set of files. [Compile] returns them in the order of file and
// pointer, without duplicates; readers of one file in the order of the text. Errors that are
// Faults are found by errors.As.
type Faults []Fault

// Error lists every fault, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns f, or nil if f is empty: an empty Faults as an error would not equal nil.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// MaxNames is the number of names that a message lists at most.
const MaxNames = 20

// maxLetters is the number of bytes that a message repeats of a name that a caller sent.
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

// DidYouMean begins a remedy with the known name that was probably meant: "did you mean eq? ". It is "" if no
// name is near.
func DidYouMean(name string, known []string) string {
	if meant := near(name, known); meant != "" {
		return "did you mean " + meant + "? "
	}
	return ""
}

// Instead ends a message about a name that does not exist with the names that do. With
// suggest it asks about the one that was probably meant.
func Instead(name string, names []string, suggest bool) string {
	if len(names) == 0 {
		return "; there is nothing"
	}
	var b strings.Builder
	if meant := near(name, names); suggest && meant != "" {
		b.WriteString("; did you mean " + meant + "?")
	}
	b.WriteString("; there is ")
	b.WriteString(strings.Join(names[:min(len(names), MaxNames)], ", "))
	if more := len(names) - MaxNames; more > 0 {
		b.WriteString(", …")
	}
	return b.String()
}

// near returns the word of known that needs the fewest letters added, left out, changed or
// swapped to become word, or "". It accepts two changes, and one where word has five letters or
// fewer. Case, hyphens and the like are free. It suggests a known word of three letters or
// fewer for another spelling of it alone: every short word is near to them.
//
//	maxLenght   maxLength
//	max_length  maxLength
func near(word string, known []string) string {
	word = bare(word)
	best, least := "", 1
	if len(word) > 5 {
		least = 2
	}
	for _, k := range known {
		if b := bare(k); len(b) > 3 || b == word {
			if d := distance(word, b); d < least || d == least && best == "" {
				best, least = k, d
			}
		}
	}
	return best
}

// bareWord removes the characters that bare ignores.
var bareWord = strings.NewReplacer("-", "", "_", "", "$", "", " ", "")

// bare returns a word without case, hyphens, underscores, spaces and dollars, in which
// spellings differ.
func bare(s string) string { return bareWord.Replace(strings.ToLower(s)) }

// distance returns the number of letters added, left out, changed or swapped with the next one
// between two words (optimal string alignment). Words whose lengths differ by more than two are
// 3 apart, with any letters. Three rows of the table are kept: a swap looks back two.
func distance(a, b string) int {
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return 3
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, up, above := rows[i%3], rows[(i+2)%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(up[j]+1, row[j-1]+1, up[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], above[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}

// sortedKeys returns the keys of a map in order, so that messages are always the same.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
