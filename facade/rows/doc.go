// Package rows keeps the rows of a call as JSON text with an index, from the store that
// writes them to the surface that sends them.
//
// A [Rows] is one text of objects and, for every row, the spans of the object and of its
// fields. A [Layout] names the columns; it is made once for a selection and shared. Between a
// store and a surface the values stay encoded, so a page costs a handful of allocations for any
// content.
//
//	layout := rows.NewLayout([]string{"id", "title"})
//	page := rows.New(layout, 1)
//	page.BeginRow()
//	page.Put(0, []byte(`7`))
//	page.Put(1, []byte(`"Dune"`))
//	page.EndRow()
//	page.Row(0).Get("title")  // "Dune", a slice of the text
//	page.AppendJSON(nil)      // [{"id":7,"title":"Dune"}]
//
// A [Reader] lays out rows that somebody else has written (a remote) over the text as it
// arrived.
//
// The package knows no cards, no calls, no doors and no stores.
package rows
