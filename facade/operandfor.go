package facade

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// operandFor is operand for a field: a value the field's enum does not know is refused too.
func operandFor(p *schema.Property, op Op, text json.RawMessage) (any, string) {
	value, why := rows.Value(p.Kind, text)
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
