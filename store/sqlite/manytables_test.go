package sqlite_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite"
)

// TestManyTables: a first start with many cards makes the tables and indexes that starts with a few more cards each make, in a whole
// file, and a later start finds nothing to do.
func TestManyTables(t *testing.T) {
	const n = 230
	var cards []string
	for i := range n {
		fields := []string{"name: type: string, x-kit: {role: {unique: [[name]]}}", "amount: type: integer, x-kit: {role: {index: true}}"}
		if i > 0 {
			fields = append(fields, fmt.Sprintf("before?: type: [string, 'null'], x-kit: {role: {relation: {to: thing%d, kind: one, onDelete: set null}}, lifecycle: {create: optional}}", i-1))
		}
		cards = append(cards, fmt.Sprintf("thing%d", i), card(fields...))
	}
	made := func(step int) (path string, all []string) {
		path = t.TempDir() + "/rows.db"
		set := compile(t, cards...)
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		var entities []*schema.Entity
		for i := range n {
			entities = append(entities, set.Entity(fmt.Sprintf("thing%d", i)))
		}
		for some := step; some < n; some += step {
			if err := s.Prepare(t.Context(), entities[:some]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Prepare(t.Context(), entities); err != nil {
			t.Fatal(err)
		}
		plan, err := s.Plan(t.Context(), &migration.Task{Entities: entities})
		if err != nil || len(plan.Steps) > 0 {
			t.Errorf("the next start has %v to do, %v", plan.Steps, err)
		}
		if _, err := s.Insert(t.Context(), entities[n-1], nil, nil, nil); err != nil {
			t.Error(err)
		}
		query(t, path, "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE '_frond%'", func(row []string) { all = append(all, row[0]) })
		query(t, path, "PRAGMA integrity_check", func(row []string) {
			if row[0] != "ok" {
				t.Error(row)
			}
		})
		slices.Sort(all)
		return path, all
	}
	_, want := made(40)
	path, got := made(n)
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 3*n {
		t.Errorf("%d tables and indexes, other than by small steps:\n%s", len(got), diff)
	}
	query(t, path, "SELECT count(*) FROM sqlite_schema WHERE name = '_frond_schema'", func(row []string) {
		if row[0] != "0" {
			t.Error("the table that holds the schema for a while is there")
		}
	})
}
