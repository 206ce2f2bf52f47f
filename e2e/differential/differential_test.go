package differential

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/frondhost/frond/resolvers"
)

var (
	casesFlag = flag.Int("cases", map[bool]int{false: 1000, true: 250}[raced], "how many questions are asked; a short run asks a quarter")
	fromFlag  = flag.Uint64("from", 1, "the seed of the first world; a failure names its own")
)

// perWorld is how many requests are made of one world. Of each two, the second
// is the first with one mutation of its text.
const perWorld = 20

// TestDifferential sends the engine and both references the same requests. The
// seeds of an ordinary run are always the same.
func TestDifferential(t *testing.T) {
	refs := references(t)
	var c count
	cases := *casesFlag
	if testing.Short() {
		cases /= 4
	}
	for seed := *fromFlag; c.cases < cases; seed++ {
		found, err := c.compare(refs, seed, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, f := range found {
			t.Errorf("%s\n\nagain: go test ./e2e/differential -run TestDifferential -from %d -cases 1", f, seed)
		}
		if c.failed >= 10 {
			t.Fatal("that is enough")
		}
	}
	t.Log(c.String())
}

// count is what was asked, and what came of it.
type count struct {
	cases, executed, withErrors, refused, placed, failed int
	meant                                                map[string]int // by the name of the difference
}

func (c *count) String() string {
	s := fmt.Sprintf("%d cases: %d executed (%d with errors), %d refused (%d for the very same place)", c.cases, c.executed, c.withErrors, c.refused, c.placed)
	for _, d := range meant {
		s += fmt.Sprintf("\n%6d %s", c.meant[d.name], d.name)
	}
	return s
}

// engine answers a request; a hole stands between it and the comparison.
type engine func(w *world, q *request) string

func ask(w *world, q *request) string {
	ctx := context.WithValue(context.Background(), tallyKey{}, &tally{})
	r := w.engine.Execute(ctx, &resolvers.Request{Query: q.Query, OperationName: q.OperationName, Variables: json.RawMessage(q.Variables)})
	defer r.Release()
	return string(r.Body)
}

// compare makes one world, sends its requests and returns the differences.
func (c *count) compare(refs []*reference, seed uint64, hole engine) (found []string, err error) {
	r := rand.New(rand.NewPCG(seed, 4))
	w, err := newWorld(r)
	if err != nil {
		return nil, err
	}
	var requests []request
	for range perWorld / 2 {
		q := w.request(r)
		requests = append(requests, q, w.mutant(r, q))
	}
	var answers []func() ([]string, error)
	for _, ref := range refs {
		answers = append(answers, ref.ask(w, requests))
	}
	if hole == nil {
		hole = ask
	}
	var ours []string
	for i := range requests {
		ours = append(ours, hole(w, &requests[i]))
	}
	var theirs [][]string
	for _, read := range answers {
		list, err := read()
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, list)
	}
	for i := range requests {
		difference, err := c.judge(&requests[i], ours[i], theirs[0][i], theirs[1][i])
		if err != nil {
			return nil, err
		}
		if difference != "" {
			found = append(found, difference)
		}
	}
	return found, nil
}

// judge compares one answer with both references.
func (c *count) judge(q *request, body, body16, body17 string) (string, error) {
	var all [3]*answer
	for i, text := range []string{body, body16, body17} {
		a, err := read(q.Query, text, i > 0)
		if err != nil {
			return "", err
		}
		all[i] = a
	}
	ours := all[0]
	c.cases++
	switch {
	case !ours.executed:
		c.refused++
		if meet(ours.places, all[2].places) {
			c.placed++
		}
	default:
		c.executed++
		if len(ours.errors) > 0 {
			c.withErrors++
		}
	}
	why16, why17 := differ(ours, all[1]), differ(ours, all[2])
	if why16 == "" && why17 == "" {
		return "", nil
	}
	for _, d := range meant {
		if d.holds(&dispute{q, ours, all[1], all[2], why16, why17}) {
			if c.meant == nil {
				c.meant = map[string]int{}
			}
			c.meant[d.name]++
			return "", nil
		}
	}
	c.failed++
	where := apart(ours, all[2])
	if why17 == "" {
		where = apart(ours, all[1])
	}
	return fmt.Sprintf("16: %s; 17: %s\n%s\nvariables %s, operation %q\n  %s",
		verdict(why16), verdict(why17), strings.TrimSpace(q.Query), q.Variables, q.OperationName, where), nil
}

func verdict(why string) string {
	if why == "" {
		return "the same"
	}
	return why
}
