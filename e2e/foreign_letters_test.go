package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/gateway"
)

// startLetters starts a Frond in Python that knows nothing of this house: its lists are
// bare arrays, and its own operations name no input.
func startLetters(t testing.TB) *program {
	t.Helper()
	need(t, "python3")
	return start(t, exec.Command("python3", filepath.Join("testdata", "foreign", "letters.py")))
}

// TestLettersThroughTheGateway: pages of a bare array say whether there are more, and
// their cursors page; an operation without an input is called with an id.
func TestLettersThroughTheGateway(t *testing.T) {
	t.Parallel()
	url, _, _ := housed(t, nil, map[string]gateway.Remote{"letters": {URL: startLetters(t).URL}})
	for range 2 { // what the host answers is learned, and then known
		for _, a := range []inquiry{
			{graphql: `{ letters(first: 3) { total hasMore items { id } } }`, want: `{"letters":{"total":-1,"hasMore":true,"items":[{"id":"l1"},{"id":"l2"},{"id":"l3"}]}}`},
			{graphql: `{ letters(first: 4) { total hasMore items { id } } }`, want: `{"letters":{"total":-1,"hasMore":true,"items":[{"id":"l1"},{"id":"l2"},{"id":"l3"},{"id":"l4"}]}}`},
			{graphql: `{ letters(first: 3, offset: 4) { total hasMore items { id } } }`, want: `{"letters":{"total":7,"hasMore":false,"items":[{"id":"l5"},{"id":"l6"},{"id":"l7"}]}}`},
			{graphql: `{ folders { total } }`, want: `{"folders":{"total":7}}`},
			{graphql: `{ folders(first: 2) { total hasMore endCursor items { id } } }`, want: `{"folders":{"total":-1,"hasMore":true,"endCursor":null,"items":[{"id":"l1"},{"id":"l2"}]}}`},
			{graphql: `{ folders(first: 7) { total hasMore } }`, want: `{"folders":{"total":7,"hasMore":false}}`},
			{graphql: `{ folders(first: 2, after: "x") { total } }`, want: `GRAPHQL_VALIDATION_FAILED`},
			{rest: `GET /api/letters/folders?limit=6`, want: `{"items":[{"id":"l1","cents":1},{"id":"l2","cents":1},{"id":"l3","cents":1},{"id":"l4","cents":1},{"id":"l5","cents":1},{"id":"l6","cents":1}],"total":-1,"hasMore":true,"endCursor":null}`},
			{method: `folder.list {"query":{"limit":0}}`, want: `{"items":[],"total":7,"hasMore":true,"endCursor":null}`},
			{method: `letter.list {"query":{"limit":2,"after":"czc"}}`, want: `VALIDATION_FAILED`},
			{rest: `GET /api/letters/letters?sort=title`, want: `Bad Request VALIDATION_FAILED`},
			{graphql: `mutation { letterPublish(id: "l1", query: {at: "noon"}) { id state } }`, want: `{"letterPublish":{"id":"l1","state":"published noon"}}`},
			{rest: `POST /api/letters/letters/l2/publish {"at":"one"}`, want: `{"id":"l2","title":"Letter 2","state":"published one"}`},
			{method: `letter.publish {"params":{"id":"l3"},"body":{"at":"two"}}`, want: `{"id":"l3","title":"Letter 3","state":"published two"}`},
			{rest: `POST /api/letters/letters/publish {"at":"one"}`, want: `Not Found NOT_FOUND`},
			{graphql: `{ letterSearchText(query: {text: "7"}) }`, want: `{"letterSearchText":[{"id":"l7","title":"Letter 7","state":"draft"}]}`},
			{rest: `GET /api/letters/letters/search-text?text=7`, want: `[{"id":"l7","title":"Letter 7","state":"draft"}]`},
		} {
			a.check(t, url)
		}
	}

	// Every cursor of an edge pages on from its row: by offset, and behind cursors of the
	// host's own.
	for _, list := range []string{"letters", "stamps"} {
		t.Run(list, func(t *testing.T) {
			var ids []string
			page := func(args string) (end string, more bool) {
				t.Helper()
				var data map[string]struct {
					HasMore  bool
					Edges    []struct{ Node struct{ ID string } }
					PageInfo struct {
						EndCursor       string
						HasPreviousPage bool
					}
				}
				got := inquiry{graphql: "{ " + list + "(first: 3" + args + ") { hasMore edges { node { id } } pageInfo { endCursor hasPreviousPage } } }"}.of(t, url)
				if err := json.Unmarshal([]byte(got), &data); err != nil {
					t.Fatalf("%s: %s", args, got)
				}
				ids = nil
				for _, e := range data[list].Edges {
					ids = append(ids, e.Node.ID)
				}
				if data[list].PageInfo.HasPreviousPage != (args != "") {
					t.Errorf("%s: hasPreviousPage is %v", args, data[list].PageInfo.HasPreviousPage)
				}
				return data[list].PageInfo.EndCursor, data[list].HasMore
			}
			var walked []string
			for args, more, end := "", true, ""; more; args = fmt.Sprintf(", after: %q", end) {
				end, more = page(args)
				walked = append(walked, ids...)
			}
			first := list[:1]
			if got, want := strings.Join(walked, " "), strings.ReplaceAll("_1 _2 _3 _4 _5 _6 _7", "_", first); got != want {
				t.Errorf("walked %s, want %s", got, want)
			}
			var data map[string]struct{ Edges []struct{ Cursor string } }
			got := inquiry{graphql: "{ " + list + "(first: 3) { edges { cursor } } }"}.of(t, url)
			if err := json.Unmarshal([]byte(got), &data); err != nil || len(data[list].Edges) != 3 {
				t.Fatalf("edges: %s", got)
			}
			for i, e := range data[list].Edges {
				page(fmt.Sprintf(", after: %q", e.Cursor))
				if want := fmt.Sprint(first, i+2); len(ids) != 3 || ids[0] != want {
					t.Errorf("behind the cursor of row %d: %v, want %s first", i, ids, want)
				}
			}
			// And on from the middle of a page that was reached so.
			got = inquiry{graphql: "{ " + list + "(first: 3, after: " + fmt.Sprintf("%q", data[list].Edges[1].Cursor) + ") { edges { cursor } } }"}.of(t, url)
			if err := json.Unmarshal([]byte(got), &data); err != nil || len(data[list].Edges) != 3 {
				t.Fatalf("edges: %s", got)
			}
			if page(fmt.Sprintf(", after: %q", data[list].Edges[0].Cursor)); len(ids) != 3 || ids[0] != first+"4" {
				t.Errorf("two cursors on: %v", ids)
			}
		})
	}
}

