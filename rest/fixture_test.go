package rest_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// blog is the catalog of testdata/project: every kind of route and parameter.
func blog(t testing.TB) *catalog.Catalog {
	t.Helper()
	project, err := facade.Read(os.DirFS("testdata/project"))
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.Compiled(t, project)
	return f.Catalog
}

// serve is a handler whose calls caller answers.
func serve(t testing.TB, caller facade.Caller, opts *rest.Options) *rest.Handler {
	t.Helper()
	h, err := rest.New(blog(t), caller, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// value is a caller that answers everything with one value.
func value(text string) facade.Caller {
	return facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
		return &facade.Result{Form: facade.FormValue, Value: []byte(text)}, nil
	})
}

// row is a result of one row, or of none where text is empty.
func row(text string) *facade.Result {
	r := rowsOf(text)
	r.Form = facade.FormRow
	return r
}

// rowsOf is a result of rows, each a JSON object with the members of the first.
func rowsOf(texts ...string) *facade.Result {
	var fields []string
	for name := range jsontext.Members([]byte(texts[0])) {
		fields = append(fields, name)
	}
	found := rows.New(rows.NewLayout(fields), len(texts))
	for _, text := range texts {
		if text == "" {
			continue
		}
		found.BeginRow()
		for name, v := range jsontext.Members([]byte(text)) {
			found.Put(found.Layout().Index(name), v)
		}
		found.EndRow()
	}
	return &facade.Result{Form: facade.FormRows, Rows: found}
}

// ask sends a request written as its first line, headers as "Name: value", and a body.
func ask(t testing.TB, h http.Handler, line string, headers []string, body string) *httptest.ResponseRecorder {
	t.Helper()
	method, target, _ := strings.Cut(line, " ")
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" || method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if r.Header.Get(name) != "" && name == "Content-Type" {
			r.Header.Del(name)
		}
		if value != "" {
			r.Header.Add(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// problem checks that an answer is a problem with all six members and no other, and
// answers its code and the pointers and codes of its details.
func problem(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type %q: %s", got, w.Body)
	}
	var members []string
	for name := range jsontext.Members(w.Body.Bytes()) {
		members = append(members, name)
	}
	if got := strings.Join(members, " "); got != "type title status detail instance data" {
		t.Errorf("members %q", got)
	}
	if got := string(jsontext.Get(w.Body.Bytes(), "status")); got != fmt.Sprint(w.Code) {
		t.Errorf("status %s in the body, %d outside", got, w.Code)
	}
	data := jsontext.Get(w.Body.Bytes(), "data")
	if string(jsontext.Get(data, "message")) != string(jsontext.Get(w.Body.Bytes(), "detail")) {
		t.Errorf("detail and message differ: %s", w.Body)
	}
	said := jsontext.Unquote(jsontext.Get(data, "code"))
	for _, d := range jsontext.Elements(jsontext.Get(data, "details")) {
		said += " " + jsontext.Unquote(jsontext.Get(d, "pointer")) + ":" + jsontext.Unquote(jsontext.Get(d, "code"))
	}
	return said
}
