package sqltext

import (
	"time"

	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
)

// Database is what statements are written for: its dialect, and where its tables are found. It
// is made once for a store, is not changed afterwards, and may be used from many goroutines.
type Database struct {
	Dialect Dialect
	// Words are the fixed parts in which databases differ.
	Words Words
	// Table returns the table of an entity; its error is the statement's.
	Table func(e *schema.Entity) (*Table, error)
}

// Words are the fixed parts of statements in which databases differ.
type Words struct {
	True, False string
	// NullsFirst and NullsLast follow an ascending and a descending key of an order that may be
	// null, so that null is the smallest value (docs/decisions/filters-and-paging.md); "" where
	// that is the default.
	NullsFirst, NullsLast string
	// Bound follows a bound number of rows. SQLite plans by the number that it finds there, and would
	// prepare the statement again for each other number; an expression hides it.
	Bound string
	// Apart ends a table within a statement that does not become a part of it.
	Apart string
	// SearchApart says that the rows of a search are found before they are sorted. A planner that takes the
	// words of a row for cheap would walk along the order, and make the words of every row that it meets.
	SearchApart bool
	// RankFinds says that [Dialect.Ranked] leaves out the rows that the search does not find.
	RankFinds bool
	// Lateral says that a joined subquery may use the columns of the tables before it.
	Lateral bool
	// Cross joins the rows of a list of ids to the list.
	Cross string
	// Lookups says that conditions on a relation are always written as EXISTS, because the database
	// decides by itself whether it looks them up or collects them once.
	Lookups bool
	// MaxValues is how many values one statement takes; MaxJoins is how many relations are
	// joined. A planner takes long for many joins; the others are written as EXISTS.
	MaxValues, MaxJoins int
}

// Dialect writes what databases have different syntax for. Its methods append to the builder
// they are given, and are called from many goroutines. Operands have passed [filter.Operand]; the
// columns are under alias.
type Dialect interface {
	// Placeholder appends the place of value n of the statement, counted from 1: ? or $1.
	Placeholder(sql []byte, n int) []byte
	// Compare writes a comparison for one of Eq, Ne, Lt, Lte, Gt and Gte. Ne holds for null.
	Compare(b *Builder, op filter.Op, c *Column, alias string, v Value)
	// Among writes that the column's value is one of list. The text does not depend on how long
	// the list is, except where a value of the column has no form in a list.
	Among(b *Builder, c *Column, alias string, list []Value)
	// Keys returns a list of values of one column as one bound value, for [Dialect.OneOf].
	Keys(c *Column, list []Value) Value
	// OneOf writes that the column's value is one of keys, a value made by Keys.
	OneOf(b *Builder, c *Column, alias string, keys Value)
	// Match writes a test on a part of a text for one of Contains, IContains, StartsWith and
	// EndsWith. text is not empty. Letter case counts except for IContains; text is never a
	// pattern.
	Match(b *Builder, op filter.Op, c *Column, alias string, text string)
	// Has writes whether a JSON array holds a string, int64, float64 or bool, by value and by
	// type: true is not 1, and "1" is not 1.
	Has(b *Builder, c *Column, alias string, value any)
	// Elements writes the ids of a many-relation, a JSON array in the column, as rows with the
	// given name; Element writes the id of such a row so that it compares with column of.
	Elements(b *Builder, c *Column, alias, name string, of *Column)
	Element(b *Builder, name string, of *Column)
	// Grouped writes a column of groups ([facade.Find.Group]), whose field has the column of under
	// alias. of is nil for the number of rows, which the caller writes. It completes column, which
	// the statement around the groups reads.
	Grouped(b *Builder, c *aggregate.Column, of, column *Column, alias string, zone *time.Location)
	// Search writes that a row of t is found by q, which has alternatives. Ranked writes t under alias,
	// beside it the rank of its rows as [RankAlias].rank; see [Words.RankFinds].
	Search(b *Builder, t *Table, alias string, q *search.Query)
	Ranked(b *Builder, t *Table, alias string, q *search.Query)
}
