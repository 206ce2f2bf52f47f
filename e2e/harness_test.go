package e2e_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/e2e/testprogram"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
)

// pressVariable turns the test binary into a Go author's program: see press_test.go.
const pressVariable = "FROND_E2E_PRESS"

// root is the repository.
var root = func() string {
	dir, err := filepath.Abs("..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// static builds programs as `make build` does, also where the race detector needs cgo in the tests.
const static = "CGO_ENABLED=0"

// sharedFiles is the folder of files that the programs of this run share where E2E_STORE chooses the store.
var sharedFiles string

func TestMain(m *testing.M) {
	if dir := os.Getenv(pressVariable); dir != "" {
		os.Exit(runProject(dir, pressProject))
	}
	if dir := os.Getenv(savingsVariable); dir != "" {
		os.Exit(runProject(dir, savingsProject))
	}
	if os.Getenv("E2E_STORE") != "" {
		var err error
		if sharedFiles, err = os.MkdirTemp("", "frond-e2e-"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	testprogram.Clean()
	_ = os.RemoveAll(sharedFiles)
	os.Exit(code)
}

// inShort returns few in a short run, and else n.
func inShort(n, few int) int {
	if testing.Short() {
		return min(n, few)
	}
	return n
}

// binary is the program as a user has it.
func binary(t testing.TB) string {
	t.Helper()
	return testprogram.Build(t, "cmd/frond")
}

// environment is the environment of a started program: this one without any FROND_
// or OTEL_ setting of whoever runs the tests, and with more. Where E2E_STORE chooses the store, programs share
// a folder of files.
func environment(more ...string) []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "FROND_") && !strings.HasPrefix(e, "OTEL_") {
			env = append(env, e)
		}
	}
	if sharedFiles != "" { // else the folder of files is in the project's
		env = append(env, "FROND_FILES_STORE=file://"+filepath.ToSlash(sharedFiles))
	}
	return append(env, more...)
}

// program is a started gateway.
type program struct {
	URL string

	cmd    *exec.Cmd
	exited chan struct{}
	err    error // of Wait; read it when exited is closed

	mu  sync.Mutex
	log bytes.Buffer // what it wrote to stderr
}

// startGateway starts `frond gateway DIR --listen 127.0.0.1:0` over its own store and
// waits until it listens. It is stopped when the test ends.
func startGateway(t testing.TB, dir string, args ...string) *program {
	t.Helper()
	full := append([]string{"gateway", dir, "--listen", "127.0.0.1:0"}, args...)
	if !strings.Contains(strings.Join(args, " "), "--store") {
		full = append(full, "--store", storeFor(t))
	}
	return start(t, exec.Command(binary(t), full...))
}

// startReceiver starts `frond serve FROND` over rows of its own.
func startReceiver(t testing.TB, dir, frond string) *program {
	t.Helper()
	return start(t, exec.Command(binary(t), "serve", frond, "--dir", dir, "--port", "0", "--store", storeFor(t)))
}

// startReceivers starts `frond serve` for each of several Fronds of a project. Each has the addresses of the others. The result is
// their addresses by Frond.
func startReceivers(t testing.TB, dir string, fronds ...string) map[string]string {
	t.Helper()
	addresses, urls := map[string]string{}, map[string]string{}
	for _, frond := range fronds {
		addresses[frond] = freeport.Address(t)
		urls[frond] = "http://" + addresses[frond]
	}
	for _, frond := range fronds {
		_, port, _ := strings.Cut(addresses[frond], ":")
		args := []string{"serve", frond, "--dir", dir, "--port", port, "--store", storeFor(t)}
		for other, url := range urls {
			if other != frond {
				args = append(args, "--remote", other+"="+url)
			}
		}
		start(t, exec.Command(binary(t), args...))
	}
	return urls
}

// storeFor is a store of its own for a program: a SQLite file, or a database on PostgreSQL where
// E2E_STORE says so ([pgtest.Chosen]).
func storeFor(t testing.TB) string {
	t.Helper()
	return cmp.Or(pgtest.Chosen(t), "sqlite:"+filepath.Join(t.TempDir(), "rows.db"))
}

// memory is a store for a program that is started once: in memory, or as [rows].
func memory(t testing.TB) string {
	t.Helper()
	return cmp.Or(pgtest.Chosen(t), "memory")
}

// anyStore is what both stores are.
type anyStore interface {
	facade.Store
	Prepare(ctx context.Context, entities []*schema.Entity) error
	Close() error
}

// openRows opens a store in this process, of the kind that [memory] names.
func openRows(t testing.TB) anyStore {
	t.Helper()
	silent := slog.New(slog.DiscardHandler)
	var store anyStore
	var err error
	if url := pgtest.Chosen(t); url != "" {
		store, err = postgres.Open(postgres.Options{URL: url, Logger: silent})
	} else {
		store, err = sqlite.Open(t.Context(), sqlite.Options{Memory: true, Logger: silent})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// start starts a program that prints the line "listening on URL" on stderr.
func start(t testing.TB, cmd *exec.Cmd) *program {
	t.Helper()
	if cmd.Env == nil {
		cmd.Env = environment()
	}
	p := &program{cmd: cmd, exited: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := testprogram.Start(cmd); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	go func() {
		p.read(stderr, listening)
		p.err = cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() { p.stop(t) })
	select {
	case p.URL = <-listening:
	case <-p.exited:
		t.Fatalf("%s ended before it listened: %v\n%s", strings.Join(cmd.Args, " "), p.err, p.stderr())
	case <-t.Context().Done():
		t.Fatalf("%s does not listen\n%s", strings.Join(cmd.Args, " "), p.stderr())
	}
	return p
}

// read keeps the output of the program and sends the address it listens on.
func (p *program) read(stderr io.Reader, listening chan<- string) {
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadString('\n')
		p.mu.Lock()
		p.log.WriteString(line)
		p.mu.Unlock()
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on "); ok {
			select {
			case listening <- url:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *program) stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// stop asks the program to end, as an operator does, and says how it went.
func (p *program) stop(t testing.TB) {
	t.Helper()
	select {
	case <-p.exited:
		return
	default:
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
		if p.err != nil {
			t.Errorf("%s ended with %v after SIGTERM\n%s", p.cmd.Args[0], p.err, p.stderr())
		}
	case <-time.After(2 * time.Minute):
		p.kill()
		t.Errorf("%s did not end within two minutes of SIGTERM\n%s", p.cmd.Args[0], p.stderr())
	}
}

// kill ends the program as a power cut does.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// ran is a program that ended by itself.
type ran struct {
	stdout, stderr string
	code           int
}

// run runs the program to its end.
func run(t testing.TB, stdin string, args ...string) ran {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), args...)
	cmd.Env = append(environment(), "FROND_LOG_SLOW=off", "GOGC=400") // the tests read stderr, and a busy machine is slow; little is collected
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := testprogram.Run(cmd)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("frond %s: %v", strings.Join(args, " "), err)
	}
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// everybody is the frond.yaml of a project in which who may do what is not the matter.
const everybody = "collectors: {'*': open}\n"

// folder writes files into a new folder and is its path. Names end their
// directories with slashes: "fronds/a/entities/x.yaml".
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	return dir
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
