package facade

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// Precondition is what has to hold of the row that an update or a delete is about.
// A version is the text that [catalog.ETag] gives, or that of a REST ETag, in its quotes or without
// them; "*" is any.
type Precondition struct {
	Match     []string // the row's version is among them; nil: whatever it is
	NoneMatch []string // the row's version is not among them
}

// IfMatch is the precondition that the row is still one of these versions.
func IfMatch(versions ...string) *Precondition {
	return &Precondition{Match: append([]string{}, versions...)}
}

// holds reports whether the precondition holds for a row of this version.
func (p *Precondition) holds(version string) bool {
	among := func(list []string) bool {
		return slices.ContainsFunc(list, func(v string) bool {
			v, _, _ = strings.Cut(unquoted(v), ".") // behind a dot an ETag goes on with what is computed
			return v == "*" || v == version && v != ""
		})
	}
	return (p.Match == nil || among(p.Match)) && !among(p.NoneMatch)
}

// unquoted is a version without the quotes of a REST ETag. No version has quotes of its own.
func unquoted(version string) string {
	if text, ok := strings.CutPrefix(version, `"`); ok {
		if text, ok = strings.CutSuffix(text, `"`); ok {
			return text
		}
	}
	return version
}

// any reports whether the precondition holds for every row, whatever its version.
func (p *Precondition) any() bool {
	return len(p.NoneMatch) == 0 && (p.Match == nil || slices.Contains(p.Match, "*"))
}

// matchJSON is Match as query.ifMatch has it.
func (p *Precondition) matchJSON() json.RawMessage {
	var versions []string
	for _, v := range p.Match {
		versions = append(versions, unquoted(v))
	}
	if len(versions) == 1 {
		return jsontext.Quote(versions[0])
	}
	return jsontext.AppendStrings(nil, versions)
}
