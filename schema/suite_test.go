package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/google/jsonschema-go/jsonschema" // carries the suite; not called, only kept in go.mod by this

	"github.com/frondhost/frond/schema"
)

// The JSON Schema suite, taken at test time from a module that carries it. Each
// schema becomes the field "value" of a card, each instance a body with that field.
//
// One rule of the judge is not JSON Schema's: an object takes the keys its
// properties name and no others (docs/calls.md). So details that say
// unknown_key count only where the suite refuses an instance and its schema speaks
// of further keys itself.

// suiteFloor is how many cases have to have run; fewer means files or groups went missing.
const suiteFloor = 1055

// suiteLeftOut are the files and groups that do not run, and why. All others do.
var suiteSkipped = map[string]string{
	"refRemote.json": outside,
	"dynamicRef.json/strict-tree schema, guards against misspelled properties":       outside,
	"dynamicRef.json/tests for implementation dynamic anchor and reference link":     outside,
	"dynamicRef.json/$ref and $dynamicAnchor are independent of order - $defs first": outside,
	"dynamicRef.json/$ref and $dynamicAnchor are independent of order - $ref first":  outside,
	"dynamicRef.json/$ref to $dynamicRef finds detached $dynamicAnchor":              outside,
}

const outside = "it needs another document, and a card is self-contained: such a reference is a fault"

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

func suiteDir(t *testing.T, draft string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatalf("the module with the suite cannot be found: %v", err)
	}
	for _, rel := range []string{"jsonschema/testdata", "testdata"} {
		dir := filepath.Join(strings.TrimSpace(string(out)), rel, draft)
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	t.Fatalf("the suite for %s is not in %s", draft, bytes.TrimSpace(out))
	return ""
}

// runSuite runs the files of a folder that take says, and answers how many cases ran.
// skipped are files, groups and cases that do not, and why.
func runSuite(t *testing.T, dir string, skipped map[string]string, take func(file string) bool) int {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no files of the suite in %s (%v)", dir, err)
	}
	n := 0
	for _, file := range files {
		name := filepath.Base(file)
		if _, out := skipped[name]; out || !take(name) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []suiteGroup
		if err := json.Unmarshal(data, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			id := name + "/" + g.Description
			e, err := suiteEntity(g.Schema)
			if _, out := skipped[id]; out {
				if err == nil {
					t.Errorf("%s could run: take it off the list of what is left out", id)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", id, err)
				continue
			}
			for _, test := range g.Tests {
				n++
				_, details := e.Judge(schema.Plain, append(append([]byte(`{"value":`), test.Data...), '}'), "")
				if test.Valid || !strings.Contains(string(g.Schema), `"additionalProperties"`) && !strings.Contains(string(g.Schema), `"unevaluatedProperties"`) {
					details = slices.DeleteFunc(details, func(d schema.Detail) bool { return d.Code == schema.UnknownKey })
				}
				if _, out := skipped[id+"/"+test.Description]; out {
					if (len(details) == 0) == test.Valid {
						t.Errorf("%s/%s holds: take it off the list of what is left out", id, test.Description)
					}
					continue
				}
				if (len(details) == 0) != test.Valid {
					t.Errorf("%s/%s: valid is %v, want %v\nschema %s\ndata %s\n%v", id, test.Description, len(details) == 0, test.Valid, g.Schema, test.Data, details)
				}
			}
		}
	}
	return n
}

// elsewhere makes cards without a Frond those of another host: what an author of ours
// may not write is ignored in them.
var elsewhere = &schema.CompileOptions{Remote: map[string]bool{"": true}}

// suiteEntity is a card whose field "value" has the schema; an $id keeps the
// schema's own references to itself.
func suiteEntity(s json.RawMessage) (*schema.Entity, error) {
	if strings.Contains(string(s), "$") && !strings.Contains(string(s), `"$id"`) {
		s = json.RawMessage(strings.Replace(string(s), "{", `{"$id": "https://suite.example/schema",`, 1))
	}
	set, err := schema.Compile([]schema.Source{{
		File: "suite.json", Name: "suite", View: true,
		Data: []byte(`{"properties": {"value": ` + string(s) + `}}`),
	}}, nil, elsewhere)
	if err != nil {
		return nil, err
	}
	return set.Entity("suite"), nil
}

func TestSuite(t *testing.T) {
	n := runSuite(t, suiteDir(t, "draft2020-12"), suiteSkipped, func(string) bool { return true })
	t.Logf("%d cases of draft 2020-12 ran", n)
	if n < suiteFloor {
		t.Errorf("%d cases ran, want at least %d", n, suiteFloor)
	}
}

// TestSuiteFormatsOfStrings runs the cases that say that a format is about strings alone.
func TestSuiteFormatsOfStrings(t *testing.T) {
	const floor = 102
	n := runSuite(t, suiteDir(t, "draft7"), suiteSkipped, func(file string) bool { return file == "format.json" })
	if n < floor {
		t.Errorf("%d cases of formats ran, want at least %d", n, floor)
	}
}
