package e2e_test

import (
	"strings"
	"testing"
)

// TestSegmentsInAnyCase: a door's segment is written as its entity is spelled, and found
// in any case.
func TestSegmentsInAnyCase(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"fronds/music/entities/playlistEntry.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  no: {type: integer}\n",
		"fronds/music/frond.yaml":                  "collectors: {'*': open}\ndoors: {playlistentry: {operations: {moveUp: {params: {type: object, properties: {id: {type: string}}}}}}}\n",
	}
	url, gw, _ := housed(t, files, nil)
	made := send(t, "POST", url+"/api/music/PlaylistEntries", `{"id":"e 1","no":1}`)
	if got := made.Header.Get("Location"); made.Status != 201 || got != "/api/music/playlistEntries/e%201" {
		t.Errorf("created with status %d at %q", made.Status, got)
	}
	for _, plural := range []string{"playlistEntries", "playlistentries", "PLAYLISTENTRIES"} {
		inquiry{rest: "GET /api/music/" + plural + "/e%201", want: `{"id":"e 1","no":1}`}.check(t, url)
		inquiry{rest: "POST /api/music/" + plural + "/e%201/move-up", want: `Not Implemented NOT_IMPLEMENTED`}.check(t, url)
	}
	if shown, err := gw.Shown("rest"); err != nil || !strings.Contains(shown, "/api/music/playlistEntries/{id}") {
		t.Errorf("the routes are %s, %v", shown, err)
	}

	dir := folder(t, files)
	for _, step := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"check", dir, "--pin"}, 0, ""},
		{[]string{"check", dir}, 0, ""},
	} {
		if r := run(t, "", step.args...); r.code != step.code {
			t.Errorf("%v: %d %s", step.args, r.code, r.stdout)
		}
	}
	// A lock that was written when segments were in lower case holds: the path is found.
	write(t, dir, map[string]string{"frond.lock": `{"plurals":{"music":{"playlistEntry":"playlistentries"}}}`})
	if r := run(t, "", "check", dir); r.code != 0 {
		t.Errorf("an older lock: %d %s", r.code, r.stdout)
	}
	write(t, dir, map[string]string{"fronds/music/frond.yaml": "doors: {other: {plural: PlaylistEntries, operations: {ring: {}}}}\ncollectors: {'*': open}\n"})
	if r := run(t, "", "check", dir); r.code != 2 && r.code != 1 || !strings.Contains(r.stdout, "is claimed twice") {
		t.Errorf("two doors at one path: %d %s", r.code, r.stdout)
	}
}
