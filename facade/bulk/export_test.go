package bulk_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// pages is a caller of list: rows numbered from 0, in pages of at most 200, and the queries that it got.
type pages struct {
	rows  int
	fail  func(asked int) error // of the next page; nil: each succeeds
	asked []string
	page  *rows.Rows // that is answered each time; nil: one is made
}

func (p *pages) Call(_ context.Context, c *facade.Call) (*facade.Result, error) {
	p.asked = append(p.asked, string(c.Invocation.Query))
	if p.fail != nil {
		if err := p.fail(len(p.asked)); err != nil {
			return nil, err
		}
	}
	from, _ := strconv.Atoi(jsontext.Unquote(jsontext.Get(c.Invocation.Query, "after")))
	limit, _ := strconv.Atoi(string(jsontext.Get(c.Invocation.Query, "limit")))
	to := min(from+min(limit, 200), p.rows)
	page := p.page
	if page == nil {
		page = rows.New(rows.NewLayout([]string{"id", "name"}), 0)
		for i := from; i < to; i++ {
			page.BeginRow()
			page.Put(0, strconv.AppendInt(nil, int64(i), 10))
			page.EndRow()
		}
	}
	res := &facade.Result{Form: facade.FormPage, Rows: page}
	res.HasMore = to < p.rows
	if to > from {
		res.Cursors = []string{strconv.Itoa(to)}
	}
	return res, nil
}

// export runs an export of a list with this query, and returns the file.
func export(caller facade.Caller, query string) (string, error) {
	var file bytes.Buffer
	call := &facade.Call{Entity: "product", Operation: "list", Invocation: facade.Invocation{Query: []byte(query)}}
	err := (&bulk.Export{Caller: caller, Call: call}).Run(context.Background(), bulk.NewWriter(&file, bulk.NDJSON, call, false).Rows)
	return file.String(), err
}

