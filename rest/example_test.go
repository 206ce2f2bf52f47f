package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// What one card becomes, and a note's life.
func Example() {
	project, err := facade.Read(os.DirFS("testdata/example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	compiled, err := compile.Project(project, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err := facade.New(compiled, storetest.NewStore(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	handler, err := rest.New(host.Catalog(), host, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(handler.Table())

	send := func(verb, path, body string) {
		r := httptest.NewRequest(verb, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		text := w.Body.Bytes()
		if items := jsontext.Get(text, "items"); items != nil {
			text = items // a list result: leave its cursor out here
		}
		fmt.Println(strings.TrimSpace(fmt.Sprintf("%d %s %s", w.Code, http.StatusText(w.Code), text)))
	}
	fmt.Println()
	path := handler.Table().Routes()[0].Path
	send("POST", path, `{"id":"n1","text":"water the plants"}`)
	send("PATCH", path+"/n1", `{"stars":3}`)
	send("GET", path+"?filter[stars][gte]=2&fields=id,stars", "")
	send("DELETE", path+"/n1", "")
	send("DELETE", path+"/n1", "")
	// Output:
	// GET     /api/app/notes              note.list
	// POST    /api/app/notes              note.create
	// GET     /api/app/notes/{id}         note.findById
	// PUT     /api/app/notes/{id}         note.update
	// PATCH   /api/app/notes/{id}         note.update
	// DELETE  /api/app/notes/{id}         note.delete
	// GET     /api/app/notes/find-by-ids  note.findByIds
	// GET     /api/app/notes/aggregate    note.aggregate
	//
	// 201 Created {"id":"n1","text":"water the plants","stars":0}
	// 200 OK {"id":"n1","text":"water the plants","stars":3}
	// 200 OK [{"id":"n1","stars":3}]
	// 204 No Content
	// 404 Not Found {"type":"about:blank","title":"Not Found","status":404,"detail":"there is no note with this id","instance":"/api/app/notes/n1","data":{"code":"NOT_FOUND","message":"there is no note with this id","entity":"note","operation":"delete"}}
}
