// Package mockdata makes up rows that fit their cards and look like what their
// names say, so that a client can be written before there is a service.
//
//	project, _ := facade.Read(os.DirFS("shop"))
//	notes, err := mockdata.Fill(project, &mockdata.Options{Rows: 50, Seed: 1})
//
// [Fill] changes only the project itself: rows are seeds, operations without an answer get
// handlers, fields made by other programs get presenters. The server of the project then
// judges, filters, pages and refuses as it always does.
//
// Chance comes from a seed: the same project with the same options has the same rows,
// byte by byte. Ids come from the entity's name and the row's number alone, so that
// two programs that never met point at one another's rows (docs/decisions/contracts.md).
//
// A value is made from its JSON Schema and then judged by the card itself; a refused value is
// made again. If no value fits, a [Note] names the change to make in the card.
package mockdata
