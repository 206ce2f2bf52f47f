package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/store/storetest"
)

// The worst documents (worst). [storetest.Worst] has documents that the limits let in and that
// are built to cost; an ordinary document of the same size is the base. The calls find
// nothing, so that the time is that of reading a document.

// everyday is a document as an application sends it, for the cost of a byte. It is far smaller
// than the others.
const everyday = `query Card($id: ID!) {
  person(id: $id) {
    id
    name
    email
    home { street }
    mentor { id name }
    notes(first: 3) { items { id text } total }
  }
}
`

// benchWorst reads documents that nobody has seen before, and finds no rows for
// them: parsing, measuring, validating and planning is what is measured. The base is
// an ordinary document as large as the limits let in.
func benchWorst(rounds int, slice time.Duration) error {
	e, err := reader()
	if err != nil {
		return err
	}
	read := func(query string) func() {
		r := &resolvers.Request{Query: query, Variables: []byte(`{"id":"p"}`)}
		return func() { e.Execute(context.Background(), r).Release() }
	}
	documents := append([]storetest.Document{{Name: "an ordinary one", Text: storetest.Ordinary()}, {Name: "an everyday one", Text: everyday}}, storetest.Worst()...)
	contenders := make([]contender, len(documents))
	for i, d := range documents {
		contenders[i] = contender{d.Name, read(d.Text)}
	}
	// There are some sixty documents, each with its slice in every round.
	figures := compete(rounds, slice/8, contenders)
	// Nanoseconds a byte: a small document can be dear for its length without being slow.
	perByte := func(i int) float64 { return float64(figures[i].median) / float64(len(documents[i].Text)) }
	// The first two contenders are the ordinary documents.
	most, dearest := 2, 2
	for i := range documents[2:] {
		if figures[i+2].median > figures[most].median {
			most = i + 2
		}
		if perByte(i+2) > perByte(dearest) {
			dearest = i + 2
		}
	}
	base := figures[0]
	// The two that matter: the slowest of all, and the slowest for its length, which a limit
	// of bytes does not bound.
	lines := []string{
		fmt.Sprintf("the worst, %s, takes %.2f times what the ordinary one does", figures[most].name, float64(figures[most].median)/float64(base.median)),
		fmt.Sprintf("the worst for its length, %s, takes %.1f times what an everyday document does for a byte", figures[dearest].name, perByte(dearest)/perByte(1)),
	}
	// The slowest first; the base stands on top.
	ordered := slices.Clone(figures[1:])
	slices.SortStableFunc(ordered, func(a, b figure) int { return int(b.median - a.median) })
	table(os.Stdout, "GraphQL, reading a document of 64 KiB that nobody has seen before", 0, append([]figure{base}, ordered...), lines...)
	return nil
}

// reader returns an engine that keeps no document and whose calls find nothing. Each run has
// to read its document again.
func reader() (*resolvers.Engine, error) {
	project, err := facade.Read(storetest.People())
	if err != nil {
		return nil, err
	}
	compiled, err := compile.Project(project, nil)
	if err != nil {
		return nil, err
	}
	host, err := facade.New(compiled, storetest.NewStore(), nil)
	if err != nil {
		return nil, err
	}
	// An empty result is no row, so that nothing below a root field is executed.
	nothing := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { return &facade.Result{}, nil })
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, host.Catalog(), nil); err != nil {
		return nil, err
	}
	s, err := b.Build()
	if err != nil {
		return nil, err
	}
	return resolvers.NewEngine(s, nothing, &resolvers.Options{Documents: -1, NoCoalesce: true, Logger: slog.New(slog.DiscardHandler)})
}