// TestExportReadsPages: every page is read on from the last one, with the filter and the order of the
// call; offset counts once, and limit is that of the file.
func TestExportReadsPages(t *testing.T) {
	for _, c := range []struct {
		name, query string
		lines       int
		asked       []string
	}{
		{"no limit", `{"sort":"-name"}`, 450, []string{
			`{"total":false,"limit":500,"sort":"-name"}`, `{"total":false,"limit":500,"sort":"-name","after":"200"}`, `{"total":false,"limit":500,"sort":"-name","after":"400"}`,
		}},
		{"a limit over two pages", `{"limit":250}`, 250, []string{`{"total":false,"limit":250}`, `{"total":false,"limit":50,"after":"200"}`}},
		{"a limit of one page", `{"limit":200}`, 200, []string{`{"total":false,"limit":200}`}},
		{"a limit of nothing", `{"limit":0}`, 0, []string{`{"total":false,"limit":0}`}},
		{"a beginning", `{"after":"300","filter":{"a":{"eq":1}}}`, 150, []string{`{"total":false,"limit":500,"after":"300","filter":{"a":{"eq":1}}}`}},
		{"an offset", `{"offset":7}`, 450, []string{
			`{"total":false,"limit":500,"offset":7}`, `{"total":false,"limit":500,"after":"200"}`, `{"total":false,"limit":500,"after":"400"}`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			of := &pages{rows: 450}
			file, err := export(of, c.query)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(file, "\n"); got != c.lines {
				t.Errorf("%d lines, want %d", got, c.lines)
			}
			if diff := cmp.Diff(c.asked, of.asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestExportRefuses the keys of a list that a file has no use for, before it calls.
func TestExportRefuses(t *testing.T) {
	for query, want := range map[string]string{
		`{"before":"x"}`: "before", `{"backward":true}`: "backward", `{"total":true}`: "total", `{"count":"exact"}`: "count",
		`{"cursors":true}`: "cursors", `{"limit":-1}`: "limit", `{"limit":"all"}`: "limit",
	} {
		of := &pages{rows: 1}
		_, err := export(of, query)
		if kiterror.CodeOf(err) != kiterror.ValidationFailed || !strings.Contains(err.Error(), want) || of.asked != nil {
			t.Errorf("%s: %v, asked %q", query, err, of.asked)
		}
	}
}

// TestExportMeetsBudgets: pages that are too large are halved, and a page that there is no room for is
// asked for again, unless it is the first one.
func TestExportMeetsBudgets(t *testing.T) {
	large := kiterror.Errorf(kiterror.PayloadTooLarge, "too large")
	crowded := kiterror.Errorf(kiterror.ServiceUnavailable, "no room")
	at := func(err error, when ...int) func(int) error {
		return func(asked int) error {
			for _, n := range when {
				if n == asked {
					return err
				}
			}
			return nil
		}
	}
	of := &pages{rows: 450, fail: at(large, 1, 2, 3)}
	if file, err := export(of, `{}`); err != nil || strings.Count(file, "\n") != 450 || !strings.Contains(of.asked[3], `"limit":62`) {
		t.Errorf("large pages: %v, asked %q", err, of.asked)
	}
	of = &pages{rows: 450, fail: at(crowded, 2)}
	if file, err := export(of, `{}`); err != nil || strings.Count(file, "\n") != 450 || of.asked[1] != of.asked[2] {
		t.Errorf("no room in the middle: %v, asked %q", err, of.asked)
	}
	of = &pages{rows: 450, fail: at(crowded, 1)}
	if _, err := export(of, `{}`); kiterror.CodeOf(err) != kiterror.ServiceUnavailable || len(of.asked) != 1 {
		t.Errorf("no room at the beginning: %v, asked %q", err, of.asked)
	}
	failed := errors.New("gone")
	of = &pages{rows: 450, fail: at(failed, 3)}
	if file, err := export(of, `{}`); !errors.Is(err, failed) || strings.Count(file, "\n") != 400 {
		t.Errorf("a failure in the middle: %v", err)
	}
}

// TestExportWithoutCursors refuses a list of more than one page whose rows have no cursors.
func TestExportWithoutCursors(t *testing.T) {
	for rows, code := range map[int]kiterror.Code{200: "", 201: kiterror.UnprocessableEntity} {
		of := &pages{rows: rows}
		_, err := export(facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			res, err := of.Call(ctx, c)
			res.Cursors = nil
			return res, err
		}), `{}`)
		if kiterror.CodeOf(err) != code {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// TestExportThatIsStuck ends with an error where a list says that it has more rows and gives none, or leads
// to the page that was read.
func TestExportThatIsStuck(t *testing.T) {
	for name, change := range map[string]func(n int, res *facade.Result){
		"the same cursor": func(n int, res *facade.Result) { res.Cursors, res.HasMore = []string{"200"}, true },
		"no rows": func(n int, res *facade.Result) {
			if n > 1 {
				res.Rows, res.HasMore = rows.New(res.Rows.Layout(), 0), true
			}
		},
	} {
		of := &pages{rows: 700}
		_, err := export(facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			res, err := of.Call(ctx, c)
			change(len(of.asked), res)
			return res, err
		}), `{}`)
		if kiterror.CodeOf(err) != kiterror.InternalError || len(of.asked) != 2 {
			t.Errorf("%s: %v after %d pages", name, err, len(of.asked))
		}
	}
}

// TestCells writes every kind of value. A reader of CSV gets the texts back.
func TestCells(t *testing.T) {
	for _, c := range []struct{ name, value, plain, formulas string }{
		{"a number", `-12.50`, `-12.50`, `-12.50`},
		{"a boolean", `true`, `true`, `true`},
		{"null", `null`, ``, ``},
		{"an absent field", ``, ``, ``},
		{"an empty text", `""`, `""`, `""`},
		{"a text", `"Dune"`, `Dune`, `Dune`},
		{"quotes and commas", `"a \"b\", c"`, `"a ""b"", c"`, `"a ""b"", c"`},
		{"lines", `"a\r\nb"`, "\"a\r\nb\"", "\"a\r\nb\""},
		{"spaces at the ends", `" a"`, `" a"`, `" a"`},
		{"characters beyond ASCII", `"Käse \u2603"`, `Käse ☃`, `Käse ☃`},
		{"an object", `{"a":"b"}`, `"{""a"":""b""}"`, `"{""a"":""b""}"`},
		{"an empty list", `[]`, `[]`, `[]`},
		{"a formula", `"=1+1"`, `=1+1`, `'=1+1`},
		{"a text that begins with a minus", `"-x"`, `-x`, `'-x`},
		{"a text that begins with a tab", `"\t=1"`, "\"\t=1\"", "'\t=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for formulas, want := range map[bool]string{false: c.plain, true: c.formulas} {
				page := rows.New(rows.NewLayout([]string{"v"}), 1)
				page.BeginRow()
				if c.value != "" {
					page.Put(0, []byte(c.value))
				}
				page.EndRow()
				var file strings.Builder
				if err := bulk.NewWriter(&file, bulk.CSV, &facade.Call{}, formulas).Rows(page); err != nil {
					t.Fatal(err)
				}
				if want = "v\r\n" + want + "\r\n"; file.String() != want {
					t.Errorf("formulas %t: %q, want %q", formulas, file.String(), want)
				}
				if text := jsontext.Unquote([]byte(c.value)); !formulas && text != "" {
					read, err := csv.NewReader(strings.NewReader(file.String())).ReadAll()
					if err != nil || read[1][0] != strings.ReplaceAll(text, "\r\n", "\n") { // as encoding/csv reads line ends
						t.Errorf("encoding/csv reads %q, %v", read, err)
					}
				}
			}
		})
	}
}

// TestColumns are in the order that the call names, else in that of the rows.
func TestColumns(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`{}`, "id,name,tags"},
		{`{"fields":"tags(limit:3).name, id"}`, "tags,id,name"},
		{`{"fields":["name","*"]}`, "name,id,tags"},
	} {
		var file strings.Builder
		call := &facade.Call{Invocation: facade.Invocation{Query: []byte(c.query)}}
		if err := bulk.NewWriter(&file, bulk.CSV, call, false).Rows(rows.New(rows.NewLayout([]string{"id", "name", "tags"}), 0)); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(file.String()); got != c.want {
			t.Errorf("%s: %s, want %s", c.query, got, c.want)
		}
	}
}

