package judge

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
)

var (
	from  = flag.Uint64("from", 1, "the seed")
	pairs = flag.Int("pairs", 6000, "how many bodies are judged")
)

const bodiesOfCard = 25

// line is a card with bodies, for compare.mjs.
type line struct {
	Card    string   `json:"card"`
	View    bool     `json:"view"`
	Data    string   `json:"data"`
	Formats []string `json:"formats"`
	Engine  bool     `json:"engine"`
	Bodies  [][2]any `json:"bodies"` // mode and text
}

// cases draws cards that compile, with bodies, until there are n of these.
func cases(t *testing.T, seed uint64, n int) []line {
	d := &dice{Rand: rand.New(rand.NewPCG(seed, 2))}
	var lines []line
	drawn := 0
	for count := 0; count < n; drawn++ {
		if drawn > n {
			t.Fatalf("of %d cards %d compile", drawn, len(lines))
		}
		card := d.card()
		l := line{Card: string(encode(card)), View: d.one(2)}
		set, err := schema.Compile([]schema.Source{{Name: "thing", File: "thing.json", View: l.View, Data: []byte(l.Card)}}, schema.Builtins(), nil)
		if err != nil {
			continue
		}
		script, err := set.Entity("thing").Script()
		if err != nil {
			if strings.Contains(err.Error(), "leads back to itself") {
				continue
			}
			t.Fatal(err, l.Card)
		}
		l.Data, l.Formats, l.Engine = script.Data, script.Formats, script.Engine
		for range bodiesOfCard {
			l.Bodies = append(l.Bodies, [2]any{d.IntN(3), string(encode(d.body(card)))})
		}
		count += bodiesOfCard
		lines = append(lines, l)
	}
	t.Logf("%d of %d cards compile", len(lines), drawn)
	return lines
}

// report is the last line of compare.mjs.
type report struct {
	Pairs, Refused, Differences int
	Codes                       map[string]int
}

// compare judges the cases by both judges; the runtime is in dist.
func compare(t *testing.T, oracle, dist string, lines []line) (report, string) {
	t.Helper()
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("node", "compare.mjs", filepath.Join(goroot(t), "lib", "wasm", "wasm_exec.js"), oracle, dist)
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
func TestJudge(t *testing.T) {
	r, differences := compare(t, buildOracle(t), "../../client/dist", cases(t, *from, *pairs))
	t.Logf("%d pairs, %d refused: %v", r.Pairs, r.Refused, r.Codes)
	if r.Differences > 0 {
		t.Errorf("%d of %d pairs differ:\n%s", r.Differences, r.Pairs, differences)
	}
	if r.Refused < r.Pairs/4 || r.Refused > r.Pairs*19/20 {
		t.Errorf("%d of %d pairs are refused: the cases show little", r.Refused, r.Pairs)
	}
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
	file := filepath.Join(t.TempDir(), "oracle.wasm")
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
