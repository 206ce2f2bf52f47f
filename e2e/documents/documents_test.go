package documents

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/e2e/testprogram"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// projects are the example projects and those of the tests that need no Go code.
var projects = map[string]string{
	"shop": "../../examples/shop", "blog": "../../examples/blog/site", "weather": "../../examples/weather/site", "press": "../testdata/press",
	"cards": "../../describe/testdata/cards",
}

// js is the folder with the tools, installed by `make js`.
func js(t *testing.T) string {
	t.Helper()
	missing := t.Skip
	if os.Getenv("CI") != "" {
		missing = t.Fatal
	}
	if _, err := exec.LookPath("node"); err != nil {
		missing("node is not here")
	}
	if _, err := os.Stat("js/node_modules/.package-lock.json"); err != nil {
		missing("e2e/documents/js/node_modules is not here; `make js` installs it")
	}
	return "js"
}

// serve is a gateway over a project, in development and with a store in memory.
func serve(t *testing.T, dir string) (*gateway.Gateway, string) {
	t.Helper()
	project, err := facade.Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	config := gateway.Config{Dir: t.TempDir(), Store: "memory", Mode: gateway.Development, Log: gateway.Log{NoAccess: true}}
	config.Identity.Dev = true
	gw, err := gateway.New(project, &gateway.Options{
		Config: config, Incomplete: true, Unregistered: func(schema.Fault) {},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	server := httptest.NewServer(gw.Handler())
	t.Cleanup(server.Close)
	return gw, server.URL
}

// TestLinters: no linter or parser finds an error in a document of any project.
func TestLinters(t *testing.T) {
	dir := js(t)
	folder := t.TempDir()
	want := 0
	for name, of := range projects {
		gw, _ := serve(t, of)
		for _, format := range gateway.DocumentFormats {
			doc, err := gw.Document(format, "")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name+"."+format+".json"), doc, 0o600); err != nil {
				t.Fatal(err)
			}
			want++
		}
	}
	read := 0
	for _, line := range lint(t, dir, folder) {
		read += line.Read
		switch {
		case line.Level == "error":
			t.Errorf("%s: %s", line.File, line.Message)
		case line.Level != "":
			t.Logf("%s, warning: %s", line.File, line.Message)
		}
	}
	if read != want {
		t.Errorf("%d documents were read, want %d", read, want)
	}
}

// TestLintersNotice: the same run finds what is wrong with documents that are.
func TestLintersNotice(t *testing.T) {
	dir := js(t)
	folder := t.TempDir()
	gw, _ := serve(t, projects["blog"])
	for format, wrong := range map[string][2]string{
		"openapi": {`"operationId"`, `"operationid"`}, "openrpc": {`"methods"`, `"method"`}, "asyncapi": {`"channels"`, `"channel"`},
	} {
		doc, err := gw.Document(format, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "wrong."+format+".json"), bytes.Replace(doc, []byte(wrong[0]), []byte(wrong[1]), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]bool{}
	for _, line := range lint(t, dir, folder) {
		if line.Level == "error" {
			found[line.File] = true
		}
	}
	if len(found) != len(gateway.DocumentFormats) {
		t.Errorf("errors were found in %v alone", found)
	}
}

// finding is a line that lint.mjs prints.
type finding struct {
	File, Level, Message string
	Read                 int
}

func lint(t *testing.T, dir, folder string) (all []finding) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "lint.mjs", folder)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var f finding
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		all = append(all, f)
	}
	return all
}

// TestMethods: every method that OpenRPC lists is called as its example says, and the call is
// one that the host understands: it is answered, or refused for what rows there are.
func TestMethods(t *testing.T) {
	gw, url := serve(t, projects["shop"])
	doc, err := gw.Document("openrpc", "")
	if err != nil {
		t.Fatal(err)
	}
	called, answered := 0, 0
	for _, method := range jsontext.Elements(jsontext.Get(doc, "methods")) {
		name := jsontext.Get(method, "name")
		for _, example := range jsontext.Elements(jsontext.Get(method, "examples")) {
			var params schema.Object
			for _, p := range jsontext.Elements(jsontext.Get(example, "params")) {
				params = append(params, schema.Member{Name: jsontext.Unquote(jsontext.Get(p, "name")), Value: jsontext.Get(p, "value")})
			}
			frame := `{"jsonrpc":"2.0","id":1,"method":` + string(name) + `,"params":` + string(params.AppendJSON(nil)) + `}`
			status, body := request(t, "POST", url+"/_kit/call", frame)
			called++
			failure := jsontext.Get(body, "error")
			code := jsontext.Unquote(jsontext.Get(jsontext.Get(failure, "data"), "code"))
			switch {
			case failure == nil:
				answered++
			case code == "NOT_FOUND", code == "CONFLICT", strings.Contains(string(failure), `"code":"reference"`):
			default:
				t.Errorf("%s: %d %s\nwas sent %s", name, status, body, frame)
			}
		}
	}
	if called < 30 || answered < 10 {
		t.Errorf("%d methods were called and %d answered; the shop has more", called, answered)
	}
	t.Logf("%d called, %d answered with a result", called, answered)
}

// staff is the caller of all requests: one who may do everything in the shop.
const staff = `{"id":"ada","roles":["staff"]}`

func request(t *testing.T, verb, url, body string, headers ...string) (int, json.RawMessage) {
	t.Helper()
	resp := send(t, verb, url, body, headers...)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, text
}

