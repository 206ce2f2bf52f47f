// Command mutation changes the code in small ways, one at a time, and asks the tests
// whether they notice: a comparison at its bound, a condition turned round, a statement
// left out. What no test notices is behaviour that nothing holds.
//
//	go run . -root ../.. -seed 1 -n 40
//
// A mutant is compiled through an overlay, so that no file of the tree is touched. The
// tests of its own package are asked first, then those of the packages above it, then
// the whole program. Each is drawn from all places in the named packages with the same
// chance. Mutants that change nothing stand in survivors.txt with the reason.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// packages are what is changed, with the packages below each of them, and which tests
// are run beside a mutant's own: of a package below, first those of the one above it.
var packages = map[string][]string{
	"schema":       {"./facade/...", "./e2e -run=Matrix|Consumer"},
	"facade":       {"./rest", "./envelope", "./resolvers", "./projection", "./gateway", "./e2e/leak", "./e2e -run=Matrix|Scenario|Paging|Foreign"},
	"store/sqlite": {"./store/storetest", "./facade", "./e2e -run=Matrix|Paging|Kill|Store"},
	"resolvers":    {"./projection", "./gateway", "./e2e/differential", "./e2e -run=Matrix|GraphQL|Paging"},
	"envelope":     {"./gateway", "./e2e -run=Matrix|Foreign|Remote"},
	"rest":         {"./gateway", "./e2e -run=Matrix"},
	"gateway":      {"./cmd/frond", "./e2e -run=Scenario|Matrix|Limits|Trace"},
}

func main() {
	root := flag.String("root", "../..", "the repository")
	seed := flag.Uint64("seed", 1, "which mutants are drawn")
	n := flag.Int("n", 40, "how many mutants that compile")
	only := flag.String("only", "", "one package, such as facade; default all of them")
	least := flag.Float64("least", 0.85, "the share that has to be noticed")
	timeout := flag.Duration("timeout", 5*time.Minute, "for each run of tests; one that takes longer counts as noticed")
	flag.Parse()
	dir, err := filepath.Abs(*root)
	if err != nil {
		fail(err)
	}
	var sites []site
	for name := range packages {
		if *only == "" || *only == name {
			found, err := sitesBelow(dir, name)
			if err != nil {
				fail(err)
			}
			sites = append(sites, found...)
		}
	}
	sortSites(sites)
	known, err := readSurvivors()
	if err != nil {
		fail(err)
	}
	fmt.Printf("%d places; seed %d\n", len(sites), *seed)
	dice := rand.New(rand.NewPCG(*seed, 0))
	dice.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
	noticed, harmless := 0, 0
	var survivors []site
	for _, s := range sites {
		if noticed+harmless+len(survivors) == *n {
			break
		}
		if reason := known[s.key()]; reason != "" {
			harmless++
			fmt.Printf("harmless  %s (%s)\n", s, reason)
			continue
		}
		switch by, err := try(dir, s, *timeout); {
		case err != nil:
			fail(err)
		case by == notCompiled: // drawn again
		case by == "":
			survivors = append(survivors, s)
			fmt.Printf("SURVIVED  %s\n", s)
		default:
			noticed++
			fmt.Printf("noticed   %s by %s\n", s, by)
		}
	}
	total := noticed + len(survivors)
	if total == 0 {
		fail(fmt.Errorf("no mutant was tried"))
	}
	share := float64(noticed) / float64(total)
	fmt.Printf("\n%d of %d that change something are noticed (%.0f %%); %d change nothing\n", noticed, total, 100*share, harmless)
	for _, s := range survivors {
		fmt.Printf("survived: %s\n", s.key())
	}
	if share < *least {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "mutation:", err)
	os.Exit(2)
}

const notCompiled = "the compiler"

// try returns the tests that notice a mutant and the first of them that failed, or ""
// where none does.
func try(root string, s site, timeout time.Duration) (by string, err error) {
	text, err := os.ReadFile(filepath.Join(root, s.file))
	if err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	changed := filepath.Join(tmp, filepath.Base(s.file))
	mutant := append(append(append([]byte{}, text[:s.from]...), s.to...), text[s.end:]...)
	if err := os.WriteFile(changed, mutant, 0o600); err != nil {
		return "", err
	}
	overlay := filepath.Join(tmp, "overlay.json")
	doc, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, s.file): changed}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, doc, 0o600); err != nil {
		return "", err
	}
	own := "./" + s.pkg
	if ok, _ := run(root, timeout, "vet", "-overlay="+overlay, own); !ok {
		return notCompiled, nil // or it is so odd that vet sees it, which any developer runs
	}
	suites := []string{own}
	if s.pkg != s.under {
		suites = append(suites, "./"+s.under)
	}
	for _, tests := range append(suites, packages[s.under]...) {
		args := append([]string{"test", "-vet=off", "-failfast", "-overlay=" + overlay}, strings.Fields(tests)...)
		if ok, out := run(root, timeout, args...); !ok {
			return tests + ": " + firstFailure(out), nil
		}
	}
	return "", nil
}

// run runs the go command and says whether it went well.
func run(root string, timeout time.Duration, args ...string) (ok bool, out string) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	return cmd.Run() == nil, b.String()
}

// firstFailure names the first test that failed in the output of go test, so that a
// reader can distinguish a test that noticed the mutant from one that fails by itself.
func firstFailure(out string) string {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			name, _, _ := strings.Cut(rest, " ")
			return name
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	return "no test ended with a failure"
}

// readSurvivors reads what is known to change nothing: a line for each, its key, a tab
// and the reason.
func readSurvivors() (map[string]string, error) {
	text, err := os.ReadFile("survivors.txt")
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, reason, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("survivors.txt: %q has no tab and no reason behind it", line)
		}
		known[key] = reason
	}
	return known, nil
}
