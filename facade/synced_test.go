package facade_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/project"
)

const syncedFile = `{"note":"n","files":{"frond.json":"sha256:00"},"told":{"x-kit-version":1,"fronds":[{"name":"depot","doors":[{"name":"item","ops":[{"name":"list","kind":"query"},{"name":"pick"}],"schema":{"title":"item","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}}}}}]}]}}`

// TestReadSynced reads a folder that a host's word was written into: what its list
// takes and which operations are open stand in no card.
func TestReadSynced(t *testing.T) {
	files := fstest.MapFS{
		"fronds/depot/frond.json":         {Data: []byte(`{"doors":{"item":{"operations":{"only":["list"],"findByIds":false,"pick":{}}}}}`)},
		"fronds/depot/entities/item.json": {Data: []byte(`{"type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}}}}`)},
		"fronds/depot/synced.json":        {Data: []byte(syncedFile)},
	}
	project, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	project.Fronds[0].Remote = "http://127.0.0.1:1"
	f, err := facade.New(project, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	door := f.Catalog().Door("item")
	if list := door.Operation("list"); list.Takes("filter") || !list.Takes("limit") {
		t.Error("the list takes what its host does not")
	}
	if !door.Operation("pick").Open {
		t.Error("nobody says what pick takes, and yet it is not open")
	}
}

func TestReadSyncedFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                      "this is not JSON",
		`{"files":[]}`:                           "it does not name the files",
		`{"files":{"a":1}}`:                      "it does not name the files",
		`{"files":{},"discovery":{}}`:            "the discovery document in it cannot be read",
		`{"files":{},"discovery":{"fronds":[]}}`: "it has more Fronds than one, or of none",
	} {
		files := fstest.MapFS{
			"fronds/depot/entities/item.json": {Data: []byte(`{}`)},
			"fronds/depot/synced.json":        {Data: []byte(text)},
		}
		_, err := facade.Read(files)
		if err == nil || !strings.Contains(err.Error(), "fronds/depot/synced.json: "+want) || !strings.Contains(err.Error(), "remove it, and the files it names") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestSyncedRoundTrip holds that the file is read as it was written.
func TestSyncedRoundTrip(t *testing.T) {
	s, err := project.ReadSynced("synced.json", []byte(syncedFile))
	if err != nil {
		t.Fatal(err)
	}
	text := s.AppendJSON(nil)
	again, err := project.ReadSynced("synced.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if string(again.AppendJSON(nil)) != string(text) || again.Frond.Name != "depot" || again.Files["frond.json"] != "sha256:00" {
		t.Errorf("%s is %s", text, again.AppendJSON(nil))
	}
}
