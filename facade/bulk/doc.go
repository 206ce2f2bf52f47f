// Package bulk writes the rows of a list as a file, page by page, and the rows of a file by their key,
// batch by batch. Either has any size.
//
//	export := bulk.Export{Caller: caller, Call: &call, Begin: begin}
//	err := export.Run(ctx, bulk.NewWriter(file, bulk.CSV, &call, false).Rows)
//
// Each page is a call of its own for the same caller, so that access rules, budgets and timeouts hold
// for each of them, and no connection is held between two. The pages show the store at different
// moments: a row that changes during the export is in the file as it was when its page was read.
//
// A file of type [CSV] follows RFC 4180 in UTF-8, with a header:
//
//	null, absent field     an empty cell
//	empty text             ""
//	number, boolean        as in JSON
//	object, list           their JSON
//
// A file of type [NDJSON] has one JSON object in each line.
package bulk
