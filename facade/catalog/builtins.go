package catalog

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/schema"
)

// Builtin is a built-in operation of doors with rows.
type Builtin struct {
	Name        string
	Kind        Kind
	Cardinality Cardinality
	Description string
	Input       bool // it takes a row as its body
	Patch       bool // the row is a patch
	// Needs are the operations whose rights it needs. A command that has some writes many rows, and
	// frond.yaml opens it.
	Needs []string
}

// IsMany reports whether the operation writes many rows.
func (b *Builtin) IsMany() bool { return len(b.Needs) > 0 && b.Kind == Command }

// Aggregate is the name of the operation that groups rows.
const Aggregate = "aggregate"

// Builtins are the built-in operations, in the order a door lists them.
var Builtins = []*Builtin{
	{"list", Query, PageOf, "Lists rows: filtered, sorted, one page at a time.", false, false, nil},
	{"findById", Query, Maybe, "Returns the row with this id, or null.", false, false, nil},
	{"findByIds", Query, Many, "Returns the rows with these ids, in the order of the ids. Unknown ids are left out.", false, false, nil},
	{Aggregate, Query, NoOutput, "Groups rows, and answers numbers about each group: its count, and sums, averages, least and greatest values of its fields.", false, false, []string{"list"}},
	{"create", Command, One, "Creates a row and returns it.", true, false, nil},
	{"update", Command, One, "Updates the row with this id and returns it. Fields that are left out keep their values, null clears a field, nested objects are merged.", true, true, nil},
	{"delete", Command, NoOutput, "Deletes the row with this id. Returns whether it existed.", false, false, nil},
	{"createMany", Command, Many, "Creates all rows of a list, or none, and returns them.", true, false, []string{"create"}},
	{"updateMany", Command, Many, "Updates every row that meets the condition, or none. Returns their number.", true, true, []string{"update"}},
	{"deleteMany", Command, Many, "Deletes every row that meets the condition, or none. Returns their number.", false, false, []string{"delete"}},
	{"upsert", Command, One, "Updates the row with this key, or creates it. Returns the row and whether it was created.", true, false, []string{"create", "update"}},
	{"import", Command, NoOutput, "Updates the rows of a list by their key, or creates them. Returns how many, and the faults of those it leaves out.", true, false, []string{"create", "update"}},
}

// BuiltinNamed is the built-in operation of that name, or nil.
func BuiltinNamed(name string) *Builtin {
	if i := slices.IndexFunc(Builtins, func(b *Builtin) bool { return b.Name == name }); i >= 0 {
		return Builtins[i]
	}
	return nil
}

// BuiltinNames lists them, for messages.
func BuiltinNames() string {
	var names []string
	for _, x := range Builtins {
		if !x.IsMany() {
			names = append(names, x.Name)
		}
	}
	return strings.Join(names, ", ")
}

// BuiltinDescription returns the default description of a built-in operation;
// "" for a name that is no built-in operation. It names no entity: a surface that
// knows a better sentence may replace exactly this one.
func BuiltinDescription(operation string) string {
	if b := BuiltinNamed(operation); b != nil {
		return b.Description
	}
	return ""
}

// MaxIDs is how many ids findByIds takes (docs/calls.md).
const MaxIDs = 500

// RowKeys are the keys of the query of operations on rows by their ids.
var RowKeys = map[string][]string{
	"findById": {"fields"}, "findByIds": {"ids", "fields"}, "create": {"fields"}, "update": {"ifMatch", "where", "fields"}, "delete": {"ifMatch", "where"},
	"createMany": {"fields"}, "updateMany": {"where", "max", "fields"}, "deleteMany": {"where", "max", "fields"}, "upsert": {"by", "fields"},
	"import": {"by", "dryRun", "faults", "columns"},
}

// listKeys are the keys of list's query.
var listKeys = []string{"filter", "sort", "limit", "after", "before", "backward", "offset", "fields", "total", "count", "cursors"}

// SearchKey is the key of the query of list and aggregate that has words to search rows for.
const SearchKey = "search"

// searchKeys are listKeys where the rows are searched.
var searchKeys = append(slices.Clip(listKeys), SearchKey)

// readers are the words a reading operation's name begins with (spec 4.2.4,
// docs/calls.md).
var readers = []string{"list", "find", "get", "search", "count", "exists", "stats"}

// KindOf is the kind an operation's name says: query if it begins with a word for reading,
// command for all others. The word has to end there: listAll reads, listen does not.
func KindOf(name string) Kind {
	for _, word := range readers {
		rest, ok := strings.CutPrefix(name, word)
		if !ok {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLower(next) {
			return Query
		}
	}
	return Command
}

// StoredFields lists the fields of an entity that a store keeps.
func StoredFields(e *schema.Entity) (names []string) {
	for _, p := range e.Fields {
		if p.Stored {
			names = append(names, p.Name)
		}
	}
	return names
}

// ETag is the name by which the version of a row is selected among its fields, unless a field
// of its card has that name: fields=id,title,etag. A row has it only if fields name it.
const ETag = "etag"

// AllFields means every field that the caller may read in a list of fields:
// fields=*,etag is a whole row with its version.
const AllFields = "*"
