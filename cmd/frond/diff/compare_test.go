package diff_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/diff"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// inForm is the version of files as a lesser form has it.
func inForm(t *testing.T, form diff.Form, edits []edit) *diff.Version {
	t.Helper()
	project := sourceOf(t, edits).Project
	f := storetest.Compiled(t, project)
	src := &diff.Source{Name: "reduced", Form: form}
	switch form {
	case diff.Discovery:
		document, err := schema.ReadDiscovery(f.Catalog.Discovery().AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		src.Project = diff.OfDiscovery(document)
	case diff.Bundle:
		cards, err := schema.ReadBundle(f.Catalog.Set.Bundle())
		if err != nil {
			t.Fatal(err)
		}
		src.Project = diff.OfBundle(cards, nil)
	default:
		src.Project = project
	}
	v, err := diff.New(src)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// sourceOf is the base with edits, before it is compiled.
func sourceOf(t *testing.T, edits []edit) *diff.Source {
	t.Helper()
	var src *diff.Source
	version(t, "source", edits, func(s *diff.Source) { src = s })
	return src
}

// TestForms: equal versions have no findings, in whichever form each is; a field that is gone
// is found in all of them, with the notes that a form asks for.
func TestForms(t *testing.T) {
	forms := []diff.Form{diff.Project, diff.Discovery, diff.Bundle}
	for _, a := range forms {
		for _, b := range forms {
			was, is := inForm(t, a, nil), inForm(t, b, nil)
			report, err := diff.Compare(was, is)
			if err != nil {
				t.Fatal(a, b, err)
			}
			if len(report.Findings) > 0 || report.Findings == nil {
				t.Errorf("forms %v and %v: equal versions have findings: %+v", a, b, report.Findings)
			}
			if (a != diff.Project || b != diff.Project) != (len(report.Notes) > 0) {
				t.Errorf("forms %v and %v: the notes are %q", a, b, report.Notes)
			}
			if got := found(t, was, inForm(t, b, withoutNote), "store-column-removed"); len(got) != 1 || got[0].At != "product.note" {
				t.Errorf("forms %v and %v: a column that is gone gives %+v", a, b, got)
			}
			if got := found(t, was, inForm(t, b, withoutNote), "graphql-field-removed"); len(got) != 3 || got[0].At != "Product.note" {
				t.Errorf("forms %v and %v: a field that is gone gives %+v", a, b, got)
			}
		}
	}
}

// TestOrder: two runs over the same versions give the same bytes.
func TestOrder(t *testing.T) {
	edits := []edit{
		{config, "      hide: [cost]\n", ""},
		{config, "plural: makers", "plural: vendors"},
		{config, "total: {kind: query}", "total: {kind: command}"},
		field(priceIs, "price: {type: number}"), field("[draft, live]", "[draft, gone]"), field("to: maker", "to: label"),
		{config, "rows: {status: {ne: draft}, slug: {ne: x}}", "rows: {slug: {ne: y}}"},
	}
	var first string
	for range 5 {
		report, err := diff.Compare(version(t, "old", nil, nil), version(t, "new", edits, nil))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		}
		if string(text) != first {
			t.Fatalf("two runs differ:\n%s\n%s", first, text)
		}
	}
	if strings.Count(first, `"rule"`) < 20 {
		t.Errorf("only few findings: %s", first)
	}
}

// TestRenamedUntil: an entity whose old name is answered for a time breaks neither a method nor
// a path nor a root field; when the alias goes, it does.
func TestRenamedUntil(t *testing.T) {
	was := version(t, "old", nil, nil)
	until := version(t, "new", append([]edit{renamed("maker: {to: vendor, until: 2999-06-01}")}, renamedMaker...), nil)
	gone := version(t, "newer", append([]edit{renamed("maker: vendor")}, renamedMaker...), nil)
	report, err := diff.Compare(was, until)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range report.Findings {
		seen[f.Rule] = true
		if f.Rule == "method-renamed" || f.Rule == "rest-path-changed" || strings.HasSuffix(f.Rule, "-removed") || f.Rule == "graphql-name-changed" && strings.HasPrefix(f.At, "Query.") {
			t.Errorf("an alias is found as %+v", f)
		}
	}
	if !seen["old-name-until"] || !seen["graphql-deprecated"] || !seen["graphql-name-changed"] {
		t.Errorf("found %v", seen)
	}
	if report, err = diff.Compare(until, gone); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(report.Findings, func(f diff.Finding) bool { return f.At == "Query.maker" && f.Level == diff.Breaking }) {
		t.Errorf("an alias that goes is found as %+v", report.Findings)
	}
}

// TestFieldRenamedUntil: a field whose old name is answered for a time breaks no surface; when
// the alias goes, it does.
func TestFieldRenamedUntil(t *testing.T) {
	was := version(t, "old", nil, nil)
	until := version(t, "new", []edit{field("  note:", "  remark:"), renamed("product.note: {to: product.remark, until: 2999-06-01}")}, nil)
	gone := version(t, "newer", []edit{field("  note:", "  remark:"), renamed("product.note: product.remark")}, nil)
	report, err := diff.Compare(was, until)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range report.Findings {
		seen[f.Rule] = true
		if f.Level == diff.Breaking && !strings.HasPrefix(f.Rule, "store-") {
			t.Errorf("an old name that is answered is found as %+v", f)
		}
	}
	if !seen["old-field-until"] || !seen["graphql-deprecated"] || seen["field-renamed"] {
		t.Errorf("found %v", seen)
	}
	if report, err = diff.Compare(until, gone); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(report.Findings, func(f diff.Finding) bool { return f.At == "Product.note" && f.Level == diff.Breaking }) {
		t.Errorf("an old name that goes is found as %+v", report.Findings)
	}
}

// TestRenamed: a declared rename is a finding of its own, with neither a removal nor an
// addition beside it on the surfaces of calls and the store.
func TestRenamed(t *testing.T) {
	for name, c := range map[string]struct {
		edits []edit
		want  []string
	}{
		"an entity":  {append([]edit{renamed("maker: vendor")}, renamedMaker...), []string{"method-renamed", "graphql-name-changed", "store-table-renamed"}},
		"by a chain": {append([]edit{renamed("maker: producer, producer: vendor")}, renamedMaker...), []string{"method-renamed", "graphql-name-changed", "store-table-renamed"}},
		"a field":    {[]edit{field("  note:", "  remark:"), renamed("product.note: product.remark")}, []string{"field-renamed", "graphql-name-changed", "store-column-renamed"}},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := diff.Compare(version(t, "old", nil, nil), version(t, "new", c.edits, nil))
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, f := range report.Findings {
				seen[f.Rule] = true
				if strings.HasSuffix(f.Rule, "-removed") || strings.HasSuffix(f.Rule, "-added") {
					t.Errorf("a rename is found as %+v", f)
				}
			}
			for _, rule := range c.want {
				if !seen[rule] {
					t.Errorf("%s is not found: %+v", rule, report.Findings)
				}
			}
		})
	}
}

