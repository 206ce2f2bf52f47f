package diff_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/diff"
)

// beyond says why a check of oasdiff has nothing here to be about, by a part of its id.
var beyond = []struct{ part, why string }{
	{"sunset", "deprecated says why and has no date: a removal is breaking whenever it comes"},
	{"without-deprecation", "a removal is breaking, deprecated before or not: operation-removed"},
	{"stability", "cards have no levels of stability"},
	{"security", "callers are identified by settings of the host; what they may do is compared on access"},
	{"header", "operations have no headers of their own"},
	{"media-type-name", "requests and answers are JSON"},
	{"media-type-parameter", "requests and answers are JSON"},
	{"media-type-removed", "requests and answers are JSON"},
	{"media-type-schema", "requests and answers are JSON with a card, or any JSON"},
	{"media-type-item-schema", "there are no streams of items"},
	{"x-extensible-enum", "an enum is a keyword of JSON Schema"},
	{"success-status", "statuses are the program's and the same for every project"},
	{"webhook", "a fact that is gone is found as fact-removed: see TestRules"},
}

// probe is a shape before and after a change, and of a required member whether it stays so.
type probe struct {
	was, is           string // the shape, or "" where the member is not there
	wasMust, isMust   bool
	wasValue, isValue string // lifecycle.create, which a member that is not required may have
}

// bound is a keyword of a bound with a shape that has room for it.
type bound struct{ keyword, shape string }

// boundsOf are the bounds by their names in ids.
var boundsOf = map[string]bound{
	"max": {"maximum", "type: integer"}, "min": {"minimum", "type: integer"},
	"exclusive-max": {"exclusiveMaximum", "type: integer"}, "exclusive-min": {"exclusiveMinimum", "type: integer"},
	"max-length": {"maxLength", "type: string"}, "min-length": {"minLength", "type: string"},
	"max-items": {"maxItems", "type: array"}, "min-items": {"minItems", "type: array"},
	"max-properties": {"maxProperties", "type: object"}, "min-properties": {"minProperties", "type: object"},
	"max-contains": {"maxContains", "type: array, contains: {type: string}"}, "min-contains": {"minContains", "type: array, contains: {type: string}"},
	"multiple-of": {"multipleOf", "type: integer"},
}

// keywordsOf are the other keywords by their names in ids: a shape with room, one value and
// another one.
var keywordsOf = map[string]struct{ shape, keyword, one, other string }{
	"const":                  {"type: string", "const", "a", "b"},
	"pattern":                {"type: string", "pattern", "^a", "^b"},
	"unique-items":           {"type: array", "uniqueItems", "true", "true"},
	"all-of":                 {"type: string", "allOf", "[{minLength: 1}, {maxLength: 9}]", "[{minLength: 1}]"},
	"any-of":                 {"type: string", "anyOf", "[{minLength: 1}]", "[{minLength: 1}, {maxLength: 9}]"},
	"one-of":                 {"type: string", "oneOf", "[{minLength: 5}]", "[{minLength: 5}, {maxLength: 3}]"},
	"contains":               {"type: array", "contains", "{type: string}", "{type: integer}"},
	"dependent-required":     {"type: object", "dependentRequired", "{a: [b]}", "{a: [c]}"},
	"dependent-schema":       {"type: object", "dependentSchemas", "{a: {required: [b]}}", "{a: {required: [c]}}"},
	"if":                     {"type: string, then: {maxLength: 3}", "if", "{pattern: ^a}", "{pattern: ^b}"},
	"then":                   {"type: string, if: {pattern: ^a}", "then", "{maxLength: 3}", "{maxLength: 4}"},
	"else":                   {"type: string, if: {pattern: ^a}", "else", "{maxLength: 3}", "{maxLength: 4}"},
	"property-names":         {"type: object", "propertyNames", "{pattern: ^a}", "{pattern: ^b}"},
	"pattern-property":       {"type: object", "patternProperties", "{^a: {type: string}}", "{^a: {type: integer}}"},
	"unevaluated-items":      {"type: array", "unevaluatedItems", "false", "false"},
	"unevaluated-properties": {"type: object", "unevaluatedProperties", "false", "false"},
	"content-encoding":       {"type: string", "contentEncoding", "base64", "base32"},
	"content-media-type":     {"type: string", "contentMediaType", "image/png", "image/gif"},
	"content-schema":         {"type: string, contentMediaType: application/json", "contentSchema", "{type: object}", "{type: array}"},
}

