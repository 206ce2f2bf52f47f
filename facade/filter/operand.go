package filter

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Operand converts a text to the value that [Filter] holds as an operand of op on a field. A
// value that the enum of the field does not have is refused for eq, ne, in and notIn
// (docs/decisions/filters-and-paging.md); a part of a text, or a bound, need not be one of its values. Why is
// what to send instead, as the end of a sentence that begins with the name, else "":
//
//	must be one of draft, published
func Operand(p *schema.Property, op Op, text json.RawMessage) (value any, why string) {
	value, why = rows.Value(p.Kind, text)
	if why != "" {
		return nil, "must be " + why
	}
	if s, ok := value.(string); ok && p.Shape.Enum != nil && (op == Eq || op == Ne || op == In || op == NotIn) {
		var known []string
		for _, e := range p.Shape.Enum {
			if jsontext.KindOf(e) == jsontext.String {
				if known = append(known, jsontext.Unquote(e)); known[len(known)-1] == s {
					return value, ""
				}
			}
		}
		return nil, "must be one of " + strings.Join(known, ", ")
	}
	return value, ""
}
