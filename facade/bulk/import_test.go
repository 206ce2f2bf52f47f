package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// thing is a card with a field of every kind.
func thing(t testing.TB) *schema.Entity {
	t.Helper()
	p, err := facade.Read(fstest.MapFS{"entities/thing.yaml": {Data: []byte(`
type: object
required: [n, flag]
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  n: {type: integer}
  price: {type: [number, 'null']}
  flag: {type: boolean}
  text: {type: [string, 'null']}
  plain: {type: string, x-kit: {lifecycle: {create: {value: x}}}}
  tags: {type: array, items: {type: string}}
  dims: {type: [object, 'null'], properties: {w: {type: integer}}}
`)}, "frond.yaml": {Data: []byte("name: shop\ncollectors: {thing: open}\n")}})
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.Compiled(t, p)
	return f.Catalog.Door("thing").Entity
}

// readAll are the rows and faults of a file, a line each.
func readAll(t testing.TB, format bulk.Format, text string) string {
	t.Helper()
	var all []string
	for r := bulk.NewReader(strings.NewReader(text), format, thing(t)); ; {
		row, line, fault, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return strings.Join(all, "\n")
		case err != nil:
			t.Fatal(err)
		case fault != nil:
			all = append(all, fmt.Sprint(fault.Line, " ", fault.Code, " ", fault.Column))
			if len(all) > 20 {
				t.Fatal(all)
			}
			if fault.Code == "header" || strings.Contains(fault.Message, "quote") || strings.Contains(fault.Message, "save ") && fault.Column == "" {
				return strings.Join(all, "\n")
			}
		default:
			if err := jsontext.Check(row); err != nil {
				t.Fatalf("%s: %v", row, err)
			}
			all = append(all, fmt.Sprint(line, " ", string(row)))
		}
	}
}

