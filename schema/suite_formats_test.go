package schema_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The JSON Schema suite's cases of what each format refuses, from a module that carries
// them; testdata/suite/go.mod says which.

// formatsFloor is how many cases have to have run.
const formatsFloor = 356

func TestSuiteFormats(t *testing.T) {
	cmd := exec.Command("go", "mod", "download", "-json", "cuelang.org/go")
	cmd.Dir = filepath.Join("testdata", "suite")
	out, err := cmd.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil || module.Dir == "" {
		t.Fatalf("the module with the cases of formats cannot be had: %v\n%s", err, out)
	}
	dir := filepath.Join(module.Dir, "encoding", "jsonschema", "testdata", "external", "tests", "draft2020-12", "optional", "format")
	// No case is left out.
	n := runSuite(t, dir, nil, func(file string) bool {
		return strings.Contains(" date time date-time duration uri uri-reference email hostname ipv4 ipv6 uuid regex json-pointer ", " "+strings.TrimSuffix(file, ".json")+" ") || file == "unknown.json"
	})
	t.Logf("%d cases of formats ran", n)
	if n < formatsFloor {
		t.Errorf("%d cases ran, want at least %d", n, formatsFloor)
	}
}
