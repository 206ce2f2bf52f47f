package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// Rights is the change of the rights of a caller on a door.
type Rights struct {
	Caller     string           `json:"caller"`
	Door       string           `json:"door"`
	Rows       RowsEffect       `json:"rows"`
	Fields     []FieldEffect    `json:"fields"`
	Operations OperationsEffect `json:"operations"`
}

// RowsEffect counts the rows that the caller's list gains and loses. Examples are keys of both.
type RowsEffect struct {
	Gained   int64        `json:"gained"`
	Lost     int64        `json:"lost"`
	Examples ExampleTexts `json:"examples"`
}

// ExampleTexts are keys of some gained and some lost rows.
type ExampleTexts struct {
	Gained []string `json:"gained"`
	Lost   []string `json:"lost"`
}

// FieldEffect is a field that the caller gains or loses on rows that both versions show.
type FieldEffect struct {
	Field  string `json:"field"`
	Rows   int64  `json:"rows"`
	Gained bool   `json:"gained"`
}

// OperationsEffect has the operations that the caller gains and loses.
type OperationsEffect struct {
	Gained []string `json:"gained"`
	Lost   []string `json:"lost"`
}

func (e *Rights) gains() bool {
	return e.Rows.Gained > 0 || len(e.Operations.Gained) > 0 || slices.ContainsFunc(e.Fields, func(f FieldEffect) bool { return f.Gained })
}

// text describes the change: gains 3 orders (o-1, o-7, o-9) and the field iban on 17,300 orders; loses order.delete.
func (e *Rights) text() string {
	var out []string
	for _, gained := range []bool{true, false} {
		verb, n, keys, operations := "loses ", e.Rows.Lost, e.Rows.Examples.Lost, e.Operations.Lost
		if gained {
			verb, n, keys, operations = "gains ", e.Rows.Gained, e.Rows.Examples.Gained, e.Operations.Gained
		}
		var parts []string
		if n > 0 {
			more := map[bool]string{true: ", …"}[int64(len(keys)) < n]
			parts = append(parts, fmt.Sprintf("%s (%s%s)", counting(n, e.Door), strings.Join(keys, ", "), more))
		}
		for _, f := range e.Fields {
			if f.Gained == gained {
				parts = append(parts, "the field "+f.Field+" on "+counting(f.Rows, e.Door))
			}
		}
		for _, op := range operations {
			parts = append(parts, e.Door+"."+op)
		}
		if len(parts) > 1 {
			parts = append(parts[:len(parts)-2], parts[len(parts)-2]+" and "+parts[len(parts)-1])
		}
		if len(parts) > 0 {
			out = append(out, verb+strings.Join(parts, ", "))
		}
	}
	return strings.Join(out, "; ")
}

// counting is a number of rows: 1,204 invoices.
func counting(n int64, door string) string {
	if n == 1 {
		return "1 " + door
	}
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text + " " + schema.Plural(door)
}
