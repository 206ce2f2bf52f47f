package expression

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Formula is a computed field whose value an expression gives.
type Formula struct {
	*Expr
	Shape schema.Shape
}

// Run evaluates the expression for every row.
func (f *Formula) Run(ctx context.Context, all []rows.Row) (out []json.RawMessage, err error) {
	out = make([]json.RawMessage, len(all))
	given := make(map[string]any, len(f.Names))
	for i, row := range all {
		if i%64 == 63 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if out[i], err = f.Of(given, row.Get); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fit is the result of the expression as JSON of the declared type, or an error.
func (f *Formula) fit(value any) (json.RawMessage, error) {
	if value == nil {
		if f.Shape.Nullable {
			return json.RawMessage("null"), nil
		}
		return nil, fmt.Errorf("%s: it gave nothing where a value of type %s is declared", f.Text, f.Shape.Type)
	}
	if n, is := value.(float64); is && (math.IsNaN(n) || math.IsInf(n, 0)) {
		return nil, fmt.Errorf("%s: it gave %v, which is no number in JSON", f.Text, n)
	}
	text, err := jsontext.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Text, err)
	}
	gave := jsonKind(text)
	if f.Shape.Type != "" && gave != f.Shape.Type && !(gave == "integer" && f.Shape.Type == "number") {
		return nil, fmt.Errorf("%s: it gave a value of type %s where %s is declared", f.Text, cmp.Or(gave, "null"), f.Shape.Type)
	}
	if gave == "integer" {
		if n, _ := schema.Integer(text); f.Shape.Type == "integer" {
			text = fmt.Appendf(nil, "%d", n) // 3.0 is 3
		}
	}
	return text, nil
}

// jsonKind is the JSON Schema type of a text.
func jsonKind(text json.RawMessage) string {
	switch jsontext.KindOf(text) {
	case jsontext.String:
		return "string"
	case jsontext.True, jsontext.False:
		return "boolean"
	case jsontext.Array:
		return "array"
	case jsontext.Object:
		return "object"
	case jsontext.Number:
		if _, whole := schema.Integer(text); whole {
			return "integer"
		}
		return "number"
	}
	return ""
}

// Of evaluates the expression for one row; values is a buffer for the inputs. A row that lacks
// one of the inputs gets null where the expression cannot make anything of it; in any other row a
// failure is an error.
func (f *Formula) Of(values map[string]any, field func(name string) json.RawMessage) (json.RawMessage, error) {
	missing := false
	for _, name := range f.Names {
		value, err := plain(field(name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		values[name] = value
		missing = missing || value == nil
	}
	value, err := f.Expr.Run(values)
	if err == nil {
		var text json.RawMessage
		if text, err = f.fit(value); err == nil {
			return text, nil
		}
	}
	if missing {
		return json.RawMessage("null"), nil // nothing can be made of nothing
	}
	return nil, err
}
