package diff

import (
	"cmp"

	"github.com/frondhost/frond/schema"
)

// kinds names the kinds of values of a column.
var kinds = map[schema.Kind]string{
	schema.KindJSON: "json", schema.KindString: "text", schema.KindInteger: "integer", schema.KindNumber: "number",
	schema.KindBoolean: "boolean", schema.KindDateTime: "date-time", schema.KindDate: "date", schema.KindDecimal: "decimal",
}

// keeps are the conversions between kinds that lose no value.
var keeps = map[[2]string]bool{
	{"date", "text"}: true, {"date-time", "text"}: true, {"decimal", "text"}: true, {"integer", "number"}: true,
}

// The effects of a change on a database.
const (
	online = "online" // readers and writers go on
	slow   = "slow"   // every row is read or written
	loses  = "loses"  // values are lost, or rows block it
)

// tableRules are tried on every table.
var tableRules = []rule[pair[schema.Entity]]{
	{changeKind{"store-table-removed", Breaking, onStore, "a table has lost its entity; dropping it loses its rows", "copy the rows first; if only the entity's name has changed, declare the old name under renamed", loses}, gone(tableText)},
	{changeKind{"store-table-renamed", safe, onStore, "a table has another name, as renamed: declares; its rows stay", noAction, online}, differs(func(e *schema.Entity) string { return e.Key })},
	{changeKind{"store-table-added", safe, onStore, "a table is new", noAction, online}, added(tableText)},
}

func tableText(*schema.Entity) string { return "table" }

// widenFirst is for values that gateways with older cards cannot show to clients of GraphQL.
const widenFirst = "no action needed before; write such values once every gateway has the new cards"

// columnRules are tried on every column.
var columnRules = []rule[pair[column]]{
	{changeKind{"store-column-removed", Breaking, onStore, "a column has lost its field; dropping it loses its values", "keep the field, closed in both directions, until the values are not needed; where it has only another name, declare that under renamed", loses}, gone(columnText)},
	{changeKind{"store-column-required", Breaking, onStore, "a column that is never null is new, without a value for existing rows", "let the field be null, give it lifecycle.create: {value: …}, or give the value of existing rows under values", loses}, addedIf(func(c *column) bool { return c.notNull && !c.fill && c.values == "" }, columnText)},
	{changeKind{"store-column-converted", Breaking, onStore, "a column has another type, and some old values have no form in it", "convert the old values under values, or add a field of another name", loses}, turned(func(was, is *column) bool {
		return was.kind != is.kind && !keeps[[2]string{was.kind, is.kind}] && is.values == ""
	}, valuesText)},
	{changeKind{"store-column-not-null", Breaking, onStore, "a column becomes never null: rows with null block the change", "give those rows a value first, or say under values which", slow}, turned(func(was, is *column) bool { return !was.notNull && is.notNull && is.values == "" }, columnText)},
	{changeKind{"store-primary-key-changed", Breaking, onStore, "another field is the primary key", "move the rows to a new entity", loses}, differs(primaryText)},
	{changeKind{"store-reference-changed", Breaking, onStore, "a column references another table: ids without a row block the change", "add a field of another name", slow}, turned(func(was, is *column) bool { return is.refs != "" && was.refs != is.refs }, referenceText)},
	{changeKind{"store-column-backfilled", Dangerous, onStore, "rows of before get a value that values: declares", "try it with frond migrate plan on a copy of the rows", slow}, backfilled},
	{changeKind{"store-check-tightened", Dangerous, onStore, "a column accepts fewer values: a row with another one blocks the change", "correct those rows first", slow}, both(func(was, is *column) *change { return joined(compareValues(was.checks, is.checks).less) })},
	{changeKind{"store-on-delete-changed", Dangerous, onStore, "the deletion of a referenced row has another effect", "check who deletes such rows", slow}, turned(func(was, is *column) bool {
		return was.refs != "" && was.refs == is.refs && was.onDelete != is.onDelete
	}, func(c *column) string { return cmp.Or(c.onDelete, "restrict") })},
	{changeKind{"store-column-widened", Dangerous, onStore, "a column has another type with a form for every old value", "plan for the time that rewriting the table takes", slow}, turned(func(was, is *column) bool { return was.kind != is.kind && keeps[[2]string{was.kind, is.kind}] }, valuesText)},
	{changeKind{"store-column-renamed", safe, onStore, "a column has another name, as renamed: declares; its values stay", noAction, online}, differs(func(c *column) string { return c.name })},
	{changeKind{"store-column-added", safe, onStore, "a column is new; old rows have null or the card's constant", noAction, online}, addedIf(func(c *column) bool { return !c.notNull || c.fill }, columnText)},
	{changeKind{"store-column-nullable", safe, onStore, "a column may hold null now", widenFirst, slow}, turned(func(was, is *column) bool { return was.notNull && !is.notNull }, columnText)},
	{changeKind{"store-check-loosened", safe, onStore, "a column accepts more values", widenFirst, slow}, both(func(was, is *column) *change { return joined(compareValues(was.checks, is.checks).more) })},
	{changeKind{"store-reference-removed", safe, onStore, "a column no longer references a table", noAction, slow}, turned(func(was, is *column) bool { return was.refs != "" && is.refs == "" }, referenceText)},
	{changeKind{"store-index-changed", safe, onStore, "an index is new or gone", "no action needed; a new index takes a while on a large table", slow}, differs(indexText)},
}

// uniqueRules are tried on every unique constraint of one version that the other has not.
var uniqueRules = []rule[pair[string]]{
	{changeKind{"store-unique-added", Breaking, onStore, "values have to be unique: rows that share one block the change", "find and change such rows first; frond migrate plan lists them", slow}, added(uniqueText)},
	{changeKind{"store-unique-removed", safe, onStore, "values need not be unique", noAction, online}, gone(uniqueText)},
}

func uniqueText(members *string) string { return "unique " + *members }

// backfilled finds a column whose old rows get a value of values.
func backfilled(p pair[column]) *change {
	switch {
	case p.is == nil || p.is.values == "":
		return nil
	case p.was == nil:
		return &change{"", p.is.values}
	}
	return changed(p.was.kind != p.is.kind || !p.was.notNull && p.is.notNull, columnText(p.was), p.is.values)
}

func valuesText(c *column) string { return c.kind }

func referenceText(c *column) string { return c.refs }

// columnText is a column in words: text, never null.
func columnText(c *column) string {
	if c.notNull {
		return c.kind + ", never null"
	}
	return c.kind
}

// primaryText says whether a column is the primary key.
func primaryText(c *column) string {
	if c.primary {
		return "primary key"
	}
	return "no primary key"
}

// indexText says whether a column is indexed.
func indexText(c *column) string {
	if c.indexed {
		return "index"
	}
	return "no index"
}
