package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/store/storetest"
)

// hundred is a page of 100 rows with ten columns, as a store writes them.
func hundred() *facade.Result {
	found := rows.New(rows.NewLayout([]string{"id", "title", "slug", "status", "views", "score", "pinned", "authorId", "createdAt", "updatedAt"}), 100)
	for i := range 100 {
		found.BeginRow()
		for col, v := range []string{
			fmt.Sprintf(`"p%06d"`, i), fmt.Sprintf(`"The title of number %d"`, i), fmt.Sprintf(`"the-title-of-number-%d"`, i), `"published"`,
			strconv.Itoa(i * 37), `4.75`, `true`, `"a1"`, `"2024-03-01T08:00:00.000Z"`, `"2024-03-01T08:00:00.000Z"`,
		} {
			found.Put(col, []byte(v))
		}
		found.EndRow()
	}
	return &facade.Result{Form: facade.FormPage, Rows: found, Page: facade.Page{Total: 100, HasMore: true, Cursors: []string{"AZ3hE8Xiy1-sWzIwLDVd"}}}
}

// discard is a ResponseWriter that keeps the status and counts.
type discard struct {
	header http.Header
	status int
	bytes  int64
}

func (d *discard) Header() http.Header    { return d.header }
func (d *discard) WriteHeader(status int) { d.status = status }
func (d *discard) Write(p []byte) (int, error) {
	d.bytes += int64(len(p))
	return len(p), nil
}

// BenchmarkList100 answers a page of 100 rows that stand ready, by this handler, by
// one written by hand over the same rows, and by one that marshals structs.
func BenchmarkList100(b *testing.B) {
	page := hundred()
	caller := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { return page, nil })
	h := serve(b, caller, nil)

	pool := sync.Pool{New: func() any { return new([]byte) }}
	byHand := http.NewServeMux()
	byHand.HandleFunc("GET /api/blog/posts", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		limit, _ := strconv.Atoi(query.Get("limit"))
		if limit == 0 || query.Get("sort") == "" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		text := pool.Get().(*[]byte)
		defer pool.Put(text)
		*text = page.AppendJSON((*text)[:0])
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(*text)))
		_, _ = w.Write(*text)
	})

	type post struct {
		ID, Title, Slug, Status, AuthorID, CreatedAt, UpdatedAt string
		Views                                                   int
		Score                                                   float64
		Pinned                                                  bool
	}
	var posts []post
	if err := json.Unmarshal(page.Rows.AppendJSON(nil), &posts); err != nil {
		b.Fatal(err)
	}
	marshalling := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"items": posts, "total": 100, "hasMore": true, "endCursor": "AZ3hE8Xiy1-sWzIwLDVd"})
	})

	for _, c := range []struct {
		name    string
		handler http.Handler
	}{{"rest", h}, {"by hand", byHand}, {"by hand, marshalling structs", marshalling}} {
		b.Run(c.name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, "/api/blog/posts?limit=100&sort=-views", nil)
			w := discard{header: http.Header{}, status: 200}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				c.handler.ServeHTTP(&w, r)
			}
			if w.status != 200 || w.bytes == 0 {
				b.Fatal(w.status)
			}
			b.SetBytes(w.bytes / int64(b.N))
		})
	}
}

// TestListIsOneCopy: what a list allocates does not depend on how many rows it has.
func TestListIsOneCopy(t *testing.T) {
	page := hundred()
	h := serve(t, facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { return page, nil }), nil)
	r := httptest.NewRequest(http.MethodGet, "/api/blog/posts?limit=100&sort=-views", nil)
	w := discard{header: http.Header{}}
	allocs := testing.AllocsPerRun(100, func() {
		clear(w.header)
		h.ServeHTTP(&w, r)
	})
	if w.status != 200 || allocs > 30 {
		t.Errorf("status %d, %v allocations for 100 rows, want at most 30", w.status, allocs)
	}
}

// BenchmarkFindByID is one row through the real façade, over rows in memory.
func BenchmarkFindByID(b *testing.B) {
	f := storetest.Facade(b)
	h, err := rest.New(f.Catalog(), f, nil)
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/api/blog/posts/p1", nil)
	w := discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		h.ServeHTTP(&w, r)
	}
	if w.status != 200 {
		b.Fatal(w.status)
	}
}

// BenchmarkFilter reads a long query string.
func BenchmarkFilter(b *testing.B) {
	h := serve(b, value("true"), nil)
	r := httptest.NewRequest(http.MethodGet, "/api/blog/posts?filter[views][gte]=10&filter[author][name][startsWith]=A&filter[or][0][status]=draft&filter[or][1][pinned]=true&sort=-views,title&limit=20", nil)
	w := discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		h.ServeHTTP(&w, r)
	}
	if w.status != 200 {
		b.Fatal(w.status)
	}
}