// TestLettersFromNode: the npm package that is built of the host's discovery document takes what
// the host takes, and gives pages whatever the host answers.
func TestLettersFromNode(t *testing.T) {
	t.Parallel()
	installed := js(t)
	need(t, "npm")
	host := startLetters(t)
	dir, out, program := t.TempDir(), t.TempDir(), t.TempDir()
	for _, args := range [][]string{
		{"sync", "letters", "--from", host.URL, "--dir", dir},
		{"build-frond", "letters", "--dir", dir, "--out", out, "--npm", "letters"},
	} {
		if r := run(t, "", args...); r.code != 0 {
			t.Fatalf("%v: %s", args, r.stderr)
		}
	}
	copyInto(t, filepath.Join(program, "node_modules", "letters"), filepath.Join(out, "npm"))
	copyFile(t, filepath.Join("testdata", "contract", "npm", "tsconfig.json"), filepath.Join(program, "tsconfig.json"))
	write(t, program, map[string]string{"package.json": `{"private":true,"type":"module"}`, "main.ts": `
import { createClient, type Page, type Letter } from 'letters';
const client = createClient(process.argv[2]!);
const show = (what: string, value: unknown) => console.log(what, JSON.stringify(value));
const brief = (p: Page<{ id: string }>) => [p.items.map((row) => row.id).join(' '), p.total, p.hasMore, p.endCursor];
const page: Page<Letter> = await client.letter.list({ limit: 3 });
show('three', brief(page));
show('four', brief(await client.letter.list({ limit: 4 })));
show('rest', brief(await client.letter.list({ limit: 3, offset: 4 })));
show('all', brief(await client.letter.list()));
show('folders', brief(await client.folder.list({ limit: 7 })));
show('stamps', brief(await client.stamp.list({ limit: 2, after: 's1' })));
show('published', await client.letter.publish({ params: { id: 'l1' }, body: { at: 'noon' } }));
show('found', await client.letter.searchText({ query: { text: '7' } }));
// @ts-expect-error the host's list takes no order
void (() => client.letter.list({ sort: 'title' }));
// @ts-expect-error nor does this one take an offset
void (() => client.folder.list({ offset: 1 }));
`})
	if err := os.MkdirAll(filepath.Join(program, "node_modules", "@types"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"@types/node", "undici-types"} {
		if err := os.Symlink(filepath.Join(installed, "node_modules", name), filepath.Join(program, "node_modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	if said := tool(t, program, nil, "node", filepath.Join(installed, "node_modules", "typescript", "bin", "tsc"), "-p", "."); said != "" {
		t.Fatal(said)
	}
	said := tool(t, program, nil, "node", "main.js", host.URL)
	want := strings.TrimSpace(`
three ["l1 l2 l3",-1,true,null]
four ["l1 l2 l3 l4",-1,false,null]
rest ["l5 l6 l7",7,false,null]
all ["l1 l2 l3 l4 l5 l6 l7",7,false,null]
folders ["l1 l2 l3 l4 l5 l6 l7",7,false,null]
stamps ["s2 s3",7,true,"s3"]
published {"id":"l1","title":"Letter 1","state":"published noon"}
found [{"id":"l7","title":"Letter 7","state":"draft"}]
`)
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(strings.TrimSpace(said), "\n")); diff != "" {
		t.Errorf("the program says (-want):\n%s", diff)
	}
}
