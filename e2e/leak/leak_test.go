package leak

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/store/postgres/pgtest"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "prove this seed alone; a failure names it (also LEAK_SEED)")
	sizeFlag  = flag.Int("size", -1, "the size of the gardens; -1: it grows with the seeds (also LEAK_SIZE)")
	forFlag   = flag.Duration("for", 0, "go on with new seeds for this long (also LEAK_FOR)")
	fromFlag  = flag.Uint64("from", 1, "the first seed")
	gardens   = 45 // of an ordinary run, and half as many that are kept on another host
	racing    = 3  // gardens of a run under the race detector
	few       = 6  // gardens of a short run
	rulesFlag = flag.String("rules", "", "where collectors stand: go, yaml, or both in turn")
)

// TestLeak is the proof: thousands of cases in an ordinary run, more with -for.
// The seeds of an ordinary run are always the same, and every attack is made: the run fails where
// one is not. Under the race detector there are a few, for races alone; a short run has a few of three sizes.
func TestLeak(t *testing.T) { gardenAfterGarden(t, hole{}) }

// TestLeakRemote is the proof for gardens that are kept on another host, which knows
// nothing of callers: what the collectors here hide stays hidden.
func TestLeakRemote(t *testing.T) { gardenAfterGarden(t, hole{remote: true}) }

func gardenAfterGarden(t *testing.T, h hole) {
	t.Helper()
	fromEnvironment(t)
	database = pgtest.Chosen(t)
	defer func() { database = "" }() // it is dropped with the test
	if *seedFlag != 0 {
		seeded(t, *seedFlag, h)
		return
	}
	readAttacks(t)
	clear(made)
	end, n, cases, gardens := time.Now().Add(*forFlag), 0, 0, gardens
	switch {
	case raced:
		gardens = racing
	case h.remote, h.spread != nil:
		gardens /= 2
	}
	if testing.Short() && !raced {
		gardens = few
		if h.spread != nil {
			gardens = 3 // each has some hosts
		}
	}
	for seed := *fromFlag; n < gardens || time.Now().Before(end); seed++ {
		n++
		cases += seeded(t, seed, h)
		if *forFlag > 0 && n%500 == 0 {
			t.Logf("%d gardens, %d cases", n, cases)
		}
	}
	t.Logf("%d gardens, %d cases", n, cases)
	t.Logf("attacks:\n%s", made)
	if missing := made.missing(); len(missing) > 0 && !testing.Short() && !raced {
		t.Errorf("these attacks were never made: %s", strings.Join(missing, ", "))
	}
}

// seeded proves one seed: small gardens come first, so that what is found is small.
func seeded(t *testing.T, seed uint64, h hole) int {
	t.Helper()
	each := uint64(25) // seeds of one size
	if raced || testing.Short() {
		each = 2
	}
	size := int(seed / each)
	if size > 4 {
		size = int(seed % 5)
	}
	if h.spread != nil {
		size = 1 + int(seed%4)
	}
	if *sizeFlag >= 0 {
		size = *sizeFlag
	}
	cases, err := prove(seed, size, h.spread != nil || *rulesFlag == "yaml" || *rulesFlag == "" && seed%2 == 0, h)
	if err != nil {
		t.Fatalf("%v\n\nagain: go test ./e2e/leak -run '%s$' -seed %d -size %d", err, t.Name(), seed, size)
	}
	return cases
}

// fromEnvironment reads what was not given as a flag.
func fromEnvironment(t *testing.T) {
	t.Helper()
	var err error
	if v := os.Getenv("LEAK_SEED"); v != "" && *seedFlag == 0 {
		*seedFlag, err = strconv.ParseUint(v, 10, 64)
	}
	if v := os.Getenv("LEAK_SIZE"); v != "" && *sizeFlag < 0 && err == nil {
		*sizeFlag, err = strconv.Atoi(v)
	}
	if v := os.Getenv("LEAK_FOR"); v != "" && *forFlag == 0 && err == nil {
		*forFlag, err = time.ParseDuration(v)
	}
	if err != nil {
		t.Fatal(err)
	}
}
