package compile_test

import (
	"strings"
	"testing"
)

// line is a card whose rows are in another program's table, with a key of two columns.
const line = `
properties:
  id: {type: string, x-kit: {role: {primary: true}, boundary: {in: closed}}}
  orderId: {type: integer}
  productId: {type: integer}
  rate: {type: number}
`

// TestTablesOfAnotherProgram holds what tables of a frond.yaml become, and what is wrong with
// them.
func TestTablesOfAnotherProgram(t *testing.T) {
	for config, want := range map[string]string{
		"tables: {line: {table: Order Details, key: [orderId, productId], columns: {orderId: OrderID}}}": "",
		"tables: {LINE: {}}":                               "",
		"tables: {lime: {}}":                               "tables names lime, which is no entity of this Frond",
		"tables: {line: {columns: {order: x}}}":            "line has no field order with a column",
		"tables: {line: {columns: {orderId: ''}}}":         `"" cannot be a name in a database`,
		"tables: {line: {columns: {rate: a, orderId: a}}}": "the column a is that of two fields",
		"tables: {line: {tabel: x}}":                       "a table has no key tabel",
		"tables: {line: {}, Line: {}}":                     "the table of Line is written twice",
		"tables: {line: {key: [orderId]}}":                 "a key of one field is that field",
		"tables: {line: {key: [orderId, orderId]}}":        "the key names orderId twice",
		"tables: {line: {key: [orderId, id]}}":             `"id" is no field of line that a key can be made of`,
		"tables: {line: {key: [orderId, rate]}}":           "a key cannot be made of rate",
	} {
		_, err := compiled(t, map[string]string{"entities/line.yaml": line, "frond.yaml": config})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", config, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", config, err, want)
		}
	}
	const note = `{properties: {id: {type: integer, x-kit: {role: {primary: true}}}, orderId: {type: integer}, productId: {type: integer}, word: {type: string},
		lineId: {type: [string, 'null'], x-kit: {role: {relation: {to: line, kind: one}}, boundary: {in: closed}}}}}`
	for references, want := range map[string]string{
		"lineId: [orderId, productId]": "",
		"line: [orderId, productId]":   `"line" is no field of note with a relation to one row`,
		"word: [orderId, productId]":   `"word" is no field of note with a relation to one row`,
		"lineId: [orderId]":            "lineId leads to line, whose key is not made of 1 fields",
		"lineId: [orderId, lineId]":    `"lineId" is no field of note with a column`,
		"lineId: [orderId, word]":      "word and line.productId are of different types",
	} {
		config := "tables: {line: {key: [orderId, productId]}, note: {references: {" + references + "}}}"
		_, err := compiled(t, map[string]string{"entities/line.yaml": line, "entities/note.yaml": note, "frond.yaml": config})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", references, err, want)
		}
	}
	open := strings.Replace(note, ", boundary: {in: closed}", "", 1)
	if _, err := compiled(t, map[string]string{"entities/line.yaml": line, "entities/note.yaml": open, "frond.yaml": "tables: {line: {key: [orderId, productId]}, note: {references: {lineId: [orderId, productId]}}}"}); err == nil || !strings.Contains(err.Error(), "lineId is made of orderId, productId") {
		t.Error(err)
	}
	sent := strings.Replace(line, ", boundary: {in: closed}", "", 1)
	if _, err := compiled(t, map[string]string{"entities/line.yaml": sent, "frond.yaml": "tables: {line: {key: [orderId, productId]}}"}); err == nil || !strings.Contains(err.Error(), "id is made of orderId, productId") {
		t.Error(err)
	}
	if _, err := compiled(t, map[string]string{"entities/line.yaml": line, "frond.yaml": "tables: {line: {}}", "seeds/line.yaml": "[]"}); err == nil || !strings.Contains(err.Error(), "the rows of line are in a table of another program") {
		t.Error(err)
	}
	f, err := compiled(t, map[string]string{"entities/line.yaml": line, "frond.yaml": "tables: {line: {table: Order Details, schema: s, columns: {orderId: OrderID}}}"})
	if err != nil {
		t.Fatal(err)
	}
	if is := f.Catalog.Set.Entity("line").Table; is.Name != "Order Details" || is.Schema != "s" || is.Column("orderId") != "OrderID" || is.Column("rate") != "rate" {
		t.Errorf("%+v", is)
	}
}
