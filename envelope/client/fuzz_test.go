package client_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// FuzzReply answers a client with any bytes: an error with a code of ours, or a
// result whose text is JSON.
func FuzzReply(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"items":[{"a":1}],"total":-1,"hasMore":true,"endCursor":null}}`, `{"jsonrpc":"2.0","id":1,"result":[{"a":1},{"b":{}}]}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"m","data":{"code":"CONFLICT","message":"m","details":[{"path":"a","pointer":"/a","code":"c","message":"m"}]}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1.5}}`, `{"jsonrpc":"2.0","id":1,"error":7,"result":null}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if jsontext.Check([]byte(body)) != nil {
			return // the client checks too, before it reads
		}
		result, err := client.ReadReply(json.RawMessage(body))
		if err != nil {
			if text := err.AppendJSON(nil); !err.Code.Known() || jsontext.Check(text) != nil {
				t.Fatalf("%q: %s", body, text)
			}
			return
		}
		if result == nil {
			return // no frame
		}
		if text := result.AppendJSON(nil); jsontext.Check(text) != nil {
			t.Fatalf("%q: %s", body, text)
		}
	})
}

// FuzzRemote answers a remote with any bytes under any status, to a call of each
// form and to one for many keys: an error with a code of ours that repeats nothing of
// what is no frame, or a result whose text is JSON and whose groups are as many as
// the keys. %1 and %2 stand for the ids that were asked.
func FuzzRemote(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":%1,"result":{"items":[{"id":"a"}],"total":1,"hasMore":false,"endCursor":null}}`, `{"jsonrpc":"2.0","id":"%1","result":[{"id":"a"},null]}`,
		`[{"jsonrpc":"2.0","id":%2,"result":null},{"jsonrpc":"2.0","id":%1,"result":{"id":"a"}}]`, `[{"jsonrpc":"2.0","id":%1,"result":{"items":[]}},{"jsonrpc":"2.0","id":%2,"result":[]}]`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}`, `{"jsonrpc":"2.0","id":%1,"error":{"code":-32601,"message":"m"}}`, `[]`, `<html>`, `{"jsonrpc":"2.0","id":%1,"result":{"id":{"\u0069d":1}}}`,
	} {
		for form := range 5 {
			f.Add(200, form, body)
		}
		f.Add(401, 1, body)
		f.Add(503, 3, body)
	}
	catalog := storetest.Facade(f).Catalog()
	calls := []*facade.Call{
		{Entity: "author", Operation: "findById"},
		{Entity: "author", Operation: "list", Cursors: true, Invocation: facade.Invocation{Query: json.RawMessage(`{"limit":1,"before":""}`)}},
		{Entity: "author", Operation: "create"},
		{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"a"`, `"b"`, `null`, `"a"`)}},
		{Entity: "post", Operation: "list", Each: &facade.Each{Field: "authorId", Keys: keysOf(`"a"`, `"b"`)}},
	}
	f.Fuzz(func(t *testing.T, status, form int, body string) {
		if status < 200 || status > 599 {
			return
		}
		call := calls[uint(form)%uint(len(calls))]
		var posts atomic.Int64
		r := client.New("http://host", &client.Options{Retries: -1, Strict: status%2 == 1, Log: slog.New(slog.DiscardHandler), Transport: tripper(func(r *http.Request) (*http.Response, error) {
			posts.Add(1)
			asked, _ := io.ReadAll(r.Body)
			ids := []string{idIn(string(asked)), "0"}
			if jsontext.KindOf(asked) == jsontext.Array {
				ids = ids[:0]
				for _, frame := range jsontext.Elements(asked) {
					ids = append(ids, idIn(string(frame)))
				}
			}
			answer := strings.NewReplacer("%1", ids[0], "%2", ids[1]).Replace(body)
			return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(strings.NewReader(answer))}, nil
		})}).With(catalog)
		result, err := r.Call(t.Context(), call)
		if posts.Load() > 1+1+2 {
			t.Fatalf("%d posts", posts.Load())
		}
		if err != nil {
			e := kiterror.AsError(err)
			if !e.Code.Known() || jsontext.Check(e.AppendJSON(nil)) != nil || e.Entity == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		if call.Each != nil && len(result.Groups) != len(call.Each.Keys) {
			t.Fatalf("%d groups for %d keys", len(result.Groups), len(call.Each.Keys))
		}
		if text := result.AppendJSON(nil); jsontext.Check(text) != nil {
			t.Fatalf("%s", text)
		}
		if result.Form == facade.FormPage && call.Each == nil && (result.Rows.Len() > 1 || len(result.Cursors) != 0 && len(result.Cursors) != result.Rows.Len()) {
			t.Fatalf("%d rows, %d cursors", result.Rows.Len(), len(result.Cursors))
		}
	})
}
