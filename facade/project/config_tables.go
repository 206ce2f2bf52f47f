package project

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Table is the entry of an entity under tables: where its rows are in a database that was there
// before the cards.
//
//	orderDetail: {table: order_details, key: [orderId, productId], columns: {unitPrice: unit_price}}
type Table struct {
	Entity, At string
	schema.Table
}

// tableKeys are the keys of an entry, from the table in keys.go.
var tableKeys = schema.KeyNames(schema.Below(frondKeys, "tables", "*"))

// tables reads tables. An absent name is the entity's own in lower case, as in tables that this
// program makes.
func (r *configReader) tables(value json.RawMessage, at string) (tables []Table) {
	r.object(value, at, "tables", nil, func(name, at string, value json.RawMessage) {
		t := Table{Entity: name, At: at}
		t.Name = schema.EntityKey(name)
		if slices.ContainsFunc(tables, func(o Table) bool { return strings.EqualFold(o.Entity, name) }) {
			r.fault(at, fmt.Sprintf("the table of %s is written twice", name), "write it once")
		}
		r.object(value, at, "a table", tableKeys, func(name, at string, value json.RawMessage) {
			switch name {
			case "table":
				t.Name = r.identifier(value, at)
			case "schema":
				t.Schema = r.identifier(value, at)
			case "key":
				t.Key = r.names(value, at, "key: [orderId, productId]")
				if len(t.Key) == 1 {
					r.fault(at, "a key of one field is that field", "mark it with role.primary in the card, and leave key out")
				}
			case "references":
				t.References = map[string][]string{}
				r.object(value, at, "references", nil, func(field, at string, value json.RawMessage) {
					t.References[field] = r.names(value, at, "references: {orderDetailId: [orderId, productId]}")
				})
			case "columns":
				t.Columns = map[string]string{}
				taken := map[string]string{}
				r.object(value, at, "columns", nil, func(field, at string, value json.RawMessage) {
					column := r.identifier(value, at)
					if other, twice := taken[column]; twice && column != "" {
						r.fault(at, fmt.Sprintf("the column %s is that of two fields, %s and %s", column, other, field), "give each field a column of its own")
					}
					t.Columns[field], taken[column] = column, field
				})
			}
		})
		tables = append(tables, t)
	})
	return tables
}

// identifier reads a name of a database: any text but "", and without U+0000, which no database
// takes.
func (r *configReader) identifier(value json.RawMessage, at string) string {
	if jsontext.KindOf(value) != jsontext.String {
		return r.string(value, at)
	}
	name := jsontext.Unquote(value)
	if name == "" || strings.ContainsRune(name, 0) {
		r.fault(at, fmt.Sprintf("%q cannot be a name in a database", name), "write it as the database spells it: order_details")
	}
	return name
}
