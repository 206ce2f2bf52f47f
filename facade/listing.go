package facade

import "encoding/json"

// listing is the query of list, read.
type listing struct {
	filter   *Filter
	order    order
	limit    int
	offset   int
	from     []json.RawMessage // of the row the page is read on from; nil: the edge
	until    []json.RawMessage // of the row it is read on to, without it; nil: the other edge
	backward bool
	count    counting
	fields   []string
	edges    bool // cursors of every row are answered too, and what lies before the page

	behind *Found // whether there are rows on the other side of what was found; nil: none
}

// listKeys are the keys of list's query.
var listKeys = []string{"filter", "sort", "limit", "after", "before", "backward", "offset", "fields", "total", "count", "cursors"}

// counting is how a list makes its total.
type counting uint8

const (
	exact     counting = iota // all rows that meet the filter, counted
	estimated                 // as exact where that costs little
	uncounted                 // -1
)

// countings are the words of query.count. true and false stand for exact and none, as
// hosts of another make have it.
var countings = map[string]counting{"exact": exact, "estimated": estimated, "none": uncounted}
