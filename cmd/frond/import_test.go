package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/testprogram"
)

// TestKilledImportKeepsWholeBatches kills an import in its middle: the rows are those of whole batches, and
// the same import again writes the rest.
func TestKilledImportKeepsWholeBatches(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"entities/note.yaml": "type: object\nrequired: [text]\nproperties:\n  id: {type: string, maxLength: 20, x-kit: {role: {primary: true}}}\n  text: {type: string}\n",
		"frond.yaml":         "name: notes\ncollectors: {note: open}\nmany: {note: [import]}\nchanges: [note]\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const rows = 12_300
	var file strings.Builder
	file.WriteString("id,text\n")
	for i := range rows {
		fmt.Fprintf(&file, "n%06d,%s\n", i, strings.Repeat("x", 60))
	}
	arguments := []string{"import", "note", "-", "--format", "csv", "--by", "id", "--dir", dir, "--json"}
	killed := exec.Command("frond", arguments...)
	to, err := killed.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := testprogram.Start(killed); err != nil {
		t.Fatal(err)
	}
	// The pipe takes 64 KiB and the reader as many: when 800 KiB are written, batches have been.
	if _, err := io.WriteString(to, file.String()[:800<<10]); err != nil {
		t.Fatal(err)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	stored := func() int {
		out, err := exec.Command("frond", "call", "note.list", "limit:=0", "--dir", dir, "--json").Output()
		var page struct{ Total int }
		if err != nil || json.Unmarshal(out, &page) != nil {
			t.Fatalf("%s, %v", out, err)
		}
		return page.Total
	}
	kept := stored()
	if kept == 0 || kept%1000 != 0 || kept > rows {
		t.Errorf("%d rows are stored", kept)
	}
	again := exec.Command("frond", arguments...)
	again.Stdin = strings.NewReader(file.String())
	out, err := again.Output()
	want := fmt.Sprintf(`{"created":%d,"updated":%d,"rows":%d,"complete":true,"faults":[]}`, rows-kept, kept, rows)
	if err != nil || strings.TrimSpace(string(out)) != want || stored() != rows {
		t.Errorf("again: %s, %v, %d rows; want %s", out, err, stored(), want)
	}
}
