package conform

import (
	"net/http"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

const (
	lastEvent   = "/_kit/facts?limit=0"
	unknownFile = "/_kit/files?ids=conform-unknown"
)

// paths are the clauses about the paths beside calls.
var paths = []clause{
	{ID: "events", Number: "6.2", Text: "GET /_kit/facts gives the events of its facts with their positions", Without: "gives subscribers NOT_IMPLEMENTED", try: document(func(t *trial) {
		if !t.announces() {
			t.skip("the document has no facts")
			return
		}
		a := t.answered(t.host.get(t.ctx, lastEvent))
		switch {
		case t.verdict != passed:
		case a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed || a.status == http.StatusNotImplemented:
			t.absent("the host gives no events")
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
		if !t.holdsFiles() {
			t.skip("no door has fileFields")
			return
		}
		a := t.answered(t.host.get(t.ctx, unknownFile))
		switch {
		case t.verdict != passed:
		case a.status != http.StatusOK || jsontext.KindOf(jsontext.Get(a.body, "files")) != jsontext.Array:
			t.fail("the answer has no files: status %d", a.status)
		case len(jsontext.List(jsontext.Get(a.body, "files"))) > 0:
			t.fail("a file with an unknown id is described")
		}
	})},
	{ID: "requests", Number: "5.2", Text: "requests for facts and files are signed as calls are: without a signature, and with one for another request, there is a challenge", Without: "is one of many who read all facts and files; close access by other means", try: document(func(t *trial) {
		var all []string
		if t.announces() {
			all = append(all, lastEvent)
		}
		if t.holdsFiles() {
			all = append(all, unknownFile)
		}
		switch {
		case all == nil:
			t.skip("the document has neither facts nor files")
		case t.host.signer == nil:
			t.skip("the suite signs calls with --key")
		default:
			t.unsigned(all)
		}
	})},
}

// unsigned requests paths without a token, and with one for another query.
func (t *trial) unsigned(paths []string) {
	for _, path := range paths {
		signed, err := t.host.tokenFor(path + "&conform=other")
		if err != nil {
			t.fail("the request cannot be signed: %v", err)
			return
		}
		for _, token := range []string{"", signed} {
			header := t.host.header.Clone()
			if header == nil {
				header = http.Header{}
			}
			if token != "" {
				header.Set("Authorization", token)
			}
			a := t.answered(t.host.requestWith(t.ctx, header, http.MethodGet, path, "GET "+path, nil))
			if t.verdict == passed && a.status != http.StatusNotFound && (a.status != http.StatusUnauthorized || a.header.Get("WWW-Authenticate") == "") {
				t.fail("the status is %d; write 401 with WWW-Authenticate: Kit-Call", a.status)
			}
		}
	}
}

// announces reports whether a Frond of the document has a fact.
func (s *suite) announces() bool {
	return slices.ContainsFunc(s.document.Fronds, func(f schema.DiscoveredFrond) bool { return len(f.Facts) > 0 })
}

// holdsFiles reports whether a door has fields that hold files.
func (s *suite) holdsFiles() bool {
	return slices.ContainsFunc(s.doors, func(d *door) bool { return d.there.FileFields != nil })
}
