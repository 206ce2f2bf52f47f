package postgres_test

import (
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

// BenchmarkCreate measures creates that are durable when they are answered: the store, and
// the same insert by hand over pgx with as many connections. PostgreSQL groups the commits of
// both. Run both with
//
//	go test ./store/postgres -run '^$' -bench Create -benchtime 3s
func BenchmarkCreate(b *testing.B) {
	cluster := pgtest.New(b, pgtest.Options{Durable: true})
	const connections, clients = 16, 32
	set := storetest.Cards(b)
	comment := set.Entity("comment")
	url := cluster.Primary.URL(cluster.Database(b))
	s := open(b, postgres.Options{URL: with(url, "connections="+strconv.Itoa(connections))}, set.Entities)
	for _, row := range []struct{ entity, text string }{
		{"author", `{"id":"a","name":"a","nicknames":[]}`},
		{"post", `{"id":"p","title":"t","slug":"s","status":"draft","views":0,"authorId":"a","tagIds":[]}`},
	} {
		var record map[string]json.RawMessage
		if err := json.Unmarshal([]byte(row.text), &record); err != nil {
			b.Fatal(err)
		}
		e := set.Entity(row.entity)
		var r facade.Record
		for _, p := range e.Fields {
			if v, ok := record[p.Name]; ok {
				r = append(r, facade.Record{{Name: p.Name, Value: v}}...)
			}
		}
		if _, err := s.Insert(b.Context(), e, []facade.Record{r}, nil, rows.NewLayout(nil)); err != nil {
			b.Fatal(err)
		}
	}
	var serial atomic.Int64
	layout := rows.NewLayout([]string{"id", "postId", "number", "body", "stars"})
	b.Run("store", func(b *testing.B) {
		b.SetParallelism(clients)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				n := serial.Add(1)
				rows, err := s.Insert(b.Context(), comment, []facade.Record{{
					{Name: "id", Value: strconv.AppendQuote(nil, "c"+strconv.FormatInt(n, 10))},
					{Name: "postId", Value: json.RawMessage(`"p"`)},
					{Name: "number", Value: strconv.AppendInt(nil, n, 10)},
					{Name: "body", Value: json.RawMessage(`"a comment of some words"`)},
					{Name: "stars", Value: json.RawMessage("5")},
				}}, nil, layout)
				if err != nil || rows.Len() != 1 {
					b.Error(err)
				}
			}
		})
	})
	b.Run("by hand", func(b *testing.B) {
		pool := make(chan *pgx.Conn, connections)
		for range connections {
			conn, err := pgx.Connect(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = conn.Close(context.Background()) }()
			pool <- conn
		}
		b.SetParallelism(clients)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				n := serial.Add(1)
				var id, post, body string
				var number, stars int64
				conn := <-pool
				err := conn.QueryRow(b.Context(), `INSERT INTO comment (id, "postId", number, body, stars) VALUES ($1, $2, $3, $4, $5) RETURNING id, "postId", number, body, stars`,
					"c"+strconv.FormatInt(n, 10), "p", n, "a comment of some words", 5).Scan(&id, &post, &number, &body, &stars)
				pool <- conn
				if err != nil {
					b.Error(err)
				}
			}
		})
	})
}

// BenchmarkOneRow measures what the store adds to a read of one row: the same statement is run
// by hand.
func BenchmarkOneRow(b *testing.B) {
	set := storetest.Cards(b)
	tag := set.Entity("tag")
	var text string
	url := pgtest.Database(b)
	s := open(b, postgres.Options{URL: url, Trace: func(sql string, _ ...any) { text = sql }}, set.Entities)
	plain := open(b, postgres.Options{URL: url}, set.Entities)
	if err := put(b.Context(), s, tag, 1, nil); err != nil {
		b.Fatal(err)
	}
	find := &facade.Find{
		Entity: tag, Select: rows.NewLayout([]string{"id", "label"}), Sort: []facade.SortKey{{Field: tag.Primary}}, Limit: 1,
		Each: &facade.EachKey{Field: tag.Primary, Values: []json.RawMessage{json.RawMessage("1")}},
	}
	if _, err := s.Find(b.Context(), find); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.Run("store", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if found, err := plain.Find(ctx, find); err != nil || found.Rows.Len() != 1 {
				b.Fatal(err)
			}
		}
	})
	b.Run("by hand", func(b *testing.B) {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = conn.Close(context.Background()) }()
		statement, err := conn.PgConn().Prepare(ctx, "one", text, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			result := conn.PgConn().ExecStatement(ctx, statement, [][]byte{[]byte("{1}")}, nil, nil)
			rows := 0
			for result.NextRow() {
				rows++
			}
			if _, err := result.Close(); err != nil || rows != 1 {
				b.Fatal(err, rows)
			}
		}
	})
}
