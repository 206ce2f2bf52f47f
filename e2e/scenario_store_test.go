package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// storeProject is a project of one entity and the path of a store for it.
func storeProject(t *testing.T) (dir, file string) {
	return folder(t, map[string]string{"fronds/a/frond.yaml": everybody, "fronds/a/entities/thing.yaml": card("text: {type: string}")}),
		filepath.Join(t.TempDir(), "rows.db")
}

// put creates a thing and answers the status.
func put(t *testing.T, p *program, id, text string) reply {
	t.Helper()
	return send(t, "POST", p.URL+"/api/a/things", fmt.Sprintf(`{"id":%q,"name":"n","text":%q}`, id, text))
}

// TestStoreFileIsGone: a write is not acknowledged into a file that nobody will find
// again. /readyz and the log say so, and the store works again when the file is back.
func TestStoreFileIsGone(t *testing.T) {
	t.Parallel()
	dir, file := storeProject(t)
	p := startGateway(t, dir, "--store", "sqlite:"+file)
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when, id string, write, ready int) {
		t.Helper()
		if res := put(t, p, id, ""); res.Status != write {
			t.Errorf("%s: a create is %d %s, want %d", when, res.Status, res.Body, write)
		}
		res := send(t, "GET", p.URL+"/readyz", "")
		if res.Status != ready || strings.Contains(string(res.Body), file) {
			t.Errorf("%s: /readyz is %d %s, want %d without the path", when, res.Status, res.Body, ready)
		}
	}
	expect("at first", "t-1", 201, 200)
	rename(file, file+".elsewhere")
	expect("removed", "t-2", 503, 503)
	if !strings.Contains(p.stderr(), `"level":"ERROR","msg":"the store fails"`) || !strings.Contains(p.stderr(), "was removed while the store was open") {
		t.Errorf("the log does not say why:\n%s", p.stderr())
	}
	rename(file+".elsewhere", file)
	expect("put back", "t-3", 201, 200)
	rename(file+"-wal", file+"-wal.elsewhere")
	expect("the log removed", "t-4", 503, 503)
	rename(file+"-wal.elsewhere", file+"-wal")
	expect("the log put back", "t-5", 201, 200)
	rename(file, file+".elsewhere")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	expect("replaced", "t-6", 503, 503)
	if res := send(t, "POST", p.URL+"/graphql", `{"query":"mutation{createThing(input:{id:\"t-7\",name:\"n\",text:\"\"}){id}}"}`); !strings.Contains(string(res.Body), "SERVICE_UNAVAILABLE") {
		t.Errorf("GraphQL says %s", res.Body)
	}
	rename(file+".elsewhere", file)
	p.kill()
	p = startGateway(t, dir, "--store", "sqlite:"+file)
	for id, want := range map[string]int{"t-1": 200, "t-2": 404, "t-3": 200, "t-4": 404, "t-5": 200, "t-6": 404, "t-7": 404} {
		if res := send(t, "GET", p.URL+"/api/a/things/"+id, ""); res.Status != want {
			t.Errorf("after a new start %s is %d, want %d", id, res.Status, want)
		}
	}
}

// TestDiskIsFull: with no space left writes are SERVICE_UNAVAILABLE and /readyz says
// no; rows that are there are read; with space again everything works again.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	need(t, "mount")
	dir, _ := storeProject(t)
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk).CombinedOutput(); err != nil {
		missing(t, fmt.Sprintf("a small file system cannot be mounted (%v: %s): that needs root", err, out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	p := startGateway(t, dir, "--store", "sqlite:"+filepath.Join(disk, "rows.db"))
	var there []string
	var res reply
	for i := 0; i < 100; i++ {
		id := fmt.Sprintf("t-%d", i)
		if res = put(t, p, id, strings.Repeat("x", 50_000)); res.Status != 201 {
			break
		}
		there = append(there, id)
	}
	if res.Status != http.StatusServiceUnavailable || len(there) == 0 {
		t.Fatalf("after %d creates: %d %s", len(there), res.Status, res.Body)
	}
	if ready := send(t, "GET", p.URL+"/readyz", ""); ready.Status != 503 {
		t.Errorf("/readyz is %d %s", ready.Status, ready.Body)
	}
	if !strings.Contains(p.stderr(), `"level":"ERROR","msg":"the store fails"`) || !strings.Contains(p.stderr(), "the free space") {
		t.Errorf("the log does not say why:\n%s", p.stderr())
	}
	for _, id := range there {
		if res := send(t, "GET", p.URL+"/api/a/things/"+id+"?fields=id", ""); res.Status != 200 {
			t.Errorf("%s is %d %s", id, res.Status, res.Body)
		}
	}
	if out, err := exec.Command("mount", "-o", "remount,size=16m", disk).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v: %s", err, out)
	}
	if ready := send(t, "GET", p.URL+"/readyz", ""); ready.Status != 200 {
		t.Errorf("with space again /readyz is %d %s", ready.Status, ready.Body)
	}
	if res := put(t, p, "t-last", "x"); res.Status != 201 {
		t.Errorf("with space again a create is %d %s", res.Status, res.Body)
	}
}

// TestOneProcessServesAStore: a second gateway or receiver over the same file says so
// and does not start; frond call works beside the first; the next one starts when the
// first has ended, however it ended.
func TestOneProcessServesAStore(t *testing.T) {
	t.Parallel()
	dir, file := storeProject(t)
	store := "sqlite:" + file
	p := startGateway(t, dir, "--store", store)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"gateway", dir, "--listen", "127.0.0.1:0", "--store", store},
		{"gateway", dir, "--listen", "127.0.0.1:0", "--store", "sqlite:" + link},
		{"serve", "a", "--dir", dir, "--port", "0", "--store", store},
	} {
		got := run(t, "", args...)
		says := fmt.Sprintf("another process serves it (process %d)", p.cmd.Process.Pid)
		if got.code != 2 || !strings.Contains(got.stderr, says) || !strings.Contains(got.stderr, "--store") {
			t.Errorf("frond %s: %d %s", strings.Join(args, " "), got.code, got.stderr)
		}
	}
	if got := run(t, "", "call", "thing.create", "id=t-1", "name=n", "text=", "--dir", dir, "--store", store); got.code != 0 {
		t.Errorf("frond call beside a gateway: %d %s", got.code, got.stderr)
	}
	if res := send(t, "GET", p.URL+"/api/a/things/t-1", ""); res.Status != 200 {
		t.Errorf("what frond call wrote is %d %s", res.Status, res.Body)
	}
	p.kill()
	startGateway(t, dir, "--store", store)
}

