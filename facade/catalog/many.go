package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The bounds of writes of many rows and calls.
const (
	MaxCreateMany = 1000   // rows of createMany, and of a batch of import
	MaxMany       = 10_000 // the largest max of updateMany and deleteMany
	UsualMany     = 100    // their max where none is sent
	UsualFaults   = 100    // the faulty rows after which an import ends, where no number is sent
)

// IsMany reports whether the operation is a built-in one that writes many rows.
func (op *Operation) IsMany() bool { return op.Derived() && op.Kind == Command }

// Derived reports whether the operation has only the rights of other operations.
func (op *Operation) Derived() bool { return len(op.Needs) > 0 }

// Aggregates reports whether the operation is the built-in one that groups rows.
func (op *Operation) Aggregates() bool { return op.Derived() && op.Kind == Query }

// mode is the mode of the operation in discovery.
func (op *Operation) mode() string {
	if op.IsMany() {
		return project.ManyModes[op.Name]
	}
	if op.Aggregates() {
		return project.GroupsMode
	}
	if op.Patch {
		return "patch"
	}
	return ""
}

// manyQuery is a key of the query of the operations that write many rows; ok is false for any
// other key.
func manyQuery(op, name string) (f schema.Field, ok bool) {
	f.Name = name
	switch {
	case name == "where" && project.ManyModes[op] == "where":
		f.Shape = schema.Shape{Type: "object", Description: "The condition on the rows, in the form of the filter of list. It must not be empty."}
	case name == "max":
		f.Shape = schema.Shape{
			Type: "integer", Extra: append(Keywords("minimum", 1), append(Keywords("maximum", MaxMany), Keywords("default", UsualMany)...)...),
			Description: fmt.Sprintf("The largest number of rows. If more rows meet the condition, the call fails with UNPROCESSABLE_ENTITY and writes nothing; %d unless sent.", UsualMany),
		}
	case name == "by":
		f.Shape = schema.Shape{
			Description: "The unique key of the row: the name of a field, or the names of a compound key.",
			Extra:       schema.Keywords{{Name: "type", Value: json.RawMessage(`["string","array"]`)}},
		}
	case name == "dryRun":
		f.Shape = schema.Shape{Type: "boolean", Description: "Whether the rows are judged and written, and then undone."}
	case name == "faults":
		f.Shape = schema.Shape{
			Type: "integer", Extra: append(Keywords("minimum", 1), Keywords("default", UsualFaults)...),
			Description: fmt.Sprintf("The number of faulty rows after which the import ends; %d unless sent.", UsualFaults),
		}
	case name == "columns":
		f.Shape = schema.Shape{
			Description: "Names of fields that rows have. A name that a row cannot have fails the call.",
			Extra:       schema.Keywords{{Name: "type", Value: json.RawMessage(`["string","array"]`)}},
		}
	default:
		return f, false
	}
	return f, true
}

// UniqueKeys are the keys that a row may be known by: its primary key, then the unique ones.
func UniqueKeys(e *schema.Entity) [][]*schema.Property {
	return append([][]*schema.Property{{e.Primary}}, e.Uniques...)
}

// KeyName is the name of a unique key where a name is one word: LIST_ID_POSITION of listId and
// position.
func KeyName(key []*schema.Property) string {
	var b strings.Builder
	for i, p := range key {
		if i > 0 {
			b.WriteByte('_')
		}
		b.WriteString(strings.ReplaceAll(schema.Kebab(p.Name), "-", "_"))
	}
	return strings.ToUpper(b.String())
}

// NamesOf are the names of fields, such as the fields of a unique key.
func NamesOf(fields []*schema.Property) []string {
	names := make([]string, len(fields))
	for i, p := range fields {
		names[i] = p.Name
	}
	return names
}

// KeyNamed returns the one of keys that by names, or nil. by is query.by: the fields of the key in any
// order, as a text with commas or a list, or its [KeyName].
func KeyNamed(keys [][]*schema.Property, by json.RawMessage) []*schema.Property {
	var names []string
	switch jsontext.KindOf(by) {
	case jsontext.String:
		for name := range strings.SplitSeq(jsontext.Unquote(by), ",") {
			names = append(names, strings.TrimSpace(name))
		}
	case jsontext.Array:
		for _, item := range jsontext.Elements(by) {
			names = append(names, jsontext.Unquote(item))
		}
	}
	slices.Sort(names)
	for _, key := range keys {
		members := NamesOf(key)
		slices.Sort(members)
		if slices.Equal(members, names) || len(names) == 1 && names[0] == KeyName(key) {
			return key
		}
	}
	return nil
}
