package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/testprogram"
)

// TestWatch: cards are changed while the gateway runs, and it follows; what is wrong is
// reported and changes nothing.
func TestWatch(t *testing.T) {
	t.Parallel()
	const card = "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}\n  name: {type: string}\n"
	dir := folder(t, map[string]string{"entities/cup.yaml": card, "frond.yaml": everybody})
	gw := startGateway(t, dir, "--watch")
	create := func(body string) string {
		return string(send(t, "POST", gw.URL+"/api/app/cups", body).Body)
	}
	if got := create(`{"name":"a","size":1}`); !strings.Contains(got, "unknown_key") {
		t.Fatalf("before: %s", got)
	}

	write(t, dir, map[string]string{
		"entities/cup.yaml":   card + "  size: {type: [integer, 'null'], x-kit: {lifecycle: {create: optional}}}\n",
		"entities/plate.yaml": card,
		"seeds/plate.yaml":    "[{id: p1, name: Blue}]",
	})
	until(t, "the project has been taken over", gw.stderr)
	// Some of the files may have been taken over before the others were written.
	until(t, `"size":1`, func() string { return create(`{"name":"a","size":1}`) })
	until(t, `"Blue"`, func() string { return string(send(t, "GET", gw.URL+"/api/app/plates", "").Body) })

	write(t, dir, map[string]string{"entities/plate.yaml": "type: object\nproperties: {id: {type: strin}}\n"})
	until(t, "the project stays as it was", gw.stderr)
	if !strings.Contains(gw.stderr(), "entities/plate.yaml#/properties/id") {
		t.Errorf("where it is wrong is not said:\n%s", gw.stderr())
	}
	if got := string(send(t, "GET", gw.URL+"/api/app/plates", "").Body); !strings.Contains(got, `"Blue"`) {
		t.Errorf("after a fault: %s", got)
	}
	write(t, dir, map[string]string{"entities/plate.yaml": card, "frond.yaml": "collectors: {cup: open}\n"})
	until(t, `write the line "plate: open"`, func() string { return strings.ReplaceAll(gw.stderr(), `\"`, `"`) })
	if got := string(send(t, "GET", gw.URL+"/api/app/plates", "").Body); !strings.Contains(got, `"Blue"`) {
		t.Errorf("after a door that nobody called open: %s", got)
	}
	write(t, dir, map[string]string{"gateway.yaml": "listen: 127.0.0.1:1\n", "frond.yaml": everybody})
	until(t, "gateway.yaml has changed: its settings take effect at the next start", gw.stderr)
}

// until waits for a program to say something.
func until(t *testing.T, want string, said func() string) {
	t.Helper()
	for by := time.Now().Add(time.Minute); time.Now().Before(by); {
		if strings.Contains(said(), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("it never said %q:\n%s", want, said())
}

// TestWatchKeepsWhatRuns: seeds that are refused change nothing either. The Frond comes
// whole, by one rename: its card without its seeds would be taken over.
func TestWatchKeepsWhatRuns(t *testing.T) {
	t.Parallel()
	const card = "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  name: {type: string}\n"
	dir := folder(t, map[string]string{
		"fronds/cups/entities/cup.yaml": card, "fronds/cups/frond.yaml": everybody,
		".next/entities/plate.yaml": card, ".next/frond.yaml": everybody, ".next/seeds/plate.yaml": "[{id: p1, colour: blue}]",
	})
	gw := startGateway(t, dir, "--watch")
	if err := os.Rename(filepath.Join(dir, ".next"), filepath.Join(dir, "fronds", "plates")); err != nil {
		t.Fatal(err)
	}
	until(t, "the project stays as it was", gw.stderr)
	if res := send(t, "GET", gw.URL+"/api/plates/plates", ""); res.Status != 404 {
		t.Errorf("plates are served: %d %s", res.Status, res.Body)
	}
	if res := send(t, "GET", gw.URL+"/api/cups/cups", ""); res.Status != 200 {
		t.Errorf("cups are not: %d %s", res.Status, res.Body)
	}
}

// TestWatchOfAGoProgram: a program that embeds its folder follows the folder in the working folder; a card
// that its functions do not fit changes nothing.
func TestWatchOfAGoProgram(t *testing.T) {
	t.Parallel()
	blog := testprogram.Build(t, "examples/blog")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "site"), os.DirFS(filepath.Join(root, "examples", "blog", "site"))); err != nil {
		t.Fatal(err)
	}
	program := func(in string) *exec.Cmd {
		cmd := exec.Command(blog, "--watch")
		cmd.Env, cmd.Dir = environment("FROND_LISTEN=127.0.0.1:0", "FROND_STORE=memory"), in
		return cmd
	}
	card := filepath.Join("site", "entities", "author.yaml")
	text, err := os.ReadFile(filepath.Join(dir, card))
	if err != nil {
		t.Fatal(err)
	}
	// What was edited since the program was built counts from the start.
	properties := strings.Replace(string(text), "properties:\n", "properties:\n  motto: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\n", 1)
	write(t, dir, map[string]string{card: properties})
	app := start(t, program(dir))
	authors := func() string { return string(send(t, "GET", app.URL+"/api/journal/authors", "").Body) }
	if got := authors(); !strings.Contains(got, `"motto"`) {
		t.Errorf("at the start: %s", got)
	}
	write(t, dir, map[string]string{card: strings.Replace(properties, "motto", "slogan", 1)})
	until(t, `"slogan"`, authors)
	post, err := os.ReadFile(filepath.Join(dir, "site", "entities", "post.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{filepath.Join("site", "entities", "post.yaml"): strings.ReplaceAll(string(post), "body", "text")})
	until(t, "the project stays as it was", app.stderr)
	if got := authors(); !strings.Contains(got, `"slogan"`) {
		t.Errorf("after a fault: %s", got)
	}
	out, err := program(t.TempDir()).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--watch reads the folder site of the source; start there") {
		t.Errorf("in another folder: %v, %s", err, out)
	}
}
