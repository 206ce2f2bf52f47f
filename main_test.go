package frond

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/gateway"
)

func notes(settings string) *App {
	return New(fstest.MapFS{
		"site/gateway.yaml":       {Data: []byte(settings)},
		"site/frond.yaml":         {Data: []byte("collectors: {note: open}\n")},
		"site/entities/note.yaml": {Data: []byte("type: object\nproperties: {id: {type: string, x-kit: {role: {primary: true}}}}\n")},
	})
}

// TestMainLeaves: what the command line gets wrong leaves with 2 and says what to write.
func TestMainLeaves(t *testing.T) {
	t.Chdir(t.TempDir())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		args, environ, want string
		code                int
	}{
		{"--help", "", "--limits-list-max\n\t", gateway.ExitOK}, // on stdout
		{"-h", "", "Usage: notes [flags]", gateway.ExitOK},
		{"--listten :80", "", "notes: flag provided but not defined: --listten; notes --help lists the flags", 2},
		{"serve", "", `notes: notes takes flags alone, and not "serve"`, 2},
		{"--mode fast --listen nowhere", "", "--mode: cannot be \"fast\"", 2},
		{"", "FROND_LISTEN=nowhere", "FROND_LISTEN", 2},
		{"--config missing.yaml", "", "missing.yaml: cannot be read", 2},
		{"--listen " + taken.Addr().String(), "", "another program has this port", 2},
	} {
		var out, errs bytes.Buffer
		code := notes("store: memory").main(append([]string{"/usr/bin/notes"}, strings.Fields(c.args)...), strings.Fields(c.environ), &out, &errs)
		if text := out.String() + errs.String(); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("notes %s: %d\n%s\nwant %d and %s", c.args, code, text, c.code, c.want)
		}
	}
}

// TestSettings: a flag wins over its variable, over the file, over the folder of the program.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	app := notes("listen: 127.0.0.1:1\nstore: memory\nmode: development\nlimits: {list: {default: 1}}\n")
	if err := os.WriteFile(filepath.Join(dir, "gateway.yaml"), []byte("listen: 127.0.0.1:2\nlimits: {list: {default: 2}}\nmode: production\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := &gateway.Flags{}
	if err := flagsOf("notes", settings).Parse([]string{"--listen", "127.0.0.1:4", "--graphql-console"}); err != nil {
		t.Fatal(err)
	}
	config, err := app.load(settings, []string{"FROND_LISTEN=127.0.0.1:3", "FROND_LIMITS_LIST_DEFAULT=3"})
	if err != nil {
		t.Fatal(err)
	}
	if config.Listen != "127.0.0.1:4" || config.Limits.List.Default != 3 || config.Mode != "production" || config.Store != "memory" || !*config.GraphQL.Console {
		t.Errorf("%+v", config)
	}
}

// TestWatchOfAFolderThatIsNotHere names the folder.
func TestWatchOfAFolderThatIsNotHere(t *testing.T) {
	t.Chdir(t.TempDir())
	app := New(os.DirFS(t.TempDir()))
	app.below = "site"
	if _, err := app.watched(io.Discard); err == nil || !strings.Contains(err.Error(), "--watch reads the folder site") {
		t.Error(err)
	}
}
