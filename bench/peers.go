package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// The gateway beside other programs (peers), one row for each pair of a request and a contender:
//
//	one remote   beside the same plan by hand and Tailcall, which shares equal requests
//	{__typename} beside a bare handler
//	SQLite       beside a handler by hand and PocketBase: one row, lists, a durable create
//	PostgreSQL   beside PostGraphile and a handler by hand: nested, list, one row
//	equipped     with signing, telemetry and three rules, beside the gateway without them and the plan by hand
//
// Each contender is a process of its own on one core; the remote, PostgreSQL and wrk share the
// other core. Contenders take turns. A ratio is the median of the ratios of neighbours.
//
// PocketBase is built from testdata/pocketbase, a module of its own, and PostGraphile is installed
// by npm. Tailcall is a program of its maker that -tailcall names. The output ends with the
// programs that were left out, and how to add each.

// peersOptions are the flags of peers.
type peersOptions struct {
	tailcall        string
	rounds, seconds int
}

// benchPeers measures all rows and prints them as one table.
func benchPeers(args []string) error {
	var o peersOptions
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.StringVar(&o.tailcall, "tailcall", "tailcall", "the program of Tailcall 1.6")
	flags.IntVar(&o.rounds, "rounds", 5, "how many rounds each contender runs")
	flags.IntVar(&o.seconds, "seconds", 2, "how long a contender runs in a round")
	only := flags.String("only", "", "a part alone: remote, typename, sqlite, postgres or equipped")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !mayLoad("the gateway beside other programs") {
		return nil
	}
	var t peersTable
	for _, part := range []struct {
		name string
		run  func(*peersTable, peersOptions, string) error
	}{
		{"remote", peersRemote}, {"typename", peersTypename}, {"sqlite", peersSQLite}, {"postgres", peersPostgres}, {"equipped", peersEquipped},
	} {
		if *only != "" && *only != part.name {
			continue
		}
		dir, err := os.MkdirTemp("", "frond-bench-")
		if err == nil {
			err = part.run(&t, o, dir)
			_ = os.RemoveAll(dir)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	t.print(os.Stdout)
	return nil
}

// peersTable collects the rows and the contenders that were left out.
type peersTable struct {
	rows    []peersRow
	missing []string
}

// peersRow is the gateway beside one contender.
type peersRow struct {
	request, peer          string
	gateway, other         float64 // µs of processor time a request
	byProcessor, byRequest float64 // above 1: the gateway is cheaper, or answers more
}

// add adds a row for each contender, after the gateway was measured beside all of them.
func (t *peersTable) add(request string, gateway *server, others ...*server) {
	for _, other := range others {
		row := peersRow{
			request, other.name, median(gateway.costs), median(other.costs),
			ratio(other.costs, gateway.costs), ratio(gateway.rates, other.rates),
		}
		t.rows = append(t.rows, row)
		fmt.Printf("  %s: %.1f µs, %s %.1f µs\n", request, row.gateway, row.peer, row.other)
	}
}

// leave notes a contender that cannot run, and how to add it.
func (t *peersTable) leave(name string, why error) {
	t.missing = append(t.missing, fmt.Sprintf("%s: %v", name, why))
}

// print prints the table.
func (t *peersTable) print(out io.Writer) {
	fmt.Fprintln(out, "\nThe gateway beside other programs; a ratio above 1 means that the gateway is cheaper, or answers more")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  request\tbeside\tgateway CPU µs\tits CPU µs\tratio by CPU\tby requests")
	for _, r := range t.rows {
		fmt.Fprintf(w, "  %s\t%s\t%.1f\t%.1f\t%.2f\t%.2f\n", r.request, r.peer, r.gateway, r.other, r.byProcessor, r.byRequest)
	}
	if err := w.Flush(); err != nil {
		panic(err)
	}
	for _, l := range t.missing {
		fmt.Fprintln(out, "  LEFT OUT: "+l)
	}
}

// peersLoad is one request of some contenders. The script of each is written to dir.
func peersLoad(dir string, o peersOptions, servers []*server, script func(*server) string) error {
	files := map[*server]string{}
	for i, s := range servers {
		files[s] = filepath.Join(dir, fmt.Sprintf("load%d.lua", i))
		if err := os.WriteFile(files[s], []byte(script(s)), 0o600); err != nil {
			return err
		}
	}
	return loadRounds(o.rounds, o.seconds, servers, func(s *server) string { return files[s] })
}

// wrkScript returns a script that sends one request again and again.
func wrkScript(method, path, body string) string {
	text := strings.Replace(loads("", "")[0].script, "wrk.body = '-1'", "wrk.body = '"+body+"'", 1)
	text = strings.Replace(text, `wrk.method = "POST"`, `wrk.method = "`+method+`"`, 1)
	return fmt.Sprintf("wrk.path = %q\n%s", path, text)
}

// serveAs starts a contender of this program under another name.
func serveAs(name, dir, core, as string) (*server, error) {
	s, err := serve(name, dir, core)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.name = as
	return s, nil
}

// servePeer starts another program on the servers' core and waits until it answers at url. The
// program ends when the server is stopped.
func servePeer(name, url string, cmd *exec.Cmd) (*server, error) {
	cmd.Args = append([]string{"taskset", "-c", serverCore}, cmd.Args...)
	program, err := exec.LookPath("taskset")
	if err != nil {
		return nil, err
	}
	cmd.Path, cmd.Err = program, nil
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{name: name, url: url, cmd: cmd, stdin: killed{cmd.Process}}
	for range 300 {
		if resp, err := http.Get(url); err == nil {
			_ = resp.Body.Close()
			return s, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("it does not answer at %s: %s", url, said.String())
}

// killed ends a process in place of closing its input.
type killed struct{ *os.Process }

// Close ends the process.
func (k killed) Close() error { return k.Kill() }

// stopAll stops servers.
func stopAll(servers *[]*server) {
	for _, s := range *servers {
		s.stop()
	}
}

// peersRemote measures a page of posts with their users from one remote. Equal queries are sent
// over all connections.
func peersRemote(t *peersTable, o peersOptions, dir string) error {
	var servers []*server
	defer stopAll(&servers)
	remote, err := serveAs(feedName, dir, loadCore, "remote")
	if err != nil {
		return err
	}
	defer remote.stop()
	address := strings.TrimSuffix(remote.url, "/graphql")
	if err := os.WriteFile(filepath.Join(dir, addressFile), []byte(address), 0o600); err != nil {
		return err
	}
	for i, name := range []string{"the gateway", "the gateway, sharing", "the plan by hand"} {
		s, err := serveAs(feedServed[i+1].name, dir, serverCore, name)
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	want, err := servers[0].ask(request{body: feedBody})
	if err != nil {
		return err
	}
	if n := strings.Count(string(want), `"user":{"id":`); n != 100 {
		return fmt.Errorf("%d posts with their users, want 100: %s", n, want)
	}
	for _, s := range servers[1:] {
		if err := s.agrees(want, request{body: feedBody}); err != nil {
			return err
		}
	}
	const tailcallBody = `{"query":"{posts{id userId title user{id name email}}}"}`
	tailcall, err := serveTailcall(o.tailcall, dir, address)
	if err == nil {
		servers = append(servers, tailcall)
		err = sameFeed(want, tailcall, tailcallBody)
	}
	if err != nil {
		t.leave("Tailcall", err)
		servers, tailcall = servers[:3], nil
	}
	err = peersLoad(dir, o, servers, func(s *server) string {
		if s == tailcall {
			return wrkScript("POST", "/graphql", tailcallBody)
		}
		return wrkScript("POST", "/graphql", feedBody)
	})
	if err != nil {
		return err
	}
	t.add("one remote, nothing shared", servers[0], servers[2:]...)
	t.add("one remote, equal queries shared", servers[1], servers[2:]...)
	return nil
}

// serveTailcall starts Tailcall over the remote.
func serveTailcall(program, dir, remote string) (*server, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, errors.New("no program of this name; install @tailcallhq/core-linux-x64-gnu@1.6.14 with npm and name its bin/tailcall with -tailcall PATH")
	}
	port, release, err := freeport.Take()
	if err != nil {
		return nil, err
	}
	defer release()
	config := filepath.Join(dir, "tailcall.graphql")
	if err := os.WriteFile(config, []byte(tailcallConfig(port, remote)), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "start", config)
	cmd.Env = append(os.Environ(), "TAILCALL_LOG_LEVEL=error", "TAILCALL_TRACKER=false", "TC_TRACKER=false")
	return servePeer("Tailcall, sharing", fmt.Sprintf("http://127.0.0.1:%d/graphql", port), cmd)
}

// sameFeed compares the posts of a program whose list has no items with the page.
func sameFeed(want []byte, s *server, body string) error {
	var page struct {
		Data struct {
			Posts struct {
				Items json.RawMessage `json:"items"`
			} `json:"posts"`
		} `json:"data"`
	}
	var list struct {
		Data struct {
			Posts json.RawMessage `json:"posts"`
		} `json:"data"`
	}
	got, err := s.ask(request{body: body})
	if err == nil {
		err = errors.Join(json.Unmarshal(want, &page), json.Unmarshal(got, &list))
	}
	if err != nil {
		return err
	}
	return same(page.Data.Posts.Items, list.Data.Posts)
}

// peersTypename measures the smallest request.
func peersTypename(t *peersTable, o peersOptions, dir string) error {
	_, shut, err := open(dir, nil) // writes the rows
	if err != nil {
		return err
	}
	shut()
	var servers []*server
	defer stopAll(&servers)
	for _, c := range [][2]string{{"the gateway", "the gateway"}, {feedServed[4].name, "a bare handler"}} {
		s, err := serveAs(c[0], dir, serverCore, c[1])
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	sleep, err := keepAwake()
	if err != nil {
		return err
	}
	defer sleep()
	const body = `{"query":"{__typename}"}`
	if err := servers[0].agrees([]byte(`{"data":{"__typename":"Query"}}`), request{body: body}); err != nil {
		return err
	}
	if err := peersLoad(dir, o, servers, func(*server) string { return wrkScript("POST", "/graphql", body) }); err != nil {
		return err
	}
	t.add("{__typename}", servers[0], servers[1])
	return nil
}

// peersSQLite measures REST over SQLite.
func peersSQLite(t *peersTable, o peersOptions, dir string) error {
	var servers []*server
	defer stopAll(&servers)
	for _, c := range postServed {
		s, err := serveAs(c.name, dir, serverCore, strings.TrimPrefix(c.name, postName))
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	pocketbase, err := servePocketBase(dir)
	if err != nil {
		t.leave("PocketBase", err)
	} else {
		servers = append(servers, pocketbase)
	}
	sleep, err := keepAwake()
	if err != nil {
		return err
	}
	defer sleep()
	const gatewayPath, pocketPath = "/api/app/posts", "/api/collections/posts/records"
	for _, r := range []struct {
		name, method string
		paths        [3]string // of the gateway, of the handler by hand, of PocketBase
		body         string
		titles       int
	}{
		{"SQLite, one row", "GET", [3]string{gatewayPath + "/post00000000042", "/posts/post00000000042", pocketPath + "/post00000000042"}, "", 1},
		{"SQLite, a list of 100", "GET", [3]string{gatewayPath + "?limit=100&count=none", "/posts", pocketPath + "?perPage=100&skipTotal=1"}, "", 100},
		{"SQLite, a list with total", "GET", [3]string{gatewayPath + "?limit=100", "/posts?total", pocketPath + "?perPage=100"}, "", 100},
		{"SQLite, a durable create", "POST", [3]string{gatewayPath, "/posts", pocketPath}, postCreate, 1},
	} {
		path := map[*server]string{}
		var want string
		for i, s := range servers {
			path[s] = r.paths[i]
			got, err := titles(s, r.method, r.paths[i], r.body)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", r.name, s.name, err)
			}
			if i == 0 {
				want = got
			}
			if n := strings.Count(got, "\n"); got != want || n != r.titles {
				return fmt.Errorf("%s: %s answers %d rows, want %d: %s", r.name, s.name, n, r.titles, got)
			}
		}
		if err := peersLoad(dir, o, servers, func(s *server) string { return wrkScript(r.method, path[s], r.body) }); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		t.add(r.name, servers[0], servers[1:]...)
	}
	return nil
}

// titles makes a request and returns the titles of the rows of its answer, a line each.
func titles(s *server, method, path, body string) (string, error) {
	base := s.url[:strings.Index(s.url[len("http://"):], "/")+len("http://")]
	req, err := http.NewRequest(method, base+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode >= 300 {
		return "", fmt.Errorf("%s: %s", resp.Status, text)
	}
	type row struct {
		Title string `json:"title"`
	}
	var list struct {
		row

		Items []row `json:"items"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return "", err
	}
	if list.Title != "" {
		return list.Title + "\n", nil
	}
	var lines strings.Builder
	for _, r := range list.Items {
		lines.WriteString(r.Title + "\n")
	}
	return lines.String(), nil
}

// servePocketBase builds PocketBase in its own module and starts it over a new folder.
func servePocketBase(dir string) (*server, error) {
	const folder = "bench/testdata/pocketbase"
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("the folder %s is missing; run bench in the folder of the module", folder)
	}
	program := filepath.Join(dir, "pocketbase")
	if err := command(folder, "go", "build", "-buildvcs=false", "-o", program, "."); err != nil {
		return nil, fmt.Errorf("the Go module proxy has to answer: %w", err)
	}
	port, release, err := freeport.Take()
	if err != nil {
		return nil, err
	}
	defer release()
	address := fmt.Sprintf("127.0.0.1:%d", port)
	cmd := exec.Command(program, "serve", "--http", address, "--dir", filepath.Join(dir, "pocketbase.data"))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	// PocketBase commits with synchronous=NORMAL: a power cut may take its last rows.
	return servePeer("PocketBase", "http://"+address+"/api/health", cmd)
}

// peersPostgres measures the requests of postgres that read.
func peersPostgres(t *peersTable, o peersOptions, dir string) error {
	servers, peer, shut, err := postgresServers(dir)
	if errors.Is(err, pgtest.ErrMissing) {
		t.leave("PostgreSQL", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer shut()
	if peer == nil {
		t.leave("PostGraphile", errors.New("npm did not install it in bench/postgraphile"))
	}
	names := map[string]string{"nested": "PostgreSQL, nested", "list": "PostgreSQL, a list of 100", "row": "PostgreSQL, one row"}
	for i := range blogRequests {
		r := &blogRequests[i]
		if names[r.name] == "" {
			continue
		}
		if err := r.agree(servers, peer); err != nil {
			return err
		}
		if err := peersLoad(dir, o, servers, func(s *server) string { return script(r.bodyOf(s, peer)) }); err != nil {
			return err
		}
		var others []*server
		for _, s := range servers {
			if s == peer || s.name == "by hand" {
				others = append(others, s)
			}
		}
		t.add(names[r.name], servers[len(servers)-1], others...) // the last one does not coalesce
	}
	return nil
}

// peersEquipped measures gateways beside equipped ones.
func peersEquipped(t *peersTable, o peersOptions, dir string) error {
	if err := writeSigningKey(dir); err != nil {
		return err
	}
	for _, c := range []struct{ name, file string }{{sinkName, sinkFile}, {feedName, addressFile}} {
		s, err := serveAs(c.name, dir, loadCore, c.name)
		if err != nil {
			return err
		}
		defer s.stop()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(strings.TrimSuffix(s.url, "/graphql")), 0o600); err != nil {
			return err
		}
	}
	for _, r := range []struct{ request, contender, method, path, body string }{
		{"one remote, nothing shared", feedServed[1].name, "POST", "/graphql", feedBody},
		{"one remote, equal queries shared", feedServed[2].name, "POST", "/graphql", feedBody},
		{"SQLite, one row", postServed[0].name, "GET", "/api/app/posts/post00000000042", ""},
		{"SQLite, a list of 100", postServed[0].name, "GET", "/api/app/posts?limit=100&count=none", ""},
		{"SQLite, a durable create", postServed[0].name, "POST", "/api/app/posts", postCreate},
	} {
		ask := func(s *server) (string, error) { return titles(s, r.method, r.path, r.body) }
		if r.body == feedBody {
			ask = func(s *server) (string, error) {
				text, err := s.ask(request{body: feedBody})
				return string(text), err
			}
		}
		if err := peersEquippedRow(t, o, dir, r.request, r.contender, ask, wrkScript(r.method, r.path, r.body)); err != nil {
			return fmt.Errorf("%s: %w", r.request, err)
		}
	}
	return nil
}

// peersEquippedRow measures one request of a gateway and of the equipped ones, which ask compares.
func peersEquippedRow(t *peersTable, o peersOptions, dir, request, contender string, ask func(*server) (string, error), script string) error {
	var servers []*server
	want := ""
	defer stopAll(&servers)
	contenders := [][2]string{{contender, "alone"}, {contender + equippedMark, "equipped"}, {contender + sampledMark, "a tenth traced"}}
	if strings.HasPrefix(contender, feedName) {
		contenders = append(contenders, [2]string{feedServed[3].name, "the plan"}, [2]string{feedServed[3].name + signingMark, "the plan, signing"})
	}
	for _, c := range contenders {
		folder, err := os.MkdirTemp(dir, "store-")
		if err != nil {
			return err
		}
		for _, file := range []string{sinkFile, addressFile, signingFile} {
			if err := os.Link(filepath.Join(dir, file), filepath.Join(folder, file)); err != nil {
				return err
			}
		}
		s, err := serveAs(c[0], folder, serverCore, c[1])
		if err != nil {
			return err
		}
		servers = append(servers, s)
		got, err := ask(s)
		if want == "" {
			want = got
		}
		if err == nil && (got == "" || got != want) {
			err = fmt.Errorf("it answers %q, want %q", got, want)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := peersLoad(dir, o, servers, func(*server) string { return script }); err != nil {
		return err
	}
	beside := servers[:1:1]
	if len(servers) > 3 {
		t.add(request, servers[0], servers[3])
		beside = append(beside, servers[4])
	}
	t.add(request+", equipped", servers[1], beside...)
	t.add(request+", a tenth traced", servers[2], beside...)
	return nil
}