// probes are the checks that no pattern makes.
var probes = map[string]probe{
	"type-changed":                               {was: "type: string", is: "type: integer"},
	"type-generalized":                           {was: "type: integer", is: "type: number"},
	"type-specialized":                           {was: "type: number", is: "type: integer"},
	"list-of-types-narrowed":                     {was: "type: [string, integer]", is: "type: [string, 'null']"},
	"list-of-types-widened":                      {was: "type: string", is: "type: [string, integer]"},
	"became-nullable":                            {was: "type: string", is: "type: [string, 'null']", wasMust: true, isMust: true},
	"became-not-nullable":                        {was: "type: [string, 'null']", is: "type: string", wasMust: true, isMust: true},
	"became-optional":                            {was: "type: string", is: "type: string", wasMust: true},
	"became-required":                            {was: "type: string", is: "type: string", isMust: true},
	"became-required-with-default":               {was: "type: string", is: "type: string", isMust: true, wasValue: "x"},
	"schema-became-false":                        {was: "type: string", is: "false"},
	"schema-became-not-false":                    {was: "false", is: "type: string"},
	"became-enum":                                {was: "type: string", is: "type: string, enum: [a]"},
	"became-not-enum":                            {was: "type: string, enum: [a]", is: "type: string"},
	"enum-value-removed":                         {was: "type: string, enum: [a, b]", is: "type: string, enum: [a]"},
	"enum-value-added":                           {was: "type: string, enum: [a]", is: "type: string, enum: [a, b]"},
	"wrapped-in-one-of":                          {was: "type: string", is: "oneOf: [{type: integer}, {type: boolean}]"},
	"removed":                                    {was: "type: string"},
	"added-required":                             {is: "type: string", isMust: true},
	"new-required":                               {is: "type: string", isMust: true},
	"became-write-only":                          {was: "type: string", is: "type: string, x-kit: {boundary: {out: closed}}"},
	"became-not-read-only":                       {was: "type: string, x-kit: {boundary: {in: closed}}", is: "type: string", isMust: true},
	"new-required-request-property-with-default": {is: "type: string", isMust: true},
	"new-required-request-default-parameter-to-existing-path": {is: "type: string", isMust: true},
}

// probeOf is the change that a check of oasdiff is about.
func probeOf(id string) (p probe, ok bool) {
	if strings.HasPrefix(id, "new-") {
		return probes["new-required"], true
	}
	subject := id
	for _, prefix := range []string{"request-parameter-property-", "request-parameter-", "request-property-", "request-body-", "request-required-property-", "response-required-property-", "response-property-", "response-body-", "response-mediatype-"} {
		if rest, cut := strings.CutPrefix(id, prefix); cut {
			subject = rest
			break
		}
	}
	if p, ok := probes[subject]; ok {
		return p, true
	}
	with := func(shape, keyword, value string) string {
		if value == "" {
			return shape
		}
		return shape + ", " + keyword + ": " + value
	}
	i := strings.LastIndexByte(subject, '-')
	if i < 0 {
		return p, false
	}
	name, action := subject[:i], subject[i+1:]
	if b, ok := boundsOf[name]; ok {
		values := map[string][2]string{"set": {"", "4"}, "unset": {"4", ""}, "increased": {"4", "6"}, "decreased": {"6", "4"}, "changed": {"4", "6"}}[action]
		return probe{was: with(b.shape, b.keyword, values[0]), is: with(b.shape, b.keyword, values[1])}, values != [2]string{}
	}
	if k, ok := keywordsOf[name]; ok {
		values := map[string][2]string{"added": {"", k.one}, "set": {"", k.one}, "removed": {k.one, ""}, "unset": {k.one, ""}, "changed": {k.one, k.other}}[action]
		// Of these one more alternative is more, and one less is less.
		switch {
		case name == "any-of" || name == "one-of":
			values = map[string][2]string{"added": {k.one, k.other}, "removed": {k.other, k.one}}[action]
		case name == "all-of":
			values = map[string][2]string{"added": {k.other, k.one}, "removed": {k.one, k.other}}[action]
		}
		return probe{was: with(k.shape, k.keyword, values[0]), is: with(k.shape, k.keyword, values[1])}, values != [2]string{}
	}
	return p, false
}