// TestLines: the JSON of a remote host may have line breaks, and each row is one line all the same.
func TestLines(t *testing.T) {
	page, _ := rows.Read(rows.NewLayout([]string{"a"}), []byte("[{\"a\":\n {\r\n\"b\": \"c\\nd\"}}]"))
	var file strings.Builder
	if err := bulk.NewWriter(&file, bulk.NDJSON, &facade.Call{}, false).Rows(page); err != nil {
		t.Fatal(err)
	}
	if got := file.String(); strings.Count(got, "\n") != 1 || jsontext.Check([]byte(got)) != nil {
		t.Errorf("%q", got)
	}
}

// TestLargeExport: a page takes as many allocations in a file of a million rows as in one of a thousand,
// and none for each row.
func TestLargeExport(t *testing.T) {
	page := rows.New(rows.NewLayout([]string{"id", "name"}), 200)
	for i := range 200 {
		page.BeginRow()
		page.Put(0, []byte(strconv.Itoa(i)))
		page.Put(1, []byte(`"Brazil, natural"`))
		page.EndRow()
	}
	for _, format := range []bulk.Format{bulk.CSV, bulk.NDJSON} {
		allocations := func(rows int) float64 {
			call := &facade.Call{Entity: "product", Operation: "list"}
			return testing.AllocsPerRun(1, func() {
				of := &pages{rows: rows, page: page}
				if err := (&bulk.Export{Caller: of, Call: call}).Run(context.Background(), bulk.NewWriter(io.Discard, format, call, false).Rows); err != nil {
					t.Fatal(err)
				}
			})
		}
		few, many := allocations(1_000), allocations(1_000_000)
		each := (many - few) / (1_000_000/200 - 5)
		t.Logf("%s: %.0f allocations for 1,000 rows, %.0f for 1,000,000, %.1f for each further page of 200", format, few, many, each)
		if each > 12 {
			t.Errorf("%s: a page of 200 rows takes %.1f allocations", format, each)
		}
	}
}

// rowsOf is a page of one row.
func rowsOf(text string) *rows.Rows {
	var fields []string
	for name := range jsontext.Members([]byte(text)) {
		fields = append(fields, name)
	}
	page, _ := rows.Read(rows.NewLayout(fields), []byte(text))
	return page
}
