package sqlite_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite"
)

// product has the ten columns of the benchmark: texts, numbers, a date-time, JSON.
const product = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  sku: {type: string, x-kit: {role: {unique: [[sku]]}}}
  price: {type: integer}
  weight: {type: number}
  active: {type: boolean}
  tags: {type: array, items: {type: string}}
  description: {type: [string, 'null']}
  shelfId: {type: string, x-kit: {role: {index: true}}}
  createdAt: {type: string, format: date-time}
required: [id, name, sku, price, weight, active, description, createdAt, shelfId]
x-kit-version: 1
`

func productRecord(e *schema.Entity, i int) facade.Record {
	values := []string{
		fmt.Sprintf(`"p%08d"`, i), fmt.Sprintf(`"Product number %d, with a name"`, i), fmt.Sprintf(`"SKU-%d"`, i), fmt.Sprint(100 + i),
		fmt.Sprint(float64(i) + 0.25), "true", `["new","blue"]`, `"A text of ordinary length that says what \"the product\" is good for."`,
		fmt.Sprintf(`"s%03d"`, i%100), `"2024-01-01T10:00:00.123Z"`,
	}
	record := make(facade.Record, len(values))
	for i, p := range e.Fields {
		record[i] = schema.Member{Name: p.Name, Value: json.RawMessage(values[i])}
	}
	return record
}

func names(e *schema.Entity) []string {
	var out []string
	for _, p := range e.Fields {
		out = append(out, p.Name)
	}
	return out
}

func withRows(b *testing.B, found int) (*sqlite.Store, *schema.Entity, string) {
	b.Helper()
	set := compile(b, "product", product)
	e := set.Entity("product")
	path := b.TempDir() + "/bench.db"
	store := open(b, sqlite.Options{Path: path}, set.Entities)
	records := make([]facade.Record, found)
	for i := range records {
		records[i] = productRecord(e, i)
	}
	if _, err := store.Insert(b.Context(), e, records, nil, rows.NewLayout(nil)); err != nil {
		b.Fatal(err)
	}
	return store, e, path
}

// BenchmarkPage reads 100 rows of 10 columns as JSON text, by the store and by
// letting SQL build the text.
func BenchmarkPage(b *testing.B) {
	store, e, path := withRows(b, 1000)
	layout := rows.NewLayout(names(e))
	sort := []facade.SortKey{{Field: e.Primary}}
	for _, count := range []bool{false, true} {
		b.Run(fmt.Sprintf("store/total=%v", count), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				found, err := store.Find(b.Context(), &facade.Find{Entity: e, Select: layout, Sort: sort, Limit: 100, Count: count})
				if err != nil || found.Rows.Len() != 100 {
					b.Fatal(found, err)
				}
			}
		})
	}
	db, err := sqlite3.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for name, sql := range map[string]string{
		"json_object": `SELECT json_object('id', id, 'name', name, 'sku', sku, 'price', price, 'weight', weight, 'active', json(iif(active, 'true', 'false')),
			'tags', json(tags), 'description', description, 'shelfId', shelfId, 'createdAt', createdAt) FROM product ORDER BY id LIMIT 101`,
		"json_group_array": `SELECT json_group_array(json_object('id', id, 'name', name, 'sku', sku, 'price', price, 'weight', weight, 'active', json(iif(active, 'true', 'false')),
			'tags', json(tags), 'description', description, 'shelfId', shelfId, 'createdAt', createdAt)) FROM (SELECT * FROM product ORDER BY id LIMIT 101)`,
	} {
		b.Run(name, func(b *testing.B) {
			st, _, err := db.Prepare(sql)
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			b.ReportAllocs()
			for b.Loop() {
				var out []byte
				for st.Step() {
					out = append(append(out, st.ColumnRawText(0)...), ',')
				}
				if err := st.Reset(); err != nil || len(out) < 10000 {
					b.Fatal(err, len(out))
				}
			}
		})
	}
}

// BenchmarkFindOne reads one row by its primary key, alone and with 50 others.
func BenchmarkFindOne(b *testing.B) {
	store, e, _ := withRows(b, 1000)
	layout := rows.NewLayout(names(e))
	b.Run("by its key", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			found, err := store.Find(b.Context(), &facade.Find{Entity: e, Select: layout, Key: json.RawMessage(`"p00000007"`)})
			if err != nil || found.Rows.Len() != 1 {
				b.Fatal(found, err)
			}
		}
	})
	b.Run("as a page of one", func(b *testing.B) {
		is := &filter.Filter{Op: filter.Eq, Field: e.Primary, Values: []any{"p00000007"}}
		b.ReportAllocs()
		for b.Loop() {
			found, err := store.Find(b.Context(), &facade.Find{Entity: e, Select: layout, Where: is, Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1})
			if err != nil || found.Rows.Len() != 1 {
				b.Fatal(found, err)
			}
		}
	})
	for _, n := range []int{1, 50} {
		keys := make([]json.RawMessage, n)
		for i := range keys {
			keys[i] = json.RawMessage(fmt.Sprintf(`"p%08d"`, i*7))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				found, err := store.Find(b.Context(), &facade.Find{Entity: e, Select: layout, Limit: 1, Each: &facade.EachKey{Field: e.Primary, Values: keys}})
				if err != nil || found.Rows.Len() != n {
					b.Fatal(found, err)
				}
			}
		})
	}
}

// BenchmarkEach reads the first rows of each of 50 keys that have 10 or 200 rows.
func BenchmarkEach(b *testing.B) {
	for _, per := range []int{10, 200} {
		store, e, _ := withRows(b, 100*per)
		layout := rows.NewLayout([]string{"id", "name", "price", "createdAt"})
		keys := make([]json.RawMessage, 50)
		for i := range keys {
			keys[i] = json.RawMessage(fmt.Sprintf(`"s%03d"`, i))
		}
		for _, order := range []string{"id", "price"} {
			sort := []facade.SortKey{{Field: e.Property(order), Desc: order == "price"}, {Field: e.Primary}}
			if order == "id" {
				sort = sort[1:]
			}
			b.Run(fmt.Sprintf("50 keys of %d rows, 10 each, by %s", per, order), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					found, err := store.Find(b.Context(), &facade.Find{Entity: e, Select: layout, Sort: sort, Limit: 10, Each: &facade.EachKey{Field: e.Property("shelfId"), Values: keys}})
					if err != nil || found.Rows.Len() != 500 {
						b.Fatal(found, err)
					}
				}
			})
		}
	}
}

// BenchmarkCreate inserts rows that are on the disk when they are answered.
func BenchmarkCreate(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("%d writers", writers), func(b *testing.B) {
			store, e, _ := withRows(b, 1)
			layout := rows.NewLayout([]string{"id"})
			var next atomic.Int64
			next.Store(1)
			b.ReportAllocs()
			b.ResetTimer()
			var wg sync.WaitGroup
			for range writers {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for {
						i := int(next.Add(1))
						if i > b.N+1 {
							return
						}
						if _, err := store.Insert(b.Context(), e, []facade.Record{productRecord(e, i)}, nil, layout); err != nil {
							b.Error(err)
							return
						}
					}
				}()
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
		})
	}
}

// BenchmarkPrepare makes the tables of 1,000 cards, and starts again over them.
func BenchmarkPrepare(b *testing.B) {
	var cards []string
	for i := range 1000 {
		other := fmt.Sprintf("thing%d", (i+1)%1000)
		cards = append(cards, fmt.Sprintf("thing%d", i), card("name: type: string, maxLength: 80, x-kit: {role: {index: true}}", "price: type: integer, minimum: 0",
			"state: type: string, enum: [draft, live]", "at: type: string, format: date-time", "otherId: type: [string, 'null'], x-kit: {role: {relation: {to: "+other+", kind: one}}}"))
	}
	set := compile(b, cards...)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			store, err := sqlite.Open(b.Context(), sqlite.Options{Path: b.TempDir() + "/new.db", Logger: quiet})
			if err == nil {
				err = store.Prepare(b.Context(), set.Entities)
			}
			if err != nil {
				b.Fatal(err)
			}
			store.Close()
		}
	})
	b.Run("again", func(b *testing.B) {
		path := b.TempDir() + "/again.db"
		open(b, sqlite.Options{Path: path}, set.Entities).Close()
		for b.Loop() {
			store, err := sqlite.Open(b.Context(), sqlite.Options{Path: path, Logger: quiet})
			if err == nil {
				err = store.Prepare(b.Context(), set.Entities)
			}
			if err != nil {
				b.Fatal(err)
			}
			store.Close()
		}
	})
}
