package conform

import (
	"net/http"

	"github.com/frondhost/frond/schema/jsontext"
)

// paths are the clauses about the paths beside calls.
var paths = []clause{
	{ID: "events", Number: "6.2", Text: "GET /_kit/facts gives the events of its facts with their positions", Without: "gives subscribers NOT_IMPLEMENTED", try: document(func(t *trial) {
		announced := 0
		for i := range t.document.Fronds {
			announced += len(t.document.Fronds[i].Facts)
		}
		if announced == 0 {
			t.skip("the document has no facts")
			return
		}
		a := t.answered(t.host.get(t.ctx, "/_kit/facts?limit=0"))
		switch {
		case t.verdict != passed:
		case a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed || a.status == http.StatusNotImplemented:
			t.absent("the host gives no events")
		case a.status == http.StatusUnauthorized && t.host.signer != nil:
			t.skip("the suite signs frames alone")
		case a.status != http.StatusOK:
			t.fail("the status is %d", a.status)
		default:
			for _, name := range []string{"oldest", "last"} {
				if !isText(jsontext.Get(a.body, name)) {
					t.fail("%s is %s, and has to be a whole number as text", name, orAbsent(jsontext.Get(a.body, name)))
				}
			}
		}
	})},
	{ID: "files", Number: "2.5", Text: "GET /_kit/files describes the files of doors with fileFields", Without: "serves no files", try: document(func(t *trial) {
		given := false
		for _, d := range t.doors {
			given = given || d.there.FileFields != nil
		}
		if !given {
			t.skip("no door has fileFields")
			return
		}
		a := t.answered(t.host.get(t.ctx, "/_kit/files?ids=conform-unknown"))
		switch {
		case t.verdict != passed:
		case a.status == http.StatusUnauthorized && t.host.signer != nil:
			t.skip("the suite signs frames alone")
		case a.status != http.StatusOK || jsontext.KindOf(jsontext.Get(a.body, "files")) != jsontext.Array:
			t.fail("the answer has no files: status %d", a.status)
		case len(elements(jsontext.Get(a.body, "files"))) > 0:
			t.fail("a file with an unknown id is described")
		}
	})},
}
