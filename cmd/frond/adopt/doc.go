// Package adopt makes a project of a database that is there already: cards, a frond.yaml that
// maps them to the tables, and a report of what was left out and why. It is given the
// description of a database and gives texts of files; it reads no database and writes no file.
//
//	db, err := sqlite.Describe(ctx, "chinook.db")
//	p := adopt.New(db, nil)
//	for name, text := range p.Files() { … }      // entities/album.yaml, frond.yaml, …
//	fmt.Print(p.Report())
//
// Equal descriptions give equal texts. Nothing is guessed: what a card cannot say is left out
// and listed (docs/existing-database.md). A table that loses a column without which no row can
// be made loses its create too.
package adopt
