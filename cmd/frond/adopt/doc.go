// Package adopt makes a project from an existing database: cards, a frond.yaml that maps them
// to the tables, and a report of the parts left out, with reasons. Its input is the description
// of a database and its output are texts of files; it reads no database and writes no file.
//
//	db, err := sqlite.Describe(ctx, "chinook.db")
//	p := adopt.New(db, nil)
//	for name, text := range p.Files() { … }      // entities/album.yaml, frond.yaml, …
//	fmt.Print(p.Report())
//
// Equal descriptions give equal texts. It does not guess: a part that a card cannot express is
// left out and listed (docs/existing-database.md). A table without a column that every new row
// needs loses its create too.
package adopt