// card is the card of a request or a result with the member.
func (p probe) card(shape string, must bool, value string) string {
	if shape == "" {
		return "{properties: {q: {type: string}}, required: []}"
	}
	required := ""
	if must {
		required = "p"
	}
	if shape != "false" {
		shape = "{" + shape + "}"
	}
	if value != "" {
		shape = strings.TrimSuffix(shape, "}") + ", x-kit: {lifecycle: {create: {value: " + value + "}}}}"
	}
	return fmt.Sprintf("{properties: {q: {type: string}, p: %s}, required: [%s]}", shape, required)
}

// operation is a project whose one operation takes or gives the card.
func operationOf(t *testing.T, id, card string) *diff.Version {
	t.Helper()
	part := "input"
	switch {
	case strings.HasPrefix(id, "response"):
		part = "output"
	case strings.Contains(id, "parameter"):
		part = "query"
	}
	return versionOf(t, id, map[string]string{"frond.yaml": "doors: {thing: {operations: {probe: {kind: command, " + part + ": " + card + "}}}}"}, nil)
}

// checks is the table of the checks: id, our rule and its level, or id, - and why there is none.
const checks = "testdata/oasdiff.txt"

// TestOasdiff: every check that oasdiff calls an error is found, or has a reason why there is
// nothing here that it could be about; testdata/oasdiff.txt has the rule of each. What it
// calls an error of an answer, and what needs no other form of an answer than before, is
// dangerous here: a bound that is wider, a value more.
func TestOasdiff(t *testing.T) {
	text, err := os.ReadFile(checks)
	if err != nil {
		t.Fatal(err)
	}
	head, list, _ := strings.Cut(string(text), "\n")
	var table strings.Builder
	table.WriteString(head + "\n")
	used := map[string]bool{}
	found := 0
	for line := range strings.Lines(list) {
		id, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if reason := slices.IndexFunc(beyond, func(b struct{ part, why string }) bool { return strings.Contains(id, b.part) }); reason >= 0 {
			used[beyond[reason].part] = true
			fmt.Fprintf(&table, "%s\t-\t%s\n", id, beyond[reason].why)
			continue
		}
		p, ok := probeOf(id)
		if !ok {
			t.Errorf("%s is neither tried nor has it a reason not to be", id)
			continue
		}
		f := probed(t, id, p)
		if f == nil {
			t.Errorf("%s is not found from %q to %q", id, p.was, p.is)
			continue
		}
		found++
		fmt.Fprintf(&table, "%s\t%s\t%s\n", id, f.Rule, f.Level)
	}
	for _, b := range beyond {
		if !used[b.part] {
			t.Errorf("no check has %q in its id: the reason is for nothing", b.part)
		}
	}
	if found < 250 {
		t.Errorf("only %d checks are tried", found)
	}
	if table.String() == string(text) || t.Failed() {
		return
	}
	if !*update {
		t.Fatalf("%s is not what is found; run go test ./cmd/frond/diff -update", checks)
	}
	if err := os.WriteFile(checks, []byte(table.String()), 0o644); err != nil { //nolint:gosec // a file of the project
		t.Fatal(err)
	}
}

// probed is the worst finding of a change on REST, of those that are bad enough for its check;
// nil: there is none.
func probed(t *testing.T, id string, p probe) *diff.Finding {
	t.Helper()
	report, err := diff.Compare(operationOf(t, id, p.card(p.was, p.wasMust, p.wasValue)), operationOf(t, id, p.card(p.is, p.isMust, p.isValue)))
	if err != nil {
		t.Fatal(id, err)
	}
	want := []diff.Level{diff.Breaking}
	if strings.HasPrefix(id, "response") || strings.Contains(id, "content-") {
		want = append(want, diff.Dangerous)
	}
	for i := range report.Findings { // the worst are the first
		f := &report.Findings[i]
		if f.Surface == diff.OnREST && slices.Contains(want, f.Level) && (f.Member == "" || strings.HasSuffix(f.Member, ".p")) {
			return f
		}
	}
	return nil
}
