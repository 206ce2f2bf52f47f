package diff

import (
	"strings"

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

var onStore = []Surface{storeSurface}

// The effects of a change on a database.
const (
	online = "online" // readers and writers go on
	slow   = "slow"   // every row is read or written
	loses  = "loses"  // values are lost, or rows block it
)

// tableRules are tried on every table.
var tableRules = []rule[tablePair]{
	{
		changeKind{"store-table-removed", Breaking, onStore, "a table has lost its entity: its rows are out of reach, and dropping it loses them", "copy the rows first; if only the entity's name has changed, declare the old name under renamed", loses},
		func(p tablePair) *change { return changed(p.is == nil, "table", "") },
	},
	{
		changeKind{"store-table-renamed", safe, onStore, "a table has another name, as renamed: declares; its rows stay", "no action needed", online},
		when(func(p tablePair) bool { return p.was != nil && p.is != nil }, func(p tablePair) *change {
			return changed(p.was.Key != p.is.Key, p.was.Key, p.is.Key)
		}),
	},
	{
		changeKind{"store-table-added", safe, onStore, "a table is new", "no action needed", online},
		func(p tablePair) *change { return changed(p.was == nil, "", "table") },
	},
}

// columnRules are tried on every column.
var columnRules = []rule[columnPair]{
	{
		changeKind{"store-column-removed", Breaking, onStore, "a column has lost its field: dropping it loses its values", "keep the field, closed in both directions, until the values are not needed; where it has only another name, declare that under renamed", loses},
		func(p columnPair) *change { return changed(p.is == nil, columnText(p.was), "") },
	},
	{
		changeKind{"store-column-required", Breaking, onStore, "a column that is never null is new, and existing rows have no value for it", "let the field be null, give it lifecycle.create: {value: …}, or give the value of existing rows under values", loses},
		func(p columnPair) *change {
			return changed(p.was == nil && p.is.notNull && !p.is.fill && p.values == "", "", columnText(p.is))
		},
	},
	{
		changeKind{"store-column-converted", Breaking, onStore, "a column has another type, and some old values have no form in it", "convert the old values under values, or add a field of another name", loses},
		onBoth(func(p columnPair) *change {
			return changed(p.was.kind != p.is.kind && !keeps[[2]string{p.was.kind, p.is.kind}] && p.values == "", p.was.kind, p.is.kind)
		}),
	},
	{
		changeKind{"store-column-not-null", Breaking, onStore, "a nullable column is never null: rows with null block the change", "give those rows a value first, or say under values which", slow},
		onBoth(func(p columnPair) *change {
			return changed(!p.was.notNull && p.is.notNull && p.values == "", columnText(p.was), columnText(p.is))
		}),
	},
	{
		changeKind{"store-primary-key-changed", Breaking, onStore, "another field is the primary key", "move the rows to a new entity", loses},
		onBoth(func(p columnPair) *change {
			return changed(p.was.primary != p.is.primary, primaryText(p.was), primaryText(p.is))
		}),
	},
	{
		changeKind{"store-reference-changed", Breaking, onStore, "a column references another table: ids without a row there block the change", "add a field of another name", slow},
		onBoth(func(p columnPair) *change {
			return changed(p.is.refs != "" && p.was.refs != p.is.refs, p.was.refs, p.is.refs)
		}),
	},
	{
		changeKind{"store-column-backfilled", Dangerous, onStore, "rows of before get a value that values: declares", "try it with frond migrate plan on a copy of the rows", slow},
		func(p columnPair) *change {
			return changed(p.values != "" && p.is != nil && (p.was == nil || p.was.kind != p.is.kind || !p.was.notNull && p.is.notNull), columnText(p.was), p.values)
		},
	},
	{
		changeKind{"store-check-tightened", Dangerous, onStore, "a column accepts fewer values: a row with another one blocks the change", "correct those rows first", slow},
		onBoth(func(p columnPair) *change {
			return joined(compareValues(p.was.checks, p.is.checks).less)
		}),
	},
	{
		changeKind{"store-on-delete-changed", Dangerous, onStore, "the deletion of a referenced row has another effect", "check who deletes such rows", slow},
		onBoth(func(p columnPair) *change {
			return changed(p.was.refs != "" && p.was.refs == p.is.refs && p.was.onDelete != p.is.onDelete, orRestrict(p.was.onDelete), orRestrict(p.is.onDelete))
		}),
	},
	{
		changeKind{"store-column-widened", Dangerous, onStore, "a column has another type with a form for every old value", "plan for the time that rewriting the table takes", slow},
		onBoth(func(p columnPair) *change {
			return changed(p.was.kind != p.is.kind && keeps[[2]string{p.was.kind, p.is.kind}], p.was.kind, p.is.kind)
		}),
	},
	{
		changeKind{"store-column-renamed", safe, onStore, "a column has another name, as renamed: declares; its values stay", "no action needed", online},
		onBoth(func(p columnPair) *change { return changed(p.was.name != p.is.name, p.was.name, p.is.name) }),
	},
	{
		changeKind{"store-column-added", safe, onStore, "a column is new; old rows have null or the card's constant", "no action needed", online},
		func(p columnPair) *change {
			return changed(p.was == nil && (!p.is.notNull || p.is.fill), "", columnText(p.is))
		},
	},
	{
		changeKind{"store-column-nullable", safe, onStore, "a column may hold null that could not", "no action needed", slow},
		onBoth(func(p columnPair) *change {
			return changed(p.was.notNull && !p.is.notNull, columnText(p.was), columnText(p.is))
		}),
	},
	{
		changeKind{"store-check-loosened", safe, onStore, "a column is held to more values", "no action needed", slow},
		onBoth(func(p columnPair) *change {
			return joined(compareValues(p.was.checks, p.is.checks).more)
		}),
	},
	{
		changeKind{"store-reference-removed", safe, onStore, "a column references no table any more", "no action needed", slow},
		onBoth(func(p columnPair) *change { return changed(p.was.refs != "" && p.is.refs == "", p.was.refs, "") }),
	},
	{
		changeKind{"store-index-changed", safe, onStore, "an index is new or gone", "no action needed; a new index takes a while on a large table", slow},
		onBoth(func(p columnPair) *change {
			return changed(p.was.indexed != p.is.indexed, indexText(p.was), indexText(p.is))
		}),
	},
}

// uniqueRules are tried on every unique constraint of one version that the other has not.
var uniqueRules = []rule[[2]string]{
	{
		changeKind{"store-unique-added", Breaking, onStore, "values have to be unique: rows that share one block the change", "find and change such rows first; frond migrate plan lists them", slow},
		func(p [2]string) *change { return changed(p[1] != "", "", "unique "+p[1]) },
	},
	{
		changeKind{"store-unique-removed", safe, onStore, "values need not be unique any more", "no action needed", online},
		func(p [2]string) *change { return changed(p[0] != "", "unique "+p[0], "") },
	},
}

// onBoth restricts a find to columns that both versions have.
func onBoth(find func(columnPair) *change) func(columnPair) *change {
	return when(func(p columnPair) bool { return p.was != nil && p.is != nil }, find)
}

// columnText is a column in words: text, never null. "" of nil.
func columnText(c *column) string {
	if c == nil {
		return ""
	}
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

// orRestrict is the word for the effect of a deletion.
func orRestrict(word string) string {
	if word == "" {
		return "restrict"
	}
	return strings.TrimSpace(word)
}