// TestReadCSV reads every kind of cell, and names the line of each fault.
func TestReadCSV(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"kinds", "id,n,price,flag,text,tags,dims\r\na,1,1.50,true,\"x, \"\"y\"\"\",\"[\"\"a\"\"]\",\"{\"\"w\"\":1}\"\r\n", `2 {"id":"a","n":1,"price":1.50,"flag":true,"text":"x, \"y\"","tags":["a"],"dims":{"w":1}}`},
		{"null and empty", "id,price,text,plain,dims\na,,,,\nb,,\"\",\"\",\n", "2 {\"id\":\"a\",\"price\":null,\"text\":null,\"dims\":null}\n3 {\"id\":\"b\",\"price\":null,\"text\":\"\",\"plain\":\"\",\"dims\":null}"},
		{"texts of another type", "n,flag,tags\nten,yes,a\n", `2 {"n":"ten","flag":"yes","tags":"a"}`},
		{"a column that the card does not have", "id,colour\na,red\nb,\n", "2 {\"id\":\"a\",\"colour\":\"red\"}\n3 {\"id\":\"b\"}"},
		{"lines within cells", "id,text\r\na,\"1\r\n2\"\r\n\r\nb,c", "2 {\"id\":\"a\",\"text\":\"1\\r\\n2\"}\n5 {\"id\":\"b\",\"text\":\"c\"}"},
		{"a byte order mark", "\uFEFFid,n\na,1\n", `2 {"id":"a","n":1}`},
		{"one column", "text\n\nx\n", "2 {\"text\":null}\n3 {\"text\":\"x\"}"},
		{"too few and too many cells", "id,n\na\nb,1,2\nc,3\n", "2 columns \n3 columns \n4 {\"id\":\"c\",\"n\":3}"},
		{"bytes that are not UTF-8", "id,text\na,\xff\nb,x\n", "2 syntax text\n3 {\"id\":\"b\",\"text\":\"x\"}"},
		{"a quote that is not closed", "id,text\na,\"x\nb,y\n", "2 syntax "},
		{"a text after a quote", "id,text\na,\"x\"y\nb,y\n", "2 syntax "},
		{"a column twice", "id,id\na,b\n", "1 header "},
		{"a column without a name", "id,,n\na,b,1\n", "1 header "},
		{"an empty file", "", "1 header "},
		{"a header alone", "id,n\n", ""},
		{"booleans of spreadsheets", "id,flag,text\na,TRUE,TRUE\nb,False,\nc,WAHR,\n", "2 {\"id\":\"a\",\"flag\":true,\"text\":\"TRUE\"}\n3 {\"id\":\"b\",\"flag\":false,\"text\":null}\n4 {\"id\":\"c\",\"flag\":\"WAHR\",\"text\":null}"},
		{"semicolons", "id;text;n\r\na;\"x;y,z\";1\r\n", `2 {"id":"a","text":"x;y,z","n":1}`},
		{"tabs", "id\tn\na\t1\n", `2 {"id":"a","n":1}`},
		{"semicolons within a quoted name", "id,\"a;b;c\"\na,1\n", `2 {"id":"a","a;b;c":"1"}`},
		{"a line sep=", "\uFEFFsep=;\r\nid;n\r\na;1\r\n", `3 {"id":"a","n":1}`},
		{"a line sep= before one column", "SEP=,\ntext\na;1\n", `3 {"text":"a;1"}`},
		{"trailing delimiters", "id,n,,\na,1,,\nb,2\nc,3,,,\nd,4,5\n", "2 {\"id\":\"a\",\"n\":1}\n3 {\"id\":\"b\",\"n\":2}\n4 {\"id\":\"c\",\"n\":3}\n5 columns "},
		{"a trailing delimiter of rows alone", "id,n\na,1,\n", `2 {"id":"a","n":1}`},
		{"lines of empty cells", "id;n;text\na;1;\n;;\n;;;;\nb;2;\n", "2 {\"id\":\"a\",\"n\":1,\"text\":null}\n5 {\"id\":\"b\",\"n\":2,\"text\":null}"},
		{"decimal commas", "id;price;text\na;1,5;1,5\nb;2.5;\n", "2 type price\n3 {\"id\":\"b\",\"price\":2.5,\"text\":null}"},
		{"UTF-16", "\xFF\xFEi\x00d\x00\n\x00", "1 syntax "},
		{"UTF-16 without a mark", "i\x00d\x00\n\x00", "1 syntax "},
		{"a workbook", "PK\x03\x04\x14\x00", "1 syntax "},
		{"a header that is not UTF-8", "id,gr\xF6\xDFe\na,b\n", "1 header "},
		{"line ends of CR", "id,n\ra,1\rb,2\r", "1 header "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, readAll(t, bulk.CSV, c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadCSVOfADelimiter that the caller names, against what the header looks like.
func TestReadCSVOfADelimiter(t *testing.T) {
	for _, c := range []struct{ delimiter, text, want string }{
		{"pipe", "text|id;n;x\na|b\n", `{"text":"a","id;n;x":"b"}`},
		{";", "text\na,b\n", `{"text":"a,b"}`},
		{"tab", "sep=;\ntext\tid\na;b\tc\n", `{"text":"a;b","id":"c"}`},
	} {
		r := bulk.NewReader(strings.NewReader(c.text), bulk.CSV, thing(t))
		r.Delimiter, _ = bulk.ReadDelimiter(c.delimiter)
		if row, _, fault, err := r.Next(); string(row) != c.want {
			t.Errorf("%s: %s, %v, %v; want %s", c.delimiter, row, fault, err, c.want)
		}
	}
	for _, wrong := range []string{"", "x", ";;", "Tab "} {
		if _, ok := bulk.ReadDelimiter(wrong); ok {
			t.Errorf("%q is a delimiter", wrong)
		}
	}
}

// TestReadNDJSON reads one object from each line.
func TestReadNDJSON(t *testing.T) {
	got := readAll(t, bulk.NDJSON, "\uFEFF{\"id\":\"a\"}\r\n\n[1]\n{\"id\":\n{\"id\":\"b\"}")
	if diff := cmp.Diff("1 {\"id\":\"a\"}\n3 type \n4 syntax \n5 {\"id\":\"b\"}", got); diff != "" {
		t.Error(diff)
	}
}

// TestFilesComeBack: what an export writes, an import reads as the same rows.
func TestFilesComeBack(t *testing.T) {
	const rows = `{"id":"a","n":-1,"price":null,"flag":false,"text":"","plain":"=1","tags":[],"dims":{"w":1}}`
	page := &pages{rows: 1, page: rowsOf(rows)}
	for _, format := range []bulk.Format{bulk.CSV, bulk.NDJSON} {
		var file strings.Builder
		call := &facade.Call{Entity: "thing", Operation: "list"}
		if err := (&bulk.Export{Caller: page, Call: call}).Run(context.Background(), bulk.NewWriter(&file, format, call, false).Rows); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(readAll(t, format, file.String()), " ")
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
}

// batches is a caller of import. The price of a row at fault is below zero.
type batches struct {
	sizes  []int
	asked  []string
	failAt int // the batch that fails; 0: none
	with   error
	// most is how many rows a call has time for; 0: any number.
	most int
}

func (b *batches) Call(_ context.Context, c *facade.Call) (*facade.Result, error) {
	b.asked = append(b.asked, string(c.Invocation.Query))
	if b.failAt == len(b.asked) {
		return nil, b.with
	}
	n, faults := 0, []string{}
	for i, row := range jsontext.Elements(c.Invocation.Body) {
		if n++; strings.HasPrefix(string(jsontext.Get(row, "price")), "-") {
			faults = append(faults, fmt.Sprintf(`{"row":%d,"column":"price","code":"minimum","message":"must be at least 0"}`, i))
		}
	}
	if b.most > 0 && n > b.most {
		return nil, facade.Overlong(2 * time.Second)
	}
	b.sizes = append(b.sizes, n)
	return &facade.Result{Value: []byte(fmt.Sprintf(`{"created":%d,"updated":0,"rows":%d,"complete":true,"faults":[%s]}`, n-len(faults), n, strings.Join(faults, ",")))}, nil
}

// load imports a file of things.
func load(t testing.TB, caller facade.Caller, query, text string) (*bulk.Report, error) {
	card := thing(t)
	call := &facade.Call{Entity: "thing", Operation: "import", Invocation: facade.Invocation{Query: []byte(query)}}
	return (&bulk.Import{Caller: caller, Call: call, Card: card}).Run(context.Background(), bulk.NewReader(strings.NewReader(text), bulk.CSV, card))
}

// things is a file of so many things, with a price in each row.
func things(n int, price func(i int) string) string {
	var b strings.Builder
	b.WriteString("id,price\n")
	for i := range n {
		fmt.Fprintf(&b, "t%d,%s\n", i, price(i))
	}
	return b.String()
}

func one(int) string { return "1" }

// TestImportWritesBatches of a thousand rows, and reports each fault with its line.
func TestImportWritesBatches(t *testing.T) {
	of := &batches{}
	report, err := load(t, of, `{"by":"id"}`, things(2_500, func(i int) string { return map[bool]string{true: "-1", false: "1"}[i == 7 || i == 2_400] }))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(of.sizes, []int{1000, 1000, 500}) || of.asked[0] != `{"faults":100,"columns":["id","price"],"by":"id"}` || of.asked[2] != `{"faults":99,"by":"id"}` {
		t.Errorf("batches of %d, asked %q", of.sizes, of.asked)
	}
	const want = `{"created":2498,"updated":0,"rows":2500,"complete":true,"faults":[{"line":9,"column":"price","code":"minimum","message":"must be at least 0"},{"line":2402,"column":"price","code":"minimum","message":"must be at least 0"}]}`
	if got := string(report.AppendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestImportEnds at so many faulty rows, at a file that cannot be read on, and at a batch that fails.
func TestImportEnds(t *testing.T) {
	brief := func(r *bulk.Report) string {
		return fmt.Sprint(r.Created, " of ", r.Rows, " ", r.Complete, " ", r.Faulty)
	}
	bad := func(int) string { return "-1" }
	three := func(i int) string { return map[bool]string{true: "-1", false: "1"}[i < 3] }
	for _, c := range []struct{ name, query, text, want string }{
		{"faulty rows of a batch", `{"by":"id"}`, things(5_000, bad), "0 of 1000 false 1000"},
		{"faulty rows of the file", `{"by":"id","faults":3}`, "id,price\na\nb\nc\nd\n", "0 of 3 false 3"},
		{"a file that ends within a cell", `{"by":"id"}`, things(3, one) + "x,\"1\n", "3 of 4 false 1"},
		{"a header at fault", `{"by":"id"}`, "id,id\na,b\n", "0 of 1 false 1"},
		{"nothing", `{"by":"id"}`, "id\n", "0 of 0 true 0"},
		// The next rows are read while a batch is written: those behind the last fault that counts are not written.
		{"faulty rows of a batch and behind it", `{"by":"id","faults":5}`, things(1_000, three) + "u,1\nx\nv,1\ny\nw,1\nz\n", "999 of 1004 false 5"},
		{"rows behind a faulty batch", `{"by":"id","faults":3}`, things(1_000, three) + "u,1\nx\nv,1\n", "997 of 1000 false 3"},
		{"one fault less", `{"by":"id","faults":6}`, things(1_000, three) + "u,1\nx\nv,1\ny\nw,1\n", "1000 of 1005 true 5"},
	} {
		report, err := load(t, &batches{}, c.query, c.text)
		if got := brief(report); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	of := &batches{failAt: 3, with: kiterror.Errorf(kiterror.Forbidden, "not any more")}
	report, err := load(t, of, `{"by":"id"}`, things(5_000, one))
	if e := kiterror.AsError(err); e == nil || e.Code != kiterror.Forbidden || !cmp.Equal(e.Details, any(map[string]any{"created": 2000.0, "updated": 0.0, "rows": 2000.0})) {
		t.Errorf("a batch fails: %v, %v", brief(report), err)
	}
	of = &batches{failAt: 2, with: kiterror.Errorf(kiterror.ServiceUnavailable, "no room")}
	if report, err = load(t, of, `{"by":"id"}`, things(3_000, one)); err != nil || brief(report) != "3000 of 3000 true 0" || len(of.asked) != 4 {
		t.Errorf("no room for a batch: %s, %v, asked %q", brief(report), err, of.asked)
	}
}

// TestImportHalvesABatch that runs out of time, and those after it.
func TestImportHalvesABatch(t *testing.T) {
	of := &batches{most: 300}
	report, err := load(t, of, `{"by":"id"}`, things(2_100, func(i int) string { return map[bool]string{true: "-1", false: "1"}[i == 7 || i == 999 || i == 1_999] }))
	if err != nil || report.Created != 2_097 || report.Rows != 2_100 || !report.Complete || report.Faulty != 3 {
		t.Errorf("%+v, %v", report, err)
	}
	var lines []int
	for _, f := range report.Faults {
		lines = append(lines, f.Line)
	}
	if !slices.Equal(lines, []int{9, 1_001, 2_001}) || len(of.sizes) > 4+4+1 {
		t.Errorf("faults on the lines %d, calls of %d rows", lines, of.sizes)
	}
	// One row that does not end keeps its failure; the half before it is written.
	of = &batches{most: 1, failAt: 4, with: kiterror.Errorf(kiterror.Forbidden, "not any more")}
	report, err = load(t, of, `{"by":"id"}`, things(2, one)+"u,1\nv,1\n")
	if kiterror.CodeOf(err) != kiterror.Forbidden || report.Created != 1 || report.Complete {
		t.Errorf("%+v, %v", report, err)
	}
}

// waiting is a caller of import whose first call waits.
type waiting struct {
	batches

	first <-chan struct{}
}

func (w *waiting) Call(ctx context.Context, c *facade.Call) (*facade.Result, error) {
	if len(w.asked) == 0 {
		select {
		case <-w.first:
		case <-time.After(time.Minute):
			return nil, errors.New("nothing is read meanwhile")
		}
	}
	return w.batches.Call(ctx, c)
}

// TestImportReadsAhead: the rows of a batch are read while the one before is written.
func TestImportReadsAhead(t *testing.T) {
	file, sends := io.Pipe()
	read := make(chan struct{})
	go func() {
		_, _ = io.WriteString(sends, things(1_000, one))
		_, _ = io.WriteString(sends, "u,1\n"+strings.Repeat("\n", 1<<20)) // more than is buffered
		close(read)
		_ = sends.Close()
	}()
	card := thing(t)
	call := &facade.Call{Entity: "thing", Operation: "import", Invocation: facade.Invocation{Query: []byte(`{"by":"id"}`)}}
	report, err := (&bulk.Import{Caller: &waiting{first: read}, Call: call, Card: card}).Run(t.Context(), bulk.NewReader(file, bulk.CSV, card))
	if err != nil || report.Created != 1_001 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestImportOfOneKeyTwice is a fault that names both lines, however far they are apart.
func TestImportOfOneKeyTwice(t *testing.T) {
	report, err := load(t, &batches{}, `{"by":"id"}`, things(2_500, one)+"t3,2\nt2499,2\n")
	if err != nil || report.Faulty != 2 || report.Created != 2_500 {
		t.Fatalf("%+v, %v", report, err)
	}
	for i, want := range []string{"2502 id is the key of line 5 too; leave one of the two lines out", "2503 id is the key of line 2501 too; leave one of the two lines out"} {
		f := report.Faults[i]
		if got := strconv.Itoa(f.Line) + " " + f.Column + " " + f.Message; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
