package judge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHoles: the comparison finds what it is there to find. Each hole is one change of the
// runtime as it is shipped.
func TestHoles(t *testing.T) {
	holes := []struct{ name, file, was, is string }{
		{"a length counts code units", "judge.ts", "length = [...v].length", "length = v.length"},
		{"maxLength off by one", "judge.ts", "if (length > n.maxLength!)", "if (length > n.maxLength! + 1)"},
		{"3.0 is no integer", "judge.ts", "Number.isInteger(v)", "false"},
		{"integers without end", "judge.ts", ">= edge)", ">= edge ** 2n)"},
		{"multiples of doubles", "judge.ts", "return a % b === 0n", "return Number(v) % Number(bound) === 0"},
		{"a bound as a double", "judge.ts", "else [a, b] = aligned(v, bound[0])", "else b = +bound[0]"},
		{"an exclusive bound that includes", "judge.ts", `a > b : a < b`, `a > b : a <= b`},
		{"a pattern without the flag u", "judge.ts", `new RegExp(re, "u")`, `new RegExp(re)`},
		{"ECMAScript's own pattern", "judge.ts", `pattern(n.re ?? n.pattern, r)`, `pattern(n.pattern, r)`},
		{"unknown keys in the order of the card", "judge.ts", "return [...named.refused, ...r.refused", "return [...named.refused.reverse(), ...r.refused"},
		{"unknown keys last", "judge.ts", "return [...named.refused, ...r.refused.filter(", "return [...r.refused, ...named.refused.filter("},
		{"unknown keys at the top alone", "judge.ts", "keys(field[1], plain((v", "0 && keys(field[1], plain((v"},
		{"null is absent", "judge.ts", "if (x === undefined) continue", "if (x == null) continue"},
		{"a required member of a patch", "judge.ts", "if (r.patch && n.fields && kindOf", "if (0 && n.fields && kindOf"},
		{"a patch of an object that the engine judges", "judge.ts", "else r.use.engine!(inner, x, r)", "else if (0) r.use.engine!(inner, x, r)"},
		{"an immutable field in a patch", "judge.ts", "mode === 1 && flags! & immutable", "mode === 9 && flags! & immutable"},
		{"a read-only field", "judge.ts", "mode < 2 && flags! & readOnly", "mode < 1 && flags! & readOnly"},
		{"a pointer without escapes", "judge.ts", `.replace(/~/g, "~0")`, ""},
		{"half a surrogate pair", "judge.ts", "/\\p{Cs}/u.test(v)", "false"},
		{"101 levels", "judge.ts", "r.path.length >= most", "r.path.length > most"},
		{"the pattern of a text that is too long", "judge.ts", "!(length > n.maxLength!) && ", ""},
		{"a choice of the first alternative", "matcher.ts", "...parts.map((part) => build(part, next))", "build(parts[0]!, next)"},
		{"a repetition without its least", "matcher.ts", "for (let i = 0; i < t[1]; i++) to", "for (let i = 1; i < t[1]; i++) to"},
		{"a pattern that does not end", "matcher.ts", "(after ? 0 : 2)", "2"},
		{"no sort of an engine's refusals", "engine.ts", "placed.sort(", "(() => 0)("},
		{"anyOf that stops at the first", "engine.ts", "!matching(n.anyOf)", "!n.anyOf.some((node) => fits(node, true))"},
		{"oneOf that is anyOf", "engine.ts", "matched !== 1", "!matched"},
		{"a reason for each alternative", "engine.ts", "of.filter((node) => fits(node, true))", "of.filter((node) => fits(node))"},
		{"items behind prefixItems from the start", "engine.ts", "n.prefixItems.length ? n.prefixItems[i] :", "n.prefixItems.length ? n.items :"},
		{"a date of any day", "formats.ts", "day > 0 && day <=", "day > 0 && 31 >="},
		{"leap seconds at any time", "formats.ts", "!== 1439", "=== -1"},
		{"an IPv6 address with two gaps", "formats.ts", "return more === undefined && ", "return "},
		{"a unique list by identity", "judge.ts", "new Set(v.map(canonical)).size", "new Set(v).size"},
		{"article an before every type", "judge.ts", `"an " : "a "`, `"an " : "an "`},
	}
	dists := []string{shipped}
	for _, h := range holes {
		dists = append(dists, runtimeWith(t, h.file, h.was, h.is))
	}
	r, _ := compare(t, buildOracle(t), cases(t, 11, 6000), dists...)
	for i, h := range holes {
		t.Logf("%-45s %4d of %d", h.name, r.Differences[i+1], r.Pairs)
		if r.Differences[i+1] == 0 {
			t.Errorf("%s: nobody notices in %d pairs", h.name, r.Pairs)
		}
	}
	if r.Differences[0] > 0 {
		t.Errorf("%d differences without a hole", r.Differences[0])
	}
}

// runtimeWith builds the runtime with one change of a source.
func runtimeWith(t *testing.T, file, was, is string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../client/src", file))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), was) != 1 {
		t.Fatalf("%s has %q %d times", file, was, strings.Count(string(text), was))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(strings.Replace(string(text), was, is, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	stripped(t, filepath.Join(dir, file), dir)
	for _, other := range []string{"judge", "engine", "formats", "idna", "idnatable", "matcher"} {
		if other+".ts" == file {
			continue
		}
		built, err := os.ReadFile(filepath.Join("../../client/dist", other+".js"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, other+".js"), built, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
