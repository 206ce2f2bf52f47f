package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing/fstest"
	"text/tabwriter"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/atomic"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/schema"
)

// Writes of many rows, beside those that somebody writes by hand over the same store: createMany beside one
// transaction of a prepared statement or one INSERT of all rows, import of new rows beside COPY or a prepared
// loop, and an atomic batch beside its calls one by one.

// itemRows is how many rows the writes of many have.
const itemRows = 1000

// importRows is how many rows are imported.
var importRows = flag.Int("import-rows", 100_000, "rows of the file that is imported (imports)")

var stock = fstest.MapFS{
	"entities/item.yaml": {Data: []byte(`
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  sku: {type: string, maxLength: 20, x-kit: {role: {unique: [[sku]]}}}
  name: {type: string, maxLength: 80}
  price: {type: integer, minimum: 0}
  active: {type: boolean}
required: [sku, name, price, active]
`)},
	"frond.yaml": {Data: []byte("collectors: {item: open}\nmany: {item: '*'}\n")},
}

// itemStore is a store with the façade over it, and the same table by hand.
type itemStore struct {
	name   string
	facade *facade.Facade
	card   *schema.Entity
	hand   handStore
	close  func()
}

// handStore writes rows from n on by hand, in transactions of a thousand; answer: and reads them as JSON.
type handStore interface {
	write(n, rows int, answer bool) error
}

// benchImports prints the times of writes of many rows on both stores (imports). rounds and slice are not used.
func benchImports(int, time.Duration) error {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\n  writes of many rows\tfrond\tbeside\tshare\t")
	for _, open := range []func(string) (*itemStore, error){openItemsSQLite, openItemsPostgres} {
		s, err := open(dir)
		if err != nil {
			return err
		}
		err = s.measure(w)
		s.close()
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// measure prints a line for each write: the better of some rounds. A part of a comparison is given the first
// of the ids that it may use; prepare is not timed.
func (s *itemStore) measure(w *tabwriter.Writer) error {
	n := 0
	compare := func(name string, rounds, rows int, prepare, ours, beside func(n int) error) error {
		took := [2]time.Duration{time.Hour, time.Hour}
		for range rounds {
			for i, part := range []func(int) error{ours, beside} {
				n += rows
				if err := prepare(n); err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, name, err)
				}
				began := time.Now()
				if err := part(n); err != nil {
					return fmt.Errorf("%s, %s: %w", s.name, name, err)
				}
				took[i] = min(took[i], time.Since(began))
			}
		}
		fmt.Fprintf(w, "  %s: %s\t%s\t%s\t%.2f\t\n", s.name, name, took[0].Round(10*time.Microsecond), took[1].Round(10*time.Microsecond), float64(took[1])/float64(took[0]))
		return nil
	}
	nothing := func(int) error { return nil }
	for _, err := range []error{
		compare("createMany of 1,000 rows, beside a batch by hand", 9, itemRows, nothing, s.createMany, func(n int) error { return s.hand.write(n, itemRows, true) }),
		compare("updateMany of 1,000 rows, beside 1,000 calls", 3, itemRows, s.createMany, s.many("updateMany", `{"price":7}`), s.each("update", `{"price":8}`)),
		compare("deleteMany of 1,000 rows, beside 1,000 calls", 3, itemRows, s.createMany, s.many("deleteMany", ""), s.each("delete", "")),
		compare("ten creates in rpc.atomic, beside ten calls", 20, 10, nothing, s.atomic, s.creates),
		compare("import of new rows of CSV, beside a loader by hand", 3, *importRows, nothing, s.imported, func(n int) error { return s.hand.write(n, *importRows, false) }),
		compare("import of new rows of CSV, beside the same file again", 2, *importRows, nothing, s.imported, func(n int) error { return s.imported(n - *importRows) }),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// call calls an operation of the façade.
func (s *itemStore) call(operation string, in facade.Invocation) error {
	_, err := s.facade.Call(context.Background(), &facade.Call{Entity: "item", Operation: operation, Invocation: in})
	return err
}

// itemText is a row as JSON.
func itemText(i int) string {
	return fmt.Sprintf(`{"id":%d,"sku":"SKU-%07d","name":"Item, number %d","price":%d,"active":true}`, i, i, i, i%1000)
}

func (s *itemStore) createMany(n int) error {
	all := make([]string, itemRows)
	for i := range all {
		all[i] = itemText(n + i)
	}
	return s.call("createMany", facade.Invocation{Body: json.RawMessage("[" + strings.Join(all, ",") + "]")})
}

// many writes the rows from n on by a condition.
func (s *itemStore) many(operation, body string) func(n int) error {
	return func(n int) error {
		query := fmt.Sprintf(`{"where":{"id":{"gte":%d,"lt":%d}},"max":%d}`, n, n+itemRows, itemRows)
		return s.call(operation, facade.Invocation{Query: json.RawMessage(query), Body: json.RawMessage(body)})
	}
}

// each calls an operation for each row from n on.
func (s *itemStore) each(operation, body string) func(n int) error {
	return func(n int) error {
		for i := range itemRows {
			if err := s.call(operation, facade.Invocation{ID: strconv.AppendInt(nil, int64(n+i), 10), Body: json.RawMessage(body)}); err != nil {
				return err
			}
		}
		return nil
	}
}

func (s *itemStore) atomic(n int) error {
	var calls []string
	for i := range 10 {
		calls = append(calls, fmt.Sprintf(`{"method":"item.create","params":{"body":%s}}`, itemText(n+i)))
	}
	_, err := atomic.Run(context.Background(), s.facade, s.facade.Catalog(), s.facade, access.State{}, "", json.RawMessage(`{"calls":[`+strings.Join(calls, ",")+"]}"))
	return err
}

func (s *itemStore) creates(n int) error {
	for i := range 10 {
		if err := s.call("create", facade.Invocation{Body: json.RawMessage(itemText(n + i))}); err != nil {
			return err
		}
	}
	return nil
}

// imported imports a file of rows from n on, those that are stored among them.
func (s *itemStore) imported(n int) error {
	call := &facade.Call{Entity: "item", Operation: "import", Invocation: facade.Invocation{Query: json.RawMessage(`{"by":"sku"}`)}}
	report, err := (&bulk.Import{Caller: s.facade, Call: call, Card: s.card}).Run(context.Background(), bulk.NewReader(itemFile(n, *importRows), bulk.CSV, s.card))
	if err == nil && report.Created+report.Updated != *importRows {
		err = fmt.Errorf("%d of %d rows were written: %v", report.Created+report.Updated, *importRows, report.Faults)
	}
	return err
}

// itemFile is a CSV file of rows.
func itemFile(n, rows int) *bytes.Reader {
	var file bytes.Buffer
	file.WriteString("id,sku,name,price,active\n")
	for i := n; i < n+rows; i++ {
		fmt.Fprintf(&file, "%d,SKU-%07d,\"Item, number %d\",%d,true\n", i, i, i, i%1000)
	}
	return bytes.NewReader(file.Bytes())
}