// TestUnused: a breaking finding that no trusted document touches is marked, and safe where
// documents are enforced; one that a document touches stays as it is.
func TestUnused(t *testing.T) {
	documents := map[string]string{
		"names":  "query Names { products { items { id name } } }",
		"create": "mutation Create($input: CreateProductInput!) { createProduct(input: $input) { id } }",
	}
	for _, c := range []struct {
		name      string
		enforced  bool
		documents map[string]string
		edits     []edit
		at        string
		level     diff.Level
		unused    bool
	}{
		{"not used, and enforced", true, documents, withoutNote, "Product.note", diff.Safe, true},
		{"not used, but others run", false, documents, withoutNote, "Product.note", diff.Breaking, true},
		{"there are no documents", false, nil, withoutNote, "Product.note", diff.Breaking, false},
		{"a variable holds the input", true, documents, withoutNote, "CreateProductInput.note", diff.Breaking, false},
		{"a filter that nobody writes", true, documents, withoutNote, "ProductFilter.note", diff.Safe, true},
		{"a document that is not understood may use everything", true, map[string]string{"other": "{ somethingElse }"}, withoutNote, "Product.note", diff.Breaking, false},
		{"in a fragment", true, map[string]string{"f": "query Q { product(id: 1) { ...F } } fragment F on Product { note }"}, withoutNote, "Product.note", diff.Breaking, false},
		{"through node", true, map[string]string{"f": `query Q { node(nodeId: "x") { ... on Product { note } } }`}, withoutNote, "Product.note", diff.Breaking, false},
		{"in a literal", true, map[string]string{"f": `query Q { products(filter: {note: {isNull: true}}) { total } }`}, withoutNote, "ProductFilter.note", diff.Breaking, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := func(s *diff.Source) { s.Documents, s.Enforced = c.documents, c.enforced }
			report, err := diff.Compare(version(t, "old", nil, set), version(t, "new", c.edits, set))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				if f.At == c.at && f.Surface == diff.OnGraphQL {
					if f.Level != c.level || f.Unused != c.unused {
						t.Errorf("%s is %s, unused %v; want %s, %v", c.at, f.Level, f.Unused, c.level, c.unused)
					}
					return
				}
			}
			t.Errorf("%s is not found", c.at)
		})
	}
}

