package evolution

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/cmd/frond/diff"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

var (
	from  = flag.Uint64("from", 1, "the first seed")
	cases = flag.Int("cases", 32, "how many seeds; a short run has a third, but for TestPlan and TestInspector")
)

// seedsOfRun is how many seeds this run has.
func seedsOfRun() int {
	if testing.Short() {
		return *cases / 3
	}
	return *cases
}

// pair is two versions of a project, and what was changed between them.
type pair struct {
	seed    uint64
	was, is *model
	changed []string
	old     *diff.Version
	new     *diff.Version
	report  *diff.Report
}

// newPair makes up a pair. It is nil where the changed project has faults: such a version does
// not start, and diff does not compare it.
func newPair(t *testing.T, seed uint64) *pair {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	p := &pair{seed: seed, was: newModel(r)}
	for len(p.changed) < 2 && r.IntN(3) == 0 { // changes before the first version, for a base that has a bit of everything
		c := changes[r.IntN(len(changes))]
		before := p.was.clone()
		if !c.do(r, p.was) || len(p.was.renamed) > 0 || versionOf(p.was.files()) == nil {
			p.was = before
		}
	}
	p.is = p.was.clone()
	for range 1 + r.IntN(2) {
		c := changes[r.IntN(len(changes))]
		before := p.is.clone()
		if c.do(r, p.is) {
			p.changed = append(p.changed, c.name)
		} else {
			p.is = before
		}
	}
	p.old = versionOf(p.was.files())
	p.new = versionOf(p.is.files())
	if p.old == nil {
		t.Fatalf("seed %d: the old version has faults: %v", seed, faultsOf(p.was.files()))
	}
	if p.new == nil {
		return nil
	}
	var err error
	if p.report, err = diff.Compare(p.old, p.new); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return p
}

// versionOf is the version of files; nil: they have faults.
func versionOf(files fstest.MapFS) *diff.Version {
	project, err := facade.Read(files)
	if err != nil {
		return nil
	}
	v, err := diff.New(&diff.Source{Name: "a version", Project: project})
	if err != nil {
		return nil
	}
	return v
}

// faultsOf is why files are no version.
func faultsOf(files fstest.MapFS) error {
	project, err := facade.Read(files)
	if err != nil {
		return err
	}
	_, err = diff.New(&diff.Source{Name: "a version", Project: project})
	return err
}

// TestEvolution: where diff finds only what is safe, every request that passed on the old
// version passes on the new one, with an answer that has at least the old keys and the same
// values. That the requests would notice is shown by the pairs that diff calls breaking.
func TestEvolution(t *testing.T) { evolve(t, onSQLite{}, seedsOfRun()) }

// TestEvolutionPostgres is TestEvolution over PostgreSQL, with fewer pairs.
func TestEvolutionPostgres(t *testing.T) {
	cluster := pgtest.New(t, pgtest.Options{})
	evolve(t, &onPostgres{server: cluster.Primary}, seedsOfRun()/2)
}

// evolve replays requests for some pairs.
func evolve(t *testing.T, s stores, cases int) {
	t.Helper()
	var safe, breaking, noticed, faulty, sent int
	made := map[string]int{}
	for seed := *from; seed < *from+uint64(cases); seed++ {
		p := newPair(t, seed)
		if p == nil {
			faulty++
			continue
		}
		breaks, dangers := p.report.Count(diff.Breaking) > 0, p.report.Count(diff.Dangerous) > 0
		for _, name := range p.changed {
			made[name]++
		}
		// Of the others, some are enough to show that replaying notices a change.
		if breaks && breaking >= 10+cases/20 || dangers && !breaks {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 8))
		start := write(t, s, p.was.files(), seeds(r, p.was))
		passed := record(t, s, p.was.files(), start, requests(r, p.was))
		broken := replay(t, s, p.is.files(), start, passed)
		sent += len(passed)
		if breaks {
			breaking++
			if len(broken) > 0 {
				noticed++
			}
			continue
		}
		safe++
		if len(broken) > 0 {
			t.Errorf("seed %d: diff calls these changes safe: %s\nand %d of %d requests break, the first:\n%s\nfindings %s",
				seed, strings.Join(p.changed, "; "), len(broken), len(passed), broken[0], rulesOf(p.report))
		}
	}
	t.Logf("%d safe pairs, %d breaking pairs of which %d break a request, %d pairs with faults, %d requests replayed, %d kinds of changes",
		safe, breaking, noticed, faulty, sent, len(made))
	if safe < cases/10 || noticed*2 < breaking || sent < 20*safe {
		t.Error("too few pairs are safe, or too few requests pass, for this to show anything")
	}
}

// rulesOf are the rules of a report's findings.
func rulesOf(r *diff.Report) string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Rule+" at "+f.At+" "+f.Member)
	}
	return strings.Join(out, "\n  ")
}
