package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite"
)

// A store is opened, prepared for its entities, and read.
func Example() {
	set := schema.MustCompile([]schema.Source{{File: "book.yaml", Name: "book", Data: []byte(`
type: object
properties:
  isbn: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  year: {type: integer}
required: [isbn, title, year]
x-kit-version: 1
`)}}, schema.Builtins(), nil)
	book := set.Entity("book")

	ctx := context.Background()
	store, err := sqlite.Open(ctx, sqlite.Options{Memory: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	if err := store.Prepare(ctx, set.Entities); err != nil {
		fmt.Println(err)
		return
	}

	row := func(isbn, title, year string) facade.Record {
		return facade.Record{
			{Name: "isbn", Value: json.RawMessage(isbn)},
			{Name: "title", Value: json.RawMessage(title)},
			{Name: "year", Value: json.RawMessage(year)},
		}
	}
	_, err = store.Insert(ctx, book, []facade.Record{
		row(`"0-201-03801-3"`, `"The Art of Computer Programming"`, `1968`),
		row(`"0-13-110163-3"`, `"The C Programming Language"`, `1978`),
	}, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	found, err := store.Find(ctx, &facade.Find{
		Entity: book,
		Select: rows.NewLayout([]string{"title", "year"}),
		Where:  &filter.Filter{Op: filter.Contains, Field: book.Property("title"), Values: []any{"Programming"}},
		Sort:   []facade.SortKey{{Field: book.Property("year"), Desc: true}, {Field: book.Primary}},
		Limit:  1,
		Count:  true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n%d in all, more: %v\n", found.Rows.AppendJSON(nil), found.Total, found.More)
	// Output:
	// [{"title":"The C Programming Language","year":1978}]
	// 2 in all, more: true
}