// TestAudiences: what an audience sees is compared on its own surfaces.
func TestAudiences(t *testing.T) {
	shown := edit{config, "facts:\n", "surfaces: {audiences: {partner: {rest: {only: [product]}, graphql: {only: [product]}}}}\nfacts:\n"}
	less := edit{config, "facts:\n", "surfaces: {audiences: {partner: {rest: {only: [product.list]}, graphql: {only: [product]}}}}\nfacts:\n"}
	was, is := version(t, "old", []edit{shown}, nil), version(t, "new", []edit{less}, nil)
	for _, f := range found(t, was, is, "operation-removed") {
		if f.Audience == "partner" && f.At == "GET /partner/api/shop/products/{id}" {
			return
		}
	}
	t.Errorf("what the audience lost is not found: %+v", found(t, was, is, "operation-removed"))
}

// TestRemotes: a Frond that runs elsewhere is compared by its cards here; what they refer to
// may be at another remote.
func TestRemotes(t *testing.T) {
	elsewhere := func(s *diff.Source) { s.Remotes = []string{"shop", "other"} }
	unknown := []edit{field("to: maker", "to: supplier")}
	was := version(t, "old", unknown, elsewhere)
	report, err := diff.Compare(was, version(t, "new", unknown, elsewhere))
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("%v, %+v", err, report)
	}
	if got := found(t, was, version(t, "new", append(unknown, withoutNote...), elsewhere), "request-field-removed"); len(got) == 0 {
		t.Error("a field that is gone is not found")
	}
	for _, f := range found(t, was, version(t, "new", append(unknown, withoutNote...), elsewhere), "store-column-removed") {
		t.Errorf("a remote keeps its own rows: %+v", f)
	}
}

// TestWriters: each format says how many findings there are, each rule once with its way out,
// and nothing of a report can end a cell of a table.
func TestWriters(t *testing.T) {
	report := &diff.Report{Findings: []diff.Finding{
		{Rule: "graphql-field-removed", Level: diff.Breaking, Surface: diff.OnGraphQL, At: "Product.note", Was: "String", WayOut: "keep it", Unused: true},
		{Rule: "request-values-narrowed", Level: diff.Breaking, Surface: diff.OnREST, At: "POST /api/shop/products", Also: []string{"PUT /a", "PATCH /a"}, Member: "body.note", Was: "no pattern", Is: "pattern \"a|`b`\"", WayOut: "keep the wider rule"},
		{Rule: "store-column-removed", Level: diff.Breaking, Surface: diff.OnStore, At: "product.note", Was: "text", Effect: "loses", WayOut: "keep the field"},
		{Rule: "access-rows-widened", Level: diff.Dangerous, Surface: diff.OnAccess, At: "product.list", Audience: "partner", Member: "everybody else", Was: "{}", Is: "all rows", WayOut: "write it down"},
		{Rule: "fact-added", Level: diff.Safe, Surface: diff.OnFacts, At: "productSold", Is: "announced", WayOut: "nothing to do"},
	}}
	var text, markdown strings.Builder
	if err := errors.Join(diff.WriteText(&text, report), diff.WriteMarkdown(&markdown, report)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"3 breaking, 1 dangerous, 1 safe\n", "\nBREAKING\n", "graphql  Product.note  was String (no trusted document uses it)\n",
		"rest  body.note of POST /api/shop/products, PUT /a and 1 more  no pattern → pattern", "store  product.note  was text  [loses]\n",
		"access  product.list, everybody else  {} → all rows\n", "facts  productSold  is announced\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text has no %q:\n%s", want, text.String())
		}
	}
	if strings.Count(text.String(), "→ keep the field, closed") != 1 || strings.Contains(text.String(), "→ nothing to do") {
		t.Errorf("a way out is missing, or is none:\n%s", text.String())
	}
	for _, want := range []string{
		"| graphql `Product.note` | `graphql-field-removed`, no trusted document uses it | `String` |  |\n",
		"| rest `POST /api/shop/products` and 2 more, `body.note` | `request-values-narrowed` | `no pattern` | `` pattern \"a\\|`b`\" `` |\n",
		"<summary>1 safe</summary>", "audience partner",
	} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("the Markdown has no %q:\n%s", want, markdown.String())
		}
	}
	text.Reset()
	if err := diff.WriteText(&text, &diff.Report{}); err != nil || text.String() != "no difference\n" {
		t.Errorf("an empty report is %q, %v", text.String(), err)
	}
}
