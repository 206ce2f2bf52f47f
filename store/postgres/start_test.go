package postgres_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

// compile compiles cards, a name and a text each.
func compile(t testing.TB, cards ...string) []*schema.Entity {
	t.Helper()
	var sources []schema.Source
	for i := 0; i < len(cards); i += 2 {
		sources = append(sources, schema.Source{File: cards[i] + ".yaml", Name: cards[i], Data: []byte(cards[i+1])})
	}
	set, err := schema.Compile(sources, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Entities
}

// prepared prepares a store at url, and returns the error.
func prepared(t testing.TB, url string, entities []*schema.Entity, trace func(string, ...any)) error {
	t.Helper()
	s, err := postgres.Open(postgres.Options{URL: url, Logger: quiet, Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Prepare(t.Context(), entities)
}

// Several gateways that prepare one database at once make everything once. A start with an unchanged
// schema reads the catalogue, and writes nothing but its entry in the record of gateways.
func TestPrepareTogether(t *testing.T) {
	url := pgtest.Database(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := prepared(t, url, storetest.Cards(t).Entities, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := prepared(t, url, storetest.Cards(t).Entities, func(sql string, _ ...any) {
		if !strings.HasPrefix(sql, "SELECT") && !strings.Contains(sql, "frond.serving") {
			t.Errorf("a start with an unchanged schema ran %s", sql)
		}
	}); err != nil {
		t.Error(err)
	}
}

// Names that are too long for PostgreSQL are shortened, and stay apart.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("long", 20)
	card := func(last string) string {
		return "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n" +
			"  " + long + "a: {type: string, maxLength: 9, x-kit: {role: {index: true}}}\n  " + long + "b: {type: string, x-kit: {role: {unique: [[" + long + "b]]}}}\n" +
			"  " + last + ": {type: [integer, 'null'], minimum: 0}\nrequired: [id, " + long + "a, " + long + "b]\nx-kit-version: 1\n"
	}
	entities := compile(t, long+"x", card("n"), long+"y", card("n"))
	url := pgtest.Database(t)
	for range 2 { // the second start finds everything as it is
		if err := prepared(t, url, entities, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// things are cards with a relation to the next one each.
func things(t testing.TB, many int) []*schema.Entity {
	t.Helper()
	var cards []string
	for i := range many {
		cards = append(cards, fmt.Sprintf("thing%d", i), "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"+
			"  name: {type: string, maxLength: 80}\n  price: {type: [integer, 'null'], minimum: 0}\n  kind: {type: string, enum: [a, b], x-kit: {role: {index: true}}}\n"+
			fmt.Sprintf("  nextId: {type: [string, 'null'], x-kit: {role: {relation: {to: thing%d, kind: one}}}}\n", (i+1)%many)+
			"required: [id, name, kind]\nx-kit-version: 1\n")
	}
	return compile(t, cards...)
}

// A first start makes many tables in a few round trips. A start over entities that are there reads
// the catalogue in one, however many they are.
func TestManyEntities(t *testing.T) {
	t.Parallel()
	const many = 200
	entities := things(t, many)
	url := pgtest.Database(t)
	for _, start := range []struct {
		name string
		most int
	}{{"a first start", 40}, {"a start over a schema that is there", 10}} {
		began := time.Now()
		statements := 0
		if err := prepared(t, url, entities, func(sql string, _ ...any) {
			if !strings.Contains(sql, "frond.lease") { // which is renewed each second, however many a start takes
				statements++
			}
		}); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s with %d tables took %s and %d round trips", start.name, many, time.Since(began).Round(time.Millisecond), statements)
		if statements > start.most {
			t.Errorf("%s made %d round trips", start.name, statements)
		}
	}
}

// A table that cannot be made is named by the error, and those before it are made.
func TestTableThatFails(t *testing.T) {
	t.Parallel()
	entities, url := things(t, 5), pgtest.Database(t)
	run(t, url, `CREATE TYPE thing3 AS ENUM ('a')`)
	err := prepared(t, url, entities, nil)
	if err == nil || !strings.Contains(err.Error(), `CREATE TABLE "public"."thing3"`) || strings.Contains(err.Error(), `"thing0"`) {
		t.Error(err)
	}
	run(t, url, `SELECT FROM thing2`)
	run(t, url, `DROP TYPE thing3`)
	if err := prepared(t, url, entities, nil); err != nil {
		t.Error(err)
	}
}
