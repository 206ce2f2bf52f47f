package gateway

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/store/storetest"
)

// shopOfFiles serves the project of writes of many rows, with small limits of bodies and lists.
func shopOfFiles(t *testing.T) (send func(method, path, media, accept, who string, body io.Reader) (*http.Response, string)) {
	gw, err := New(storetest.ManyProject(t), &Options{
		Undecided: true, Logger: slog.New(slog.DiscardHandler),
		Config: Config{Store: memoryStore, Identity: Identity{Dev: true}, Limits: Limits{Body: 4 << 10, Transaction: time.Minute}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	server := httptest.NewServer(gw.Handler())
	t.Cleanup(server.Close)
	return func(method, path, media, accept, who string, body io.Reader) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", media)
		r.Header.Set("Accept", accept)
		r.Header.Set(identity.DevHeader, who)
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Body.Close()
		text, err := io.ReadAll(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		return w, string(text)
	}
}

const asAdmin, asAnn = `{"id":"admin","role":"admin"}`, `{"id":"ann","role":"seller"}`

// TestFilesOfRows imports files over HTTP and exports them again.
func TestFilesOfRows(t *testing.T) {
	send := shopOfFiles(t) //nolint:bodyclose // send has closed it
	var file bytes.Buffer
	file.WriteString("sku,price,sellerId\r\n")
	for i := range 1_300 { // longer than the limit of other bodies, and than a batch and a page
		fmt.Fprintf(&file, "s%04d,%d,s\r\n", i, i)
	}
	for _, c := range []struct {
		method, path, media, accept, who, body string
		status                                 int
		want                                   string // in the answer
	}{
		{"POST", "/api/shop/products/import?by=sku&dryRun=true", "text/csv", "", asAdmin, file.String(), 200, `{"created":1300,"updated":0,"rows":1300,"complete":true,"faults":[]}`},
		{"GET", "/api/shop/products?limit=0", "", "", asAdmin, "", 200, `"total":0`},
		{"POST", "/api/shop/products/import?by=sku", "text/csv; charset=utf-8", "", asAdmin, file.String(), 200, `{"created":1300,"updated":0,"rows":1300,"complete":true,"faults":[]}`},
		{"GET", "/api/shop/products?sort=sku&fields=sku,price,sellerId", "", "text/csv", asAdmin, "", 200, file.String()},
		{"POST", "/api/shop/products/import?by=sku", "application/x-ndjson", "", asAdmin, "{\"sku\":\"s0000\",\"price\":7,\"sellerId\":\"s\"}\n{\"sku\":\"x\",\"price\":7,\"sellerId\":\"s\"}\n{\"sku\":\"s0000\",\"price\":8,\"sellerId\":\"s\"}\n", 200, `{"created":0,"updated":1,"rows":3,"complete":true,"faults":[{"line":2,"column":"sku","code":"minLength",`},
		{"POST", "/api/shop/products/import?by=sku", "application/json", "", asAdmin, `[{"sku":"s0001","price":9,"sellerId":"s"}]`, 200, `{"created":0,"updated":1,"rows":1,"complete":true,"faults":[]}`},
		{"POST", "/api/shop/products/import?by=sku&faults=1", "text/csv", "", asAdmin, "sku,price,sellerId\na,1,s\nbb,1,s\n", 200, `"rows":1,"complete":false,"faults":[{"line":2,"column":"sku","code":"minLength"`},
		{"POST", "/api/shop/products/import?by=sku", "text/csv", "", asAnn, "sku,price\naa,1\nbb,-1\n", 200, `{"created":1,"updated":0,"rows":2,"complete":true,"faults":[{"line":3,"column":"price","code":"minimum"`},
		{"POST", "/api/shop/products/import?by=sku", "text/csv", "", asAnn, "sku,price,cost,zz\naa,1,,\n", 400, `"details":[{"path":"cost","pointer":"/query/columns/2","code":"unknown_key","message":"is not part of the card; leave it out"},{"path":"zz","pointer":"/query/columns/3","code":"unknown_key","message":"is not part of the card; leave it out"}]`},
		{"POST", "/api/shop/products/import?by=sku", "text/csv", "", asAdmin, "sku,price,sellerId,cost\naa,1,ann,\n", 200, `{"created":0,"updated":1,"rows":1`},
		{"GET", "/api/shop/products?fields=sku,sellerId", "", "application/x-ndjson", asAnn, "", 200, `{"sku":"aa","sellerId":"ann"}` + "\n"},
		{"POST", "/api/shop/products/import?by=sku", "text/csv", "", asAdmin, "sep=;\r\nsku;price;sellerId;\r\ns0002;1;s;\r\n;;;\r\n", 200, `{"created":0,"updated":1,"rows":1,"complete":true,"faults":[]}`},
		{"POST", "/api/shop/products/import?by=sku&delimiter=tab", "text/csv", "", asAdmin, "sku\tprice\tsellerId\ns0002\t1\ts;s\n", 200, `{"created":0,"updated":1,"rows":1,"complete":true,"faults":[]}`},
		{"POST", "/api/shop/products/import?by=sku&delimiter=;", "text/csv", "", asAdmin, "sku;price;sellerId\ns0002;1;s\n", 200, `{"created":0,"updated":1,"rows":1,"complete":true,"faults":[]}`},
		{"POST", "/api/shop/products/import?by=sku&delimiter=x", "text/csv", "", asAdmin, "sku\n", 400, `must be comma, semicolon, tab or pipe, or the character itself`},
		{"POST", "/api/shop/products/import?by=sku&delimiter=tab", "application/x-ndjson", "", asAdmin, "{}", 400, `"pointer":"/query/delimiter"`},
		{"POST", "/api/shop/products/import?by=sku", "text/csv", "", asAdmin, "\xFF\xFEs\x00k\x00u\x00\n\x00", 200, `"complete":false,"faults":[{"line":1,"column":null,"code":"syntax","message":"is in UTF-16; save the file as UTF-8`},
		{"POST", "/api/shop/products/import?by=price", "text/csv", "", asAdmin, "sku\naa\n", 400, `"pointer":"/query/by"`},
		{"POST", "/api/shop/products/import?by=sku", "text/plain", "", asAdmin, "sku\naa\n", 415, `send the body as`},
		{"POST", "/api/shop/products/import?by=sku", "text/csv", "", `{"id":"c","role":"clerk"}`, "sku\naa\n", 403, `"code":"FORBIDDEN"`},
		{"POST", "/api/shop/reviews/import?by=id", "text/csv", "", asAdmin, "id\naa\n", 405, `"code":"METHOD_NOT_ALLOWED"`},
		{"GET", "/api/shop/products/import", "", "", asAdmin, "", 405, `this path is served under POST`},
	} {
		w, text := send(c.method, c.path, c.media, c.accept, c.who, strings.NewReader(c.body)) //nolint:bodyclose // send has closed it
		if w.StatusCode != c.status || !strings.Contains(text, c.want) || c.accept != "" && text != c.want {
			t.Errorf("%s %s:\n got %d %.600s\nwant %d %.600s", c.method, c.path, w.StatusCode, text, c.status, c.want)
		}
	}
}

// TestImportOfABodyThatBreaksOff keeps whole batches: those that were written before.
func TestImportOfABodyThatBreaksOff(t *testing.T) {
	send := shopOfFiles(t) //nolint:bodyclose // send has closed it
	from, to := io.Pipe()
	go func() {
		fmt.Fprint(to, "sku,price,sellerId\n")
		for i := range 2_700 {
			fmt.Fprintf(to, "s%04d,1,s\n", i)
		}
		to.Close()
	}()
	w, text := send("POST", "/api/shop/products/import?by=sku", "text/csv", "", asAdmin, from) //nolint:bodyclose // send has closed it
	if w.StatusCode != 200 || !strings.Contains(text, `"created":2700`) {
		t.Fatalf("%d %s", w.StatusCode, text)
	}
	const last = "\"s9999,1,s\n"
	w, text = send("POST", "/api/shop/products/import?by=sku", "text/csv", "", asAdmin, strings.NewReader("sku,price,sellerId\nnew,1,s\n"+last)) //nolint:bodyclose // send has closed it
	if w.StatusCode != 200 || !strings.Contains(text, `"created":1,"updated":0,"rows":2,"complete":false,"faults":[{"line":3,"column":null,"code":"syntax"`) {
		t.Errorf("%d %s", w.StatusCode, text)
	}
}
