package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "github.com/ncruces/go-sqlite3"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/frondhost/frond/e2e/testprogram"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

func TestMain(m *testing.M) {
	testscript.Main(scripts{m}, map[string]func(){"frond": main})
}

// scripts are the tests of this package. They end with the folder of [plain].
type scripts struct{ *testing.M }

func (s scripts) Run() int {
	code := s.M.Run()
	testprogram.Clean()
	return code
}

// plain makes the commands of a script the program without the race detector, under which it takes a
// third of a second of CPU to start: hundreds of commands that run to their end alone would take
// longer than all else here. Programs that stay (start NAME) have the detector.
func plain(t *testing.T, env *testscript.Env) {
	if raced {
		env.Setenv("PATH", filepath.Dir(testprogram.Build(t, "cmd/frond"))+string(filepath.ListSeparator)+env.Getenv("PATH"))
	}
}

// TestScript runs the conversations in testdata/script, each with the program as a
// user has it. Beside testscript's own commands there are
//
//	start NAME frond ARGS…      run it until it says where it listens; $NAME is its URL,
//	                            $NAME_ADDRESS host and port
//	terminate NAME [CODE]       send SIGTERM and expect it to leave with CODE (0); its stderr is stderr
//	sqlite FILE SQL             run SQL, or a file of it, on a SQLite file; its rows are stdout
//	http VERB URL [FILE [HEADER]]   send a request, the file as its JSON body; the answer is stdout
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Values["services"] = map[string]*service{}
			plain(t, env)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"start": startService, "terminate": stopService, "http": sendHTTP, "sqlite": runSQLite},
	})
}

// TestScriptPostgres runs the conversations in testdata/postgres, each with an empty database
// whose URL is $DATABASE. Beside the commands of TestScript there is
//
//	postgres FILE   run a file of SQL on the database
func TestScriptPostgres(t *testing.T) {
	dir := filepath.Join("testdata", "postgres")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	databases := make(chan string, len(files)) // one for each script: they run at the same time
	for range files {
		databases <- pgtest.Database(t)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATABASE", <-databases)
			plain(t, env)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"postgres": runPostgres},
	})
}

func runPostgres(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: postgres FILE")
	}
	c, err := pgconn.Connect(context.Background(), ts.Getenv("DATABASE"))
	ts.Check(err)
	defer func() { ts.Check(c.Close(context.Background())) }()
	for _, statement := range strings.Split(ts.ReadFile(args[0]), ";\n") {
		_, err := c.Exec(context.Background(), statement).ReadAll()
		ts.Check(err)
	}
}

// service is a program that was started.
type service struct {
	cmd  *exec.Cmd
	talk chan string // all of its stderr, once it has ended
}

func services(ts *testscript.TestScript) map[string]*service {
	return ts.Value("services").(map[string]*service)
}

func startService(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME PROGRAM ARGS…")
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"))
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(testprogram.Start(cmd))
	s := &service{cmd: cmd, talk: make(chan string, 1)}
	services(ts)[args[0]] = s
	ts.Defer(func() { _ = cmd.Process.Kill() })
	urls := make(chan string, 1)
	go func() {
		var all strings.Builder
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
			if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
				select {
				case urls <- url:
				default: // further addresses of the same service
				}
			}
		}
		s.talk <- all.String()
	}()
	select {
	case url := <-urls:
		ts.Setenv(args[0], url)
		ts.Setenv(args[0]+"_ADDRESS", strings.TrimPrefix(url, "http://"))
	case talk := <-s.talk:
		ts.Fatalf("%s ended before it listened:\n%s", args[0], talk)
	case <-time.After(2 * time.Minute):
		ts.Fatalf("%s does not listen", args[0])
	}
}

func stopService(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: terminate NAME [CODE]")
	}
	want := "0"
	if len(args) > 1 {
		want = args[1]
	}
	s := services(ts)[args[0]]
	if s == nil {
		ts.Fatalf("%s was not started", args[0])
	}
	ts.Check(s.cmd.Process.Signal(syscall.SIGTERM))
	talk := <-s.talk
	_ = s.cmd.Wait() // its code is looked at below
	ts.Logf("[stderr of %s]\n%s", args[0], talk)
	if got := s.cmd.ProcessState.String(); got != "exit status "+want {
		ts.Fatalf("%s left with %s, want exit status %s", args[0], got, want)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".stderr"), []byte(talk), 0o600))
}

func sendHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: http VERB URL [FILE [HEADER]]")
	}
	var body io.Reader
	if len(args) > 2 {
		body = strings.NewReader(ts.ReadFile(args[2]))
	}
	req, err := http.NewRequest(args[0], args[1], body)
	ts.Check(err)
	if body != nil || args[0] == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if len(args) > 3 {
		name, value, _ := strings.Cut(args[3], ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, err = ts.Stdout().Write([]byte(resp.Status + "\n" + string(answer) + "\n"))
	ts.Check(err)
}

func runSQLite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite FILE SQL")
	}
	sql := args[1]
	if strings.HasSuffix(sql, ".sql") {
		sql = ts.ReadFile(sql)
	}
	db, err := sqlite3.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { ts.Check(db.Close()) }()
	ts.Check(db.BusyTimeout(5 * time.Second))
	for strings.TrimSpace(sql) != "" {
		st, tail, err := db.Prepare(sql)
		ts.Check(err)
		for st.Step() {
			var row []string
			for i := range st.ColumnCount() {
				row = append(row, st.ColumnText(i))
			}
			_, err := fmt.Fprintln(ts.Stdout(), strings.Join(row, "|"))
			ts.Check(err)
		}
		ts.Check(st.Err())
		ts.Check(st.Close())
		sql = tail
	}
}
