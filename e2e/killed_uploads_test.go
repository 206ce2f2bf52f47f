package e2e_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/sqlite"
)

var uploadKills = flag.Int("upload-kills", 8, "how often TestKilledInUploads kills the gateway; a short run kills it twice")

// TestKilledInUploads kills the gateway with SIGKILL in the middle of uploads: each row has a whole file
// afterwards, the acknowledged one or a later one, and a sweep leaves the bytes of these files alone.
func TestKilledInUploads(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, store string) {
		bytesAt := t.TempDir()
		dir := folder(t, map[string]string{
			"frond.yaml":          "name: a\ncollectors: {'*': open}\nfiles: {album.cover: {types: [image/png], sizes: {thumb: 8x8}}}\n",
			"entities/album.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  cover: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\nrequired: [id]\n",
		})
		u := &uploads{t: t, acked: map[string]string{}, tried: map[string][]string{}}
		for range inShort(*uploadKills, 2) {
			p := startGateway(t, dir, "--store", store, "--files-store", "file://"+filepath.ToSlash(bytesAt))
			var all sync.WaitGroup
			done := make(chan struct{}, 1000)
			for i := range 3 {
				all.Go(func() {
					for u.put(p, fmt.Sprintf("r%d", i)) {
						select {
						case done <- struct{}{}:
						default:
						}
					}
				})
			}
			all.Go(func() { // files that no row takes
				for sent := true; sent; {
					sent = u.send(p, http.MethodPost, "/api/files", u.picture()) == http.StatusCreated
				}
			})
			for range 3 + rand.IntN(8) {
				select {
				case <-done:
				case <-p.exited:
					t.Error("the gateway ended by itself")
				case <-time.After(time.Minute):
					t.Error("a file took a minute")
				}
			}
			p.kill()
			all.Wait()
		}
		held := u.check(startGateway(t, dir, "--store", store, "--files-store", "file://"+filepath.ToSlash(bytesAt)))
		u.sweep(dir, store, bytesAt, held)
	})
}

// uploads notes the files that were sent for each row, by their hashes.
type uploads struct {
	t     *testing.T
	mu    sync.Mutex
	acked map[string]string
	tried map[string][]string
}

// picture is a picture of its own.
func (u *uploads) picture() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 60, 60))
	for i := range 3600 {
		m.Set(i%60, i/60, color.RGBA{uint8(rand.IntN(256)), uint8(rand.IntN(256)), 0, 255})
	}
	var b bytes.Buffer
	_ = png.Encode(&b, m)
	return b.Bytes()
}

// put replaces the file of a row, which is created where it is missing; false: the gateway is gone.
func (u *uploads) put(p *program, row string) bool {
	file := u.picture()
	sum := sha256.Sum256(file)
	hash := hex.EncodeToString(sum[:])
	u.mu.Lock()
	_, there := u.acked[row]
	u.tried[row] = append(u.tried[row], hash)
	u.mu.Unlock()
	if !there {
		u.post(p, row)
	}
	status := u.send(p, http.MethodPut, "/api/a/albums/"+row+"/cover", file)
	if status == http.StatusOK {
		u.mu.Lock()
		u.acked[row] = hash
		u.mu.Unlock()
	} else if status != 0 {
		u.t.Errorf("a file is answered with %d", status)
	}
	return status == http.StatusOK
}

// post creates a row.
func (u *uploads) post(p *program, row string) {
	res, err := http.Post(p.URL+"/api/a/albums", "application/json", strings.NewReader(`{"id":"`+row+`"}`))
	if err == nil {
		_ = res.Body.Close()
	}
}

// send sends a file and returns the status; 0: the gateway is gone.
func (u *uploads) send(p *program, method, path string, file []byte) int {
	return answeredWith(p, method, path, "image/png", string(file))
}

// check reads the file of each row, and returns the ids that the rows hold.
func (u *uploads) check(p *program) (held []string) {
	for row, hash := range u.acked {
		res, err := http.Get(p.URL + "/api/a/albums/" + row + "/cover")
		if err != nil {
			u.t.Fatal(err)
		}
		file, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		sum := sha256.Sum256(file)
		got := hex.EncodeToString(sum[:])
		if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("ETag") != `"`+got+`"` {
			u.t.Errorf("the file of %s is %d, %v, %v", row, res.StatusCode, res.Header, err)
		}
		if slices.Index(u.tried[row], got) < slices.Index(u.tried[row], hash) {
			u.t.Errorf("the file of %s is an earlier one than that which was acknowledged", row)
		}
	}
	for _, row := range allRows(u.t, p, "albums") {
		if id, _ := row["cover"].(string); id != "" {
			held = append(held, id)
		}
	}
	n := 0
	for _, all := range u.tried {
		n += len(all)
	}
	u.t.Logf("%d files were sent for %d rows", n, len(held))
	p.stop(u.t)
	return held
}

// sweep removes the files that no row has, as two hours and another hour later, and compares what stays.
func (u *uploads) sweep(dir, store, bytesAt string, held []string) {
	project, err := facade.Read(os.DirFS(dir))
	if err != nil {
		u.t.Fatal(err)
	}
	rows := openStore(u.t, store)
	for _, later := range []time.Duration{2 * time.Hour, 3 * time.Hour} {
		compiled, err := compile.Project(project, nil)
		if err != nil {
			u.t.Fatal(err)
		}
		f, err := facade.New(compiled, rows, &facade.Options{Now: func() time.Time { return time.Now().Add(later) }})
		if err != nil {
			u.t.Fatal(err)
		}
		if err := rows.Prepare(u.t.Context(), append(slices.Clone(f.Catalog().Set.Entities), catalog.FileEntity())); err != nil {
			u.t.Fatal(err)
		}
		if _, err := f.SweepFiles(u.t.Context(), "", 0, func(_ context.Context, id string) error { return os.RemoveAll(filepath.Join(bytesAt, id)) }); err != nil {
			u.t.Fatal(err)
		}
		described := 0
		if _, err := f.SweepFiles(u.t.Context(), "", 0, func(context.Context, string) error { described++; return nil }); err != nil || later > 2*time.Hour && described > 0 {
			u.t.Errorf("%d files are described that are gone, %v", described, err)
		}
	}
	there, err := os.ReadDir(bytesAt)
	if err != nil {
		u.t.Fatal(err)
	}
	var names []string
	for _, entry := range there {
		names = append(names, entry.Name())
	}
	slices.Sort(held)
	if !slices.Equal(names, held) {
		u.t.Errorf("the bytes of %v stay, and rows hold %v", names, held)
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(bytesAt, name, "original")); err != nil {
			u.t.Error(err)
		}
	}
}

// openStore opens a store that a gateway has left.
func openStore(t *testing.T, url string) anyStore {
	t.Helper()
	silent := slog.New(slog.DiscardHandler)
	var store anyStore
	var err error
	if path, file := strings.CutPrefix(url, "sqlite:"); file {
		store, err = sqlite.Open(t.Context(), sqlite.Options{Path: path, Logger: silent})
	} else {
		store, err = postgres.Open(postgres.Options{URL: url, Logger: silent})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}
