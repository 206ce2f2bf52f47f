package judge

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/script"
)

var (
	from  = flag.Uint64("from", 1, "the seed")
	pairs = flag.Int("pairs", 3000, "how many bodies are judged; a short run judges a third")
)

const bodiesOfCard = 25

// shipped is the runtime as it is written into packages.
const shipped = "../../client/dist"

// line is a card with bodies, for compare.mjs.
type line struct {
	Card    string   `json:"card"`
	View    bool     `json:"view"`
	Data    string   `json:"data"`
	Formats []string `json:"formats"`
	Bodies  [][2]any `json:"bodies"` // mode and text
}

// cases draws cards that compile, with bodies, until there are n of these.
func cases(t *testing.T, seed uint64, n int) []line {
	d := &dice{Rand: rand.New(rand.NewPCG(seed, 2))}
	lines := []line{d.every("format", formats), d.every("pattern", slices.Concat(patterns, hostile[:14], harmless)), d.broken()}
	drawn := 0
	for count := len(lines[0].Bodies) + len(lines[1].Bodies) + len(lines[2].Bodies); count < n; drawn++ {
		if drawn > n {
			t.Fatalf("of %d cards %d compile", drawn, len(lines))
		}
		card := d.card()
		l := line{Card: string(encode(card)), View: d.one(2)}
		set, err := schema.Compile([]schema.Source{{Name: "thing", File: "thing.json", View: l.View, Data: []byte(l.Card)}}, schema.Builtins(), nil)
		if err != nil {
			continue
		}
		judge, err := script.Of(set.Entity("thing"))
		if err != nil {
			t.Fatal(err, l.Card)
		}
		if len(judge.Skipped) > 0 {
			continue // a reference that leads back to itself, which accepts every value here
		}
		l.Data, l.Formats = judge.Data, judge.Formats
		for range bodiesOfCard {
			l.Bodies = append(l.Bodies, [2]any{d.IntN(3), string(encode(d.body(card)))})
		}
		count += bodiesOfCard
		lines = append(lines, l)
	}
	t.Logf("%d of %d cards compile", len(lines), drawn)
	return lines
}

// script adds the judge of the card as data.
func (l *line) script() {
	judge, err := script.Of(schema.MustCompile([]schema.Source{{Name: "thing", File: "thing.json", View: true, Data: []byte(l.Card)}}, nil, nil).Entity("thing"))
	if err != nil {
		panic(err)
	}
	l.Data, l.Formats = judge.Data, judge.Formats
}

// every is a card with a field for each value of a keyword, and bodies that have one text in
// all of them.
func (d *dice) every(keyword string, values []string) line {
	var props object
	for i, v := range values {
		props = append(props, pair{fmt.Sprint("f", i), object{{"type", "string"}, {keyword, v}}})
	}
	l := line{Card: string(encode(object{{"type", "object"}, {"properties", props}})), View: true}
	l.script()
	all := texts
	for range 60 {
		all = append(all, d.text())
	}
	for _, text := range all {
		var body object
		for _, p := range props {
			body = append(body, pair{p.name, text})
		}
		l.Bodies = append(l.Bodies, [2]any{0, string(encode(body))})
	}
	return l
}

// broken is a card with bodies that no host reads as JSON, or hardly.
func (d *dice) broken() line {
	l := line{Card: `{"type":"object","properties":{"a":{"type":"string","maxLength":3},"b":{"type":"array"},"c":{}}}`, View: true}
	l.script()
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	for _, text := range []string{
		`null`, `{"a":"\ud800"}`, `{"a":"x\udc00y"}`, `{"a":"\ud83d\ude00"}`, `{"b":[1,"\udbff"]}`, `{"c":{"d":["\ud800\ud800"]}}`, `{"z":"\ud800"}`, `{"a":5,"c":"\udfff"}`,
		`{"c":` + nested(98) + `}`, `{"c":` + nested(99) + `}`, `{"c":` + nested(100) + `}`, `{"b":[` + nested(99) + `]}`, `{"c":{"d":` + nested(98) + `}}`, `{"c":{"d":` + nested(99) + `}}`, `{"q":` + nested(300) + `}`,
	} {
		for mode := range 3 {
			l.Bodies = append(l.Bodies, [2]any{mode, text})
		}
	}
	return l
}

// report is the last line of compare.mjs.
type report struct {
	Pairs, Refused int
	Codes          map[string]int
	Differences    []int // of each judge
}

// compare judges the cases by the Go judge and by the runtimes in dists, in node. It also returns
// the differences of the first one.
func compare(t *testing.T, wasm string, lines []line, dists ...string) (report, string) {
	t.Helper()
	return compareIn(t, "", wasm, lines, dists...)
}

// chromium returns the browser that the judges run in; the test is skipped without one, and
// fails in CI.
func chromium(t *testing.T) string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err == nil {
		_, err = os.Stat("../js/node_modules/playwright-core")
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return browser
}

// compareIn compares as compare does, in the browser of that path; "" is node.
func compareIn(t *testing.T, browser, wasm string, lines []line, dists ...string) (report, string) {
	t.Helper()
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("node", append([]string{"compare.mjs", filepath.Join(goroot(t), "lib", "wasm", "wasm_exec.js"), wasm}, dists...)...)
	cmd.Env = append(os.Environ(), "CHROMIUM="+browser)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said := strings.TrimSpace(string(out))
	last := said[strings.LastIndexByte(said, '\n')+1:]
	var r report
	if err := json.Unmarshal([]byte(last), &r); err != nil {
		t.Fatal(err, last)
	}
	return r, strings.TrimSuffix(said, last)
}

// TestJudge: both judges give the same details for every body of every card.
func TestJudge(t *testing.T) { testJudge(t, "") }

// TestJudgeChromium: so does the judge in a page.
func TestJudgeChromium(t *testing.T) { testJudge(t, chromium(t)) }

func testJudge(t *testing.T, browser string) {
	bodies := *pairs
	if testing.Short() {
		bodies /= 3
	}
	r, differences := compareIn(t, browser, buildOracle(t), cases(t, *from, bodies), shipped)
	t.Logf("%d pairs, %d refused: %v", r.Pairs, r.Refused, r.Codes)
	if r.Differences[0] > 0 {
		t.Errorf("%d of %d pairs differ:\n%s", r.Differences[0], r.Pairs, differences)
	}
	if r.Refused < r.Pairs/4 || r.Refused > r.Pairs*19/20 {
		t.Errorf("%d of %d pairs are refused: the cases show little", r.Refused, r.Pairs)
	}
}

// oracle is the folder that the Go judge is built in, once for all tests.
var oracle string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "frond-judge-")
	if err != nil {
		panic(err)
	}
	oracle = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// buildOracle compiles the Go judge to WebAssembly.
func buildOracle(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	file := filepath.Join(oracle, "oracle.wasm")
	if _, err := os.Stat(file); err == nil {
		return file
	}
	cmd := exec.Command("go", "build", "-o", file, "./oracle")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// stripped writes a source without its types, as npm's esbuild makes it.
func stripped(t *testing.T, file, dir string) {
	t.Helper()
	esbuild := "../../client/node_modules/esbuild/bin/esbuild"
	if _, err := os.Stat(esbuild); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err, "`make js` installs it")
		}
		t.Skip(err)
	}
	if out, err := exec.Command(esbuild, file, "--outdir="+dir, "--log-level=error").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
