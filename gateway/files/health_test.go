package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// full is a storage that takes no bytes while err is set.
type full struct {
	storage
	err error
}

func (f *full) Write(ctx context.Context, key, mediaType string, from io.Reader) error {
	if f.err != nil {
		return fmt.Errorf("write: %w", f.err)
	}
	return f.storage.Write(ctx, key, mediaType, from)
}

// logged are files over a storage, with their log.
func logged(s storage) (*Files, *bytes.Buffer) {
	log := &bytes.Buffer{}
	return &Files{storage: s, place: "the place", log: slog.New(slog.NewTextHandler(log, nil)), shrinking: make(chan struct{}, 1)}, log
}

// TestFailingStorage: a storage that fails is one line with the place and what to check, and not ready, until it
// takes a probe again.
func TestFailingStorage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "files")
	disk := &full{storage: opened(t, "mem://")}
	fake, store := NewFakeS3(t)
	refusing := ""
	fake.Refuse = func(*http.Request) string { return refusing }
	for _, c := range []struct {
		name       string
		over       storage
		fail, mend func()
		check      string
	}{
		{"a full disk", disk, func() { disk.err = syscall.ENOSPC }, func() { disk.err = nil }, "the free space"},
		{"a folder that is gone", opened(t, "file://"+filepath.ToSlash(dir)), func() { _ = os.RemoveAll(dir) }, func() { _ = os.Mkdir(dir, 0o700) }, "mount or restore the folder"},
		{"a bucket that is gone", opened(t, store), func() { refusing = "NoSuchBucket" }, func() { refusing = "" }, "the name of the bucket"},
		{"rights that are gone", opened(t, store), func() { refusing = "AccessDenied" }, func() { refusing = "" }, "the credentials"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, log := logged(c.over)
			if err := files.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.fail()
			for range 3 {
				err := files.storage.Write(t.Context(), "f/original", "text/plain", strings.NewReader("abc"))
				if err == nil {
					t.Fatal("it takes bytes")
				}
				if err = files.failed(t.Context(), err); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
					t.Errorf("the answer is %v", err)
				}
			}
			if files.Check(t.Context()) == nil || !files.State().Failing || files.State().Failures < 3 {
				t.Errorf("it is ready: %+v", files.State())
			}
			if text := log.String(); strings.Count(text, "level=ERROR") != 1 || !strings.Contains(text, `store="the place"`) || !strings.Contains(text, c.check) {
				t.Errorf("the log is %s", text)
			}
			c.mend()
			err := files.Check(t.Context())
			for tries := 0; err != nil && tries < 20; tries++ { // a probe has little time, and the machine may be busy
				err = files.Check(t.Context())
			}
			if err != nil || files.State().Failing || !strings.Contains(log.String(), "works again") {
				t.Errorf("it is not ready again: %v; %s", err, log)
			}
			if _, err := files.storage.Open(t.Context(), probeID+"/"+original); err == nil {
				t.Error("the probe stays")
			}
		})
	}
}

// TestMissingBytes: bytes that are missing, or too few, are another answer than a storage that fails. Which file
// it is stands in the log.
func TestMissingBytes(t *testing.T) {
	overStorages(t, func(t *testing.T, s storage, _ func() int) {
		files, log := logged(s)
		file := &facade.File{ID: "f", Name: "a.txt", Type: "text/plain", Size: 3, In: "album.cover"}
		for _, kept := range []string{"", "ab"} {
			if kept != "" {
				if err := s.Write(t.Context(), "f/original", "text/plain", strings.NewReader(kept)); err != nil {
					t.Fatal(err)
				}
			}
			if _, _, err := files.Open(t.Context(), file, nil); kiterror.CodeOf(err) != kiterror.Gone {
				t.Errorf("%q: the answer is %v", kept, err)
			}
		}
		if state := files.State(); state.Failing || state.Missing != 2 || files.Check(t.Context()) != nil {
			t.Errorf("the state is %+v", state)
		}
		if text := log.String(); strings.Count(text, "level=ERROR") != 1 || !strings.Contains(text, "file=f name=a.txt field=album.cover") {
			t.Errorf("the log is %s", text)
		}
		if err := s.Write(t.Context(), "f/original", "text/plain", strings.NewReader("abc")); err != nil {
			t.Fatal(err)
		}
		r, _, err := files.Open(t.Context(), file, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }()
		if text, err := io.ReadAll(r); err != nil || string(text) != "abc" {
			t.Errorf("the bytes are %q, %v", text, err)
		}
	})
}
