package sqlite_test

import (
	"io"
	"log/slog"
	"testing"

	"github.com/frondhost/frond/schema"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// compile compiles cards given as name and YAML, one after the other.
func compile(t testing.TB, cards ...string) *schema.Set {
	t.Helper()
	var sources []schema.Source
	for i := 0; i < len(cards); i += 2 {
		sources = append(sources, schema.Source{File: cards[i] + ".yaml", Name: cards[i], Data: []byte(cards[i+1])})
	}
	set, err := schema.Compile(sources, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