// TestBackupAndRestore: a backup that is taken while clients write holds every row that
// was acknowledged before it began, and restoring it brings back those and no later ones.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	dir, file := storeProject(t)
	store := "sqlite:" + file
	p := startGateway(t, dir, "--store", store)
	for i := range 20 {
		if res := put(t, p, fmt.Sprintf("before-%d", i), "x"); res.Status != 201 {
			t.Fatal(res.Status, res.Body)
		}
	}
	stop, stopped := make(chan bool), make(chan int)
	go func() {
		n := 0
		defer func() { stopped <- n }()
		for ; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			res, err := http.Post(p.URL+"/api/a/things", "application/json", strings.NewReader(fmt.Sprintf(`{"id":"during-%d","name":"n","text":"x"}`, n)))
			if err != nil {
				return
			}
			res.Body.Close()
		}
	}()
	backup := filepath.Join(t.TempDir(), "backup.db")
	got := run(t, "", "backup", backup, "--dir", dir, "--store", store, "--json")
	close(stop)
	t.Logf("%d creates while the backup ran", <-stopped)
	if got.code != 0 || !strings.Contains(got.stdout, `"bytes":`) {
		t.Fatalf("backup: %d %s%s", got.code, got.stdout, got.stderr)
	}
	if res := put(t, p, "after", "x"); res.Status != 201 {
		t.Fatal(res.Status, res.Body)
	}
	for _, test := range []struct {
		says string
		args []string
	}{
		{"exists already", []string{"backup", backup, "--dir", dir, "--store", store}},
		{"another process serves it", []string{"restore", backup, "--dir", dir, "--store", store, "--replace"}},
		{"there is no backup at", []string{"restore", backup + "x", "--dir", dir, "--store", store}},
		{"there is no store at", []string{"backup", backup + "2", "--dir", dir, "--store", "sqlite:" + file + "x"}},
		{"kept in memory", []string{"backup", backup + "2", "--dir", dir, "--store", "memory"}},
		{"not a SQLite database", []string{"restore", filepath.Join(dir, "fronds/a/entities/thing.yaml"), "--dir", dir, "--store", "sqlite:" + file + "x"}},
	} {
		if got := run(t, "", test.args...); got.code != 2 || !strings.Contains(got.stderr, test.says) {
			t.Errorf("frond %s: %d %s, want %q", strings.Join(test.args, " "), got.code, got.stderr, test.says)
		}
	}
	p.stop(t)
	if got := run(t, "", "restore", backup, "--dir", dir, "--store", store); got.code != 2 || !strings.Contains(got.stderr, "--replace") {
		t.Errorf("restore over a store: %d %s", got.code, got.stderr)
	}
	if got := run(t, "", "restore", backup, "--dir", dir, "--store", store, "--replace"); got.code != 0 || !strings.Contains(got.stdout, ".replaced-") {
		t.Fatalf("restore: %d %s%s", got.code, got.stdout, got.stderr)
	}
	kept, err := filepath.Glob(file + ".replaced-*")
	if err != nil || len(kept) != 1 {
		t.Fatalf("the store from before is kept as %v (%v)", kept, err)
	}
	for at, want := range map[string]map[string]int{
		file:    {"before-0": 200, "before-19": 200, "after": 404},
		kept[0]: {"before-0": 200, "before-19": 200, "after": 200},
	} {
		p := startGateway(t, dir, "--store", "sqlite:"+at)
		for id, status := range want {
			if res := send(t, "GET", p.URL+"/api/a/things/"+id, ""); res.Status != status {
				t.Errorf("%s in %s is %d, want %d", id, filepath.Base(at), res.Status, status)
			}
		}
	}
}
