package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/testprogram"
)

// TestKilledInAFirstStart kills first starts over SQLite in the middle of making many tables. A file then has no table or all of
// them, and the next start serves every one.
func TestKilledInAFirstStart(t *testing.T) {
	t.Parallel()
	const cards, kills = 250, 6
	files := map[string]string{"frond.yaml": "name: a\ncollectors: {'*': open}\n"}
	for i := range cards {
		files[fmt.Sprintf("entities/thing%d.yaml", i)] = "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  name: {type: string, x-kit: {role: {unique: [[name]]}}}\nrequired: [id, name]\n"
	}
	dir := folder(t, files)
	opened := func(file string) {
		for by := time.Now().Add(time.Minute); time.Now().Before(by); time.Sleep(time.Millisecond) {
			if _, err := os.Stat(file + "-wal"); err == nil {
				return
			}
		}
		t.Error("the file is not opened")
	}
	gateway := func(file string) *exec.Cmd {
		cmd := exec.Command(binary(t), "gateway", dir, "--listen", "127.0.0.1:0", "--store", "sqlite:"+file)
		cmd.Env = environment()
		return cmd
	}
	file := filepath.Join(t.TempDir(), "rows.db")
	began := make(chan time.Time, 1)
	go func() {
		opened(file)
		began <- time.Now()
	}()
	whole := start(t, gateway(file))
	takes, within, store := time.Since(<-began), 0, ""
	whole.stop(t)
	for range kills {
		file := filepath.Join(t.TempDir(), "rows.db")
		store = "sqlite:" + file
		cmd := gateway(file)
		if err := testprogram.Start(cmd); err != nil {
			t.Fatal(err)
		}
		opened(file)
		time.Sleep(time.Duration(rand.Int64N(int64(takes)))) // anywhere in the change of the tables
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		res := run(t, "", "migrate", "plan", dir, "--store", store)
		made := strings.Count(res.stdout, "make the table")
		if res.code != 0 || made != 0 && made != cards {
			t.Fatalf("after a kill %d of %d tables are to be made: %s%s", made, cards, res.stdout, res.stderr)
		}
		if made == cards {
			within++
		}
	}
	t.Logf("%d of %d starts were killed before their commit", within, kills)
	p := startGateway(t, dir, "--store", store)
	for _, i := range []int{0, 99, 100, cards - 1} {
		if res := send(t, "POST", fmt.Sprintf("%s/api/a/thing%ds", p.URL, i), `{"id":"1","name":"a"}`); res.Status != 201 {
			t.Errorf("a row of thing%d: %d %s", i, res.Status, res.Body)
		}
	}
}