func send(t *testing.T, verb, url, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), verb, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Frond-User", staff)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// TestProxy: requests of every kind pass through a proxy that validates them and their answers
// by the OpenAPI document, and it finds no violation.
func TestProxy(t *testing.T) {
	dir := js(t)
	gw, url := serve(t, projects["shop"])
	doc, err := gw.Document("openapi", "")
	if err != nil {
		t.Fatal(err)
	}
	proxy := prism(t, dir, doc, url)
	clean := func(verb, path, body string, want int, headers ...string) json.RawMessage {
		t.Helper()
		resp := send(t, verb, proxy+path, body, headers...)
		defer func() { _ = resp.Body.Close() }()
		text, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != want {
			t.Errorf("%s %s: %d, want %d: %s", verb, path, resp.StatusCode, want, text)
		}
		violations(t, verb+" "+path, resp, want >= 400)
		return text
	}
	item, groups := map[string]string{}, 0
	for path, operations := range jsontext.Members(jsontext.Get(doc, "paths")) {
		if jsontext.Get(operations, "get") == nil || strings.Contains(path, "{") || strings.Contains(path, "/facts/") || strings.HasSuffix(path, "/find-by-ids") {
			continue
		}
		if strings.HasSuffix(path, "/aggregate") {
			answer := clean("GET", path+"?by=id&select=count&sort=-count&limit=2", "", 200)
			for range jsontext.Elements(jsontext.Get(answer, "items")) {
				groups++
			}
			clean("GET", path, "", 200)
			clean("GET", path+"?by=nonsense", "", 400)
			continue
		}
		list := clean("GET", path+"?limit=2&sort=-id&cursors=true&fields=id", "", 200)
		for _, row := range jsontext.Elements(jsontext.Get(list, "items")) {
			item[path] = jsontext.Unquote(jsontext.Get(row, "id"))
		}
		if item[path] == "" {
			t.Errorf("%s has no rows: %s", path, list)
		}
		clean("GET", path+"/"+item[path], "", 200)
		clean("GET", path+"/"+item[path]+"?fields=id", "", 200)
		clean("GET", path+"/find-by-ids?ids="+item[path]+"&fields=id", "", 200)
		clean("GET", path+"/not-there", "", 404)
		clean("GET", path+"?filter=%7B%22id%22%3A%7B%22eq%22%3A%22not-there%22%7D%7D", "", 200)
		clean("GET", path+"?filter%5Bid%5D%5Beq%5D=not-there&filter%5Bid%5D%5Bin%5D=a,b", "", 200)
		clean("GET", path+"?filter%5Bid%5D%5Beqq%5D=not-there", "", 400)
		clean("GET", path+"?after=nonsense", "", 400)
	}
	if groups == 0 {
		t.Error("no path answered groups of rows; the shop has some")
	}
	product := "/api/catalog/products/" + item["/api/catalog/products"]
	clean("PATCH", product, `{"price":1200}`, 200)
	clean("PATCH", product, `{"price":1300}`, 200, "Content-Type: application/merge-patch+json")
	clean("PATCH", product, `{"price":1400}`, 412, `If-Match: "old"`)
	clean("PATCH", product, `{"price":-1}`, 400)
	clean("POST", "/api/catalog/products", `{"name":"half"}`, 400)
	made := clean("POST", "/api/catalog/categories", `{"name":"Proxied","slug":"proxied","position":9,"parentId":null}`, 201)
	clean("POST", "/api/catalog/categories", `{"name":"Proxied","slug":"proxied","position":9,"parentId":null}`, 409)
	clean("GET", "/api/catalog/categories/"+jsontext.Unquote(jsontext.Get(made, "id")), "", 200)
	clean("DELETE", "/api/catalog/products/not-there", "", 404)
	clean("PUT", "/api/catalog/categories?by=slug", `{"name":"Proxied","slug":"proxied","position":8,"parentId":null}`, 200)
	if refused := clean("PUT", "/api/catalog/categories", `{"name":"Proxied","slug":"proxied","position":8,"parentId":null}`, 400); !strings.Contains(string(refused), "by is required") {
		t.Errorf("without by: %s", refused)
	}
	clean("PATCH", "/api/catalog/products?filter=%7B%22id%22%3A%7B%22eq%22%3A%22not-there%22%7D%7D", `{"price":1200}`, 200)
	clean("DELETE", "/api/catalog/products?filter%5Bid%5D%5Beq%5D=not-there&max=2", "", 200)
	clean("DELETE", "/api/catalog/products", "", 400)
}

// prism starts the proxy and returns its address.
func prism(t *testing.T, dir string, doc json.RawMessage, url string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(freeport.Port(t))
	cmd := exec.CommandContext(t.Context(), "node", "node_modules/@stoplight/prism-cli/dist/index.js", "proxy", file, url, "--host", "127.0.0.1", "--port", port)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := testprogram.Start(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	for range 3000 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			_ = c.Close()
			return "http://127.0.0.1:" + port
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the proxy did not start: %s", out.String())
	return ""
}

// violations fails the test for what the proxy found: of an answer always, of a request unless
// it was meant to be refused.
func violations(t *testing.T, what string, resp *http.Response, bad bool) {
	t.Helper()
	for _, v := range jsontext.Elements([]byte(resp.Header.Get("Sl-Violations"))) {
		var at []string
		_ = json.Unmarshal(jsontext.Get(v, "location"), &at)
		if !bad || len(at) == 0 || at[0] != "request" {
			t.Errorf("%s: %s", what, v)
		}
	}
}
