package contract

import (
	"fmt"
	"strings"
)

// factTable is the client's data about each fact; "" without facts.
//
//	{"orderPlaced": {"door": "order", "changes": "/api/sales/facts/orderPlaced", "key": "id", "big": ["weight"]}}
func (m *Model) factTable() (string, error) {
	if m.Facts == nil {
		return "", nil
	}
	var all record
	for _, f := range m.Facts {
		var o record
		o.text("door", f.Door)
		o.text("changes", f.Path)
		if f.Key != nil {
			o.text("key", f.Key.Name)
		}
		o.texts("big", f.Big)
		all.object(f.Name, o)
	}
	return all.script()
}

// tsFacts is the member facts of a client; "" without facts. A fact whose card is known has a
// second signature, by which the type of the data follows from the fields.
//
//	readonly facts: {
//	  orderPlaced(query?: ChangesQuery<OrderFilter> & Whole): AsyncIterable<FactEvent<Order>>;
//	};
func (m *Model) tsFacts() string {
	if m.Facts == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("  /** Events of the facts as they happen, begun again where the connection is lost. */\n  readonly facts: {\n")
	for _, f := range m.Facts {
		name, key := tsMethod(f.Name), ""
		if f.Key != nil {
			key = ", " + tsType(f.Key.Type)
		}
		if f.Data == nil {
			fmt.Fprintf(&b, "    %s(query?: Omit<ChangesQuery<never>, \"filter\">): AsyncIterable<FactEvent<unknown%s>>;\n", name, key)
			continue
		}
		row, query := tsType(*f.Data), "ChangesQuery<"+f.Filter.Name+">"
		of := rowForms{param: "query", options: query, row: row}
		for _, form := range of.forms(func(row string) string { return "AsyncIterable<FactEvent<" + row + key + ">>" }) {
			fmt.Fprintf(&b, "    %s%s: %s;\n", name, form.takes, form.gives)
		}
	}
	b.WriteString("  };\n")
	return b.String()
}
