package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCodegen makes a TypeScript client with graphql-codegen's client preset, from the
// SDL and from the running gateway's introspection: it is the same client. tsc is
// content with it and with a program that uses it, at its strictest, and the program
// reads and writes rows. A short run makes the client once, from introspection.
func TestCodegen(t *testing.T) {
	t.Parallel()
	dir := app(t, "codegen")
	p := startGateway(t, shopDir)
	generate := func(schema, out string) {
		t.Helper()
		stdout, stderr := nodeWith(t, dir, []string{"SCHEMA=" + schema, "OUT=" + out}, "node_modules/@graphql-codegen/cli/cjs/bin.js", "--config", "codegen.mjs")
		if said := stdout + stderr; complaint.MatchString(said) {
			t.Fatalf("graphql-codegen is not content with %s\n%s", schema, said)
		}
	}
	files := []string{"fragment-masking.ts", "gql.ts", "graphql.ts", "index.ts", "persisted-documents.json"}
	if testing.Short() {
		generate(p.URL+"/graphql", "src/gql/")
		files = nil
	} else {
		generate("schema.graphql", "src/gql/")
		generate(p.URL+"/graphql", "introspected/")
	}
	for _, name := range files {
		printed, err := os.ReadFile(filepath.Join(dir, "src", "gql", name))
		if err != nil {
			t.Fatal(err)
		}
		asked, err := os.ReadFile(filepath.Join(dir, "introspected", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(printed) != string(asked) {
			t.Errorf("%s from the SDL is another than from introspection", name)
		}
		if name == "graphql.ts" && strings.Contains(string(printed), ": any") {
			t.Error("the client has an any")
		}
	}

	if out, talk := node(t, dir, "node_modules/typescript/bin/tsc", "-p", "."); out+talk != "" {
		t.Fatalf("tsc: %s%s", out, talk)
	}
	if out, _ := node(t, dir, "out/main.js", p.URL+"/graphql", staff); !strings.Contains(out, `{"rows":5}`) {
		t.Errorf("the program says %s", out)
	}

	if out, _ := node(t, dir, "out/main.js", trusting(t, filepath.Join(dir, "src", "gql", "persisted-documents.json")).URL+"/graphql", staff, "trusted"); !strings.Contains(out, `{"rows":5}`) {
		t.Errorf("by trusted documents, the program says %s", out)
	}
}

// trusting starts the shop with the documents of a manifest, and of no one else.
func trusting(t *testing.T, manifest string) *program {
	t.Helper()
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var documents map[string]string
	if err := json.Unmarshal(text, &documents); err != nil || len(documents) == 0 {
		t.Fatalf("%s has %d documents, %v", manifest, len(documents), err)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"manifest.json": string(text)})
	cmd := exec.Command(binary(t), "gateway", shopDir, "--listen", "127.0.0.1:0", "--store", "memory")
	cmd.Env = environment("FROND_GRAPHQL_DOCUMENTS_MODE=enforce", "FROND_GRAPHQL_DOCUMENTS_FOLDER="+dir)
	p := start(t, cmd)
	refused := send(t, "POST", p.URL+"/graphql", `{"query":"{__typename}"}`, asStaff)
	if refused.Status != 403 || !strings.Contains(string(refused.Body), "DOCUMENT_NOT_TRUSTED") {
		t.Fatalf("a document of one's own: %d %s", refused.Status, refused.Body)
	}
	return p
}
