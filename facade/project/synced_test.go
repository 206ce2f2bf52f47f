package project_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade/project"
)

const syncedFile = `{"note":"n","files":{"frond.json":"sha256:00"},"told":{"x-kit-version":1,"fronds":[{"name":"depot","doors":[{"name":"item","ops":[{"name":"list","kind":"query"},{"name":"pick"}],"schema":{"title":"item","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}}}}}]}]}}`

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
		_, err := project.Read(files)
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
