package evolution

import (
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/cmd/frond/diff"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/migration"
)

// TestPlan: what frond migrate plan finds in a store with rows, diff has found in the cards. A
// step that loses values, or is refused for rows that stand against it, is a finding on the
// store that is not safe, of the same table or column; and without a finding on the store
// there is no step.
func TestPlan(t *testing.T) {
	steps, lost := map[string]int{}, 0
	for seed := *from; seed < *from+2*uint64(*cases); seed++ {
		p := newPair(t, seed)
		if p == nil {
			continue
		}
		store := write(t, onSQLite{}, p.was.files(), seeds(rand.New(rand.NewPCG(seed, 8)), p.was))
		plan := planned(t, p.is.files(), store)
		found := map[string][]diff.Finding{}
		for _, f := range p.report.Findings {
			if f.Surface == "store" {
				at := p.is.newName(f.At)
				table, _, _ := strings.Cut(at, ".")
				found[at] = append(found[at], f)
				if table != at {
					found[table] = append(found[table], f)
				}
			}
		}
		for _, s := range plan.Steps {
			steps[string(s.Op)]++
			at := s.Entity
			if s.Field != "" && !strings.Contains(s.Field, ",") {
				at += "." + s.Field
			}
			here := found[at]
			// A constraint is one of the table, and so is an index that has its name.
			if s.Op == migration.AddUnique || s.Op == migration.AddIndex && p.was.entity(s.Entity) == nil {
				here = found[s.Entity]
			}
			if len(here) == 0 {
				t.Errorf("seed %d, %s: the plan has %s of %s, and diff finds nothing there", seed, strings.Join(p.changed, "; "), s.Op, at)
			}
			if s.Effect != migration.Loses && !s.Refused {
				continue
			}
			lost++
			if !unsafe(here) {
				t.Errorf("seed %d, %s: the plan has %s of %s, which loses values or is refused (%s), and diff calls it safe: %+v",
					seed, strings.Join(p.changed, "; "), s.Op, at, s.Reason, here)
			}
		}
	}
	t.Logf("steps %v, of which %d lose or are refused", steps, lost)
	if len(steps) < 5 || lost < 3 {
		t.Error("too few steps for this to show anything")
	}
}

// newName is the name that a declared rename gives an entity, or a field of one.
func (m *model) newName(at string) string {
	entity, field, isField := strings.Cut(at, ".")
	switch {
	case m.renamed[at] != "":
		return m.renamed[at]
	case m.renamed[entity] == "":
		return at
	case isField:
		return m.renamed[entity] + "." + field
	}
	return m.renamed[entity]
}

// unsafe reports whether one of the findings is not safe.
func unsafe(list []diff.Finding) bool {
	for _, f := range list {
		if f.Level != "safe" {
			return true
		}
	}
	return false
}

// planned is the plan of a project over a store.
func planned(t *testing.T, files fstest.MapFS, store string) *migration.Plan {
	t.Helper()
	project, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := gateway.PlanMigration(t.Context(), project, &gateway.Options{
		Config: gateway.Config{Extras: all.Extras(), Dir: t.TempDir(), Store: store}, Logger: slog.New(slog.DiscardHandler),
	}, &gateway.MigrateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
