package resolvers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
)

// What graphql.Do cannot do, and the tests against the reference executor leave out:
//
//	null literals            graphql-go v0.8.1 does not parse them (see null_test.go)
//	null variables           it drops them, and gives an omitted variable as null
//	variables left out       in an input object it makes them null, and the key is there
//	order of keys            its result is a map (see write_test.go)
//	errors below a thunk     an error below a required field of a relation costs it the
//	                         whole answer, where the nearest field that may be null ends it
//	modern introspection     specifiedByURL, isOneOf, deprecated arguments and input fields
//	... without a type       it refuses them where the field is required: Post is not Post!
//	order of introspection   it sorts fields by name
//	descriptions             on operations, variables and fragments (2025) do not parse

// same says whether both engines give the same data for a query.
func (b *blog) same(t *testing.T, query, variables string) {
	t.Helper()
	ours := b.do(query, variables)
	var got struct {
		Data   any
		Errors []any
	}
	decode(t, ours, &got)
	plain := b.plain(query, variables)
	text, err := json.Marshal(plain.Data)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	decode(t, string(text), &want)
	if diff := cmp.Diff(want, got.Data, numbers); diff != "" {
		t.Errorf("%s\nwith %s\nplain → ours (-/+):\n%s\nplain errors: %v\nours: %s", query, variables, diff, plain.Errors, short(ours))
	}
	if (len(plain.Errors) > 0) != (len(got.Errors) > 0) {
		t.Errorf("%s\nwith %s\nplain errors: %v\nours: %v", query, variables, plain.Errors, got.Errors)
	}
}

// numbers compares numbers by what they say: 1e2 is 100. Beyond a float's digits
// they are compared as text.
var numbers = cmp.Transformer("number", func(n json.Number) any {
	if f, err := n.Float64(); err == nil && math.Abs(f) < 1<<53 {
		return f
	}
	return string(n)
})

func short(s string) string { return s[:min(len(s), 2000)] }

func decode(t testing.TB, text string, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, short(text))
	}
}

// TestReference: queries as people write them.
func TestReference(t *testing.T) {
	b := newBlog(t)
	ada := binding.NodeIDOf(b.facade.Catalog().Door("author").Entity, json.RawMessage(`"ada"`))
	three := binding.NodeIDOf(b.facade.Catalog().Door("post").Entity, json.RawMessage(`3`))
	cursor := func(query string) string {
		var r struct {
			Data struct{ Posts struct{ EndCursor string } }
		}
		decode(t, b.do(query, ""), &r)
		return r.Data.Posts.EndCursor
	}
	first, third, sixth := cursor(`{ posts(first: 1) { endCursor } }`), cursor(`{ posts(first: 3) { endCursor } }`), cursor(`{ posts(first: 6) { endCursor } }`)
	for _, q := range []struct{ query, variables string }{
		{`{ __typename }`, ``},
		{`{ posts { total } }`, ``},
		{`{ posts { __typename items { __typename id } } }`, ``},
		{`{ posts { items { id title body status mood views price createdAt words grid meta authorId editorId } } }`, ``},
		{`{ posts(first: 2) { items { id } hasMore endCursor total pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`, ``},
		{`{ posts(first: 2) { edges { cursor node { id title } } } }`, ``},
		{`{ posts(first: 0) { items { id } edges { cursor } total endCursor } }`, ``},
		{`{ posts(first: 3, after: "` + third + `") { items { id } hasMore pageInfo { hasPreviousPage } } }`, ``},
		{`{ posts(last: 2) { items { id } hasMore pageInfo { hasNextPage hasPreviousPage startCursor } } }`, ``},
		{`{ posts(last: 2, before: "` + third + `") { items { id } pageInfo { hasNextPage hasPreviousPage } } }`, ``},
		{`{ posts(first: 2, last: 2) { total } }`, ``},
		{`{ posts(first: 2, before: "` + third + `") { items { id } pageInfo { hasNextPage hasPreviousPage } } }`, ``},
		{`{ posts(last: 2, after: "` + third + `") { items { id } pageInfo { hasNextPage hasPreviousPage } } }`, ``},
		{`{ posts(first: 2, after: "` + first + `", before: "` + sixth + `") { items { id } total hasMore edges { cursor } pageInfo { hasNextPage hasPreviousPage } } }`, ``},
		{`{ posts(last: 2, after: "` + first + `", before: "` + sixth + `") { items { id } total hasMore edges { cursor } pageInfo { hasNextPage hasPreviousPage } } }`, ``},
		{`{ posts(after: "` + sixth + `", before: "` + first + `") { items { id } total hasMore } }`, ``},
		{`{ authors { items { posts(last: 1, after: "` + first + `", before: "` + sixth + `") { items { id } pageInfo { hasNextPage hasPreviousPage } } } } }`, ``},
		{`{ posts(first: 2, after: "") { total } }`, ``},
		{`{ posts(last: 2, before: "") { total } }`, ``},
		{`{ posts(after: "nonsense") { total } }`, ``},
		{`{ posts(first: -1) { total } }`, ``},
		{`{ posts(offset: 7) { items { id } hasMore } }`, ``},
		{`{ posts(filter: {status: {eq: live}}) { items { id status } } }`, ``},
		{`{ posts(filter: {views: {gte: 30}, or: [{status: {eq: live}}, {title: {startsWith: "Post 5"}}]}) { items { id } } }`, ``},
		{`{ posts(filter: {author: {name: {contains: "Bob"}}}) { items { id author { name } } } }`, ``},
		{`{ posts(filter: {authorId: {eq: "bob"}}) { total } }`, ``},
		{`{ posts(orderBy: [{status: DESC}, {views: ASC}]) { items { id status views } } }`, ``},
		{`{ posts(orderBy: {views: DESC}) { items { id } } }`, ``},
		{`query($f: PostListFilter, $n: Int = 2, $o: [PostOrderBy!]) { posts(filter: $f, first: $n, orderBy: $o) { items { id } } }`, `{"f":{"status":{"in":["live","gone"]}},"o":[{"views":"DESC"}]}`},
		{`query($n: Int) { posts(first: $n) { items { id } } }`, ``},
		{`query($n: Int!) { posts(first: $n) { items { id } } }`, `{"n":1}`},
		{`{ post(id: 3) { id title author { id name posts { total } } } }`, ``},
		{`{ post(id: 99) { id } }`, ``},
		{`query P($id: Int!) { post(id: $id) { ...f } } fragment f on Post { title author { name } }`, `{"id":4}`},
		{`{ postsByIds(ids: [3, 1, 99, 3]) { id title } }`, ``},
		{`{ postsByIds(ids: 3) { id } }`, ``},
		{`{ author(id: "ada") { id name email age fans rating joined settings } }`, ``},
		{`{ author(id: "ada") { address { street zip geo { lat lon } } links { label url weight } } }`, ``},
		{`{ authors { items { name address { geo { __typename lat } street __typename } links { weight } } } }`, ``},
		{`{ authors { items { name mentor { name mentor { name mentor { name } } } } } }`, ``},
		{`{ authors { items { mentorId mentor { id } posts(first: 2, orderBy: [{views: DESC}]) { total hasMore items { id comments { items { text } } } } } } }`, ``},
		{`{ posts { items { tagIds tags { total items { id label } } } } }`, ``},
		{`{ posts { items { tags(first: 1) { total hasMore endCursor edges { cursor node { label } } pageInfo { startCursor hasNextPage } } } } }`, ``},
		{`{ posts { items { tags(last: 1, offset: 0) { items { id } pageInfo { hasPreviousPage } } } } }`, ``},
		{`{ posts(first: 1) { items { tags(first: -1) { total } } } }`, ``},
		{`{ posts { items { comments(first: 1) { total items { text post { id title } author { name } } } } } }`, ``},
		{`{ comments(first: 4) { items { id text likes postId post { id author { id } } author { name } } } }`, ``},
		{`{ a: post(id: 1) { title } b: post(id: 2) { title } a: post(id: 1) { id } }`, ``},
		{`{ a: posts(first: 2) { items { id } } b: posts(first: 2) { items { title } edges { node { views } } } c: posts(first: 1) { total } }`, ``},
		{`{ posts(first: 2) { items { a: author { id } b: author { name } author { email } editor { name } } } }`, ``},
		{`{ posts(first: 3) { items { x: comments(first: 1) { items { id } } y: comments(first: 1) { items { text } } z: comments(first: 2) { total } } } }`, ``},
		{`{ posts(first: 2) { items { id ... on Post { title } ... on Node { nodeId } } } }`, ``},
		{`{ post(id: 2) { id ... { views } ... @include(if: false) { title } ... @skip(if: false) { body } } }`, ``},
		{`{ posts(first: 2) { ...c } } fragment c on PostConnection { items { ...p } total } fragment p on Post { id ...q } fragment q on Post { title author { ...a } } fragment a on Author { name }`, ``},
		{`query($yes: Boolean!, $no: Boolean!) { posts(first: 1) { items { id @include(if: $yes) title @include(if: $no) views @skip(if: $yes) body @skip(if: $no) } } }`, `{"yes":true,"no":false}`},
		{`query($yes: Boolean!) { posts(first: 1) @include(if: $yes) { total } author(id: "ada") @skip(if: $yes) { id } }`, `{"yes":false}`},
		{`{ posts(first: 1) { items { ... on Post @include(if: false) { title } ... on Node @skip(if: false) { nodeId } } } }`, ``},
		{`query($a: Boolean = true) { post(id: 1) { id @skip(if: $a) title } }`, ``},
		{`{ node(nodeId: "` + ada + `") { nodeId __typename ... on Author { name posts { total } } ... on Post { title } } }`, ``},
		{`{ node(nodeId: "` + three + `") { ...n } } fragment n on Node { nodeId ... on Post { author { nodeId name } } }`, ``},
		{`{ node(nodeId: "nonsense") { nodeId } }`, ``},
		{`{ node(nodeId: "` + ada + `") { nodeId } other: node(nodeId: "` + three + `") { nodeId } }`, ``},
		{`{ nodes(nodeIds: ["` + ada + `", "` + three + `", "x", "` + ada + `"]) { nodeId __typename ... on Author { name posts { items { title } } } ... on Post { author { name } } } }`, ``},
		{`{ nodes(nodeIds: "` + three + `") { ...n } } fragment n on Node { nodeId ... on Post { tags { items { label } } } }`, ``},
		{`{ nodes(nodeIds: []) { nodeId } }`, ``},
		{`{ posts { items { nodeId } } }`, ``},
		{`{ posts(filter: {id: {eq: 4}}) { items { tags(first: 1) { total hasMore items { id } endCursor } } } }`, ``},
		{`{ posts(filter: {id: {eq: 4}}) { items { tags(first: -1) { total } } } }`, ``},
		{`{ posts(first: 4) { items { id excerpt } } }`, ``},
		{`{ posts(first: 4) { items { author { name } excerpt comments(first: 1) { items { post { excerpt } } } } } }`, ``},
		{`{ posts(first: 2) { items { id broken } } }`, ``},
		{`{ postLatest(n: 3) { id title status authorId author { name } } }`, ``},
		{`{ postByTitle(title: "Post 4") { id excerpt author { name } } }`, ``},
		{`{ postByTitle(title: "none") { id } }`, ``},
		{`{ postHot { items { id author { name } } hasMore endCursor } }`, ``},
		{`{ postPing healthCheck }`, ``},
		{`{ postFails { id } postPing }`, ``},
		{`{ tags { items { label } } authors(filter: {age: {isNull: true}}) { items { id } } }`, ``},
		{`{ posts(first: 1) { items { meta words grid } } }`, ``},
		{`{ __type(name: "Tag") { kind name interfaces { name } possibleTypes { name } enumValues { name } ofType { name } } }`, ``},
		{`{ __schema { queryType { name } mutationType { name } } }`, ``},
		{`{ posts { aggregate { key { status } count views { sum avg min max countDistinct } price { sum avg } } } }`, ``},
		{`{ posts(filter: {status: {eq: live}}, first: 1) { items { id } aggregate { count views { __typename } } total } }`, ``},
		{
			`query($f: PostListFilter, $h: PostHaving, $o: [PostGroupsOrderBy!], $n: Int, $w: String) { posts(filter: $f) { groups(by: [{status: VALUE}, {createdAt: MONTH}], having: $h, orderBy: $o, first: $n, zone: $w) { items { key { status createdAt } count } hasMore endCursor } } }`,
			`{"f":{"views":{"gte":20}},"h":{"or":[{"views":{"sum":{"gt":100}}},{"not":{"count":{"gt":2}}}]},"o":[{"price":{"avg":"DESC"}},{"status":{"key":"DESC"}}],"n":2,"w":"Europe/Paris"}`,
		},
		{`{ a: posts { x: aggregate { count } ...g } b: posts { y: aggregate { views { max } } x: groups(by: {authorId: VALUE}) { items { key { authorId } } } } } fragment g on PostConnection { x: aggregate { views { min } } groups(by: {authorId: VALUE}) { items { count } } }`, ``},
		{`{ authors { items { id posts { aggregate { count views { sum } } } comments: posts(filter: {comments: {some: {likes: {gte: 3}}}}) { groups(by: {status: VALUE}, first: 1, orderBy: {count: DESC}) { items { key { status } count } hasMore } } } } }`, ``},
		{`{ authors { items { posts(first: 1) { items { comments { aggregate { count likes { sum } } } } groups(by: {editorId: VALUE}) { items { key { editorId } count } } } } } }`, ``},
		{`{ posts(first: 2) { items { tags { aggregate { count } items { id } } } } }`, ``},
		{`{ postHot { aggregate { count } items { id } } }`, ``},
		{`{ posts { groups(by: [{createdAt: DAY}], zone: "Mars") { hasMore } } }`, ``},
		{`{ posts { groups(by: [{status: VALUE}], after: "x") { hasMore } aggregate { count } } }`, ``},
		{`query($no: Boolean!) { posts { aggregate @include(if: $no) { count } total @skip(if: $no) } }`, `{"no":true}`},
		{`{ nope }`, ``},
		{`{ post(id: "x") { id } }`, ``},
		{`{ post { id } }`, ``},
		{`query A { posts { total } } query B { posts { total } }`, ``},
		{`mutation { postPublish(id: 1, input: {note: "n"}) { id status } }`, ``},
		{`mutation { a: postPublish(id: 404) { id } }`, ``},
	} {
		t.Run("", func(t *testing.T) { b.same(t, q.query, q.variables) })
	}
}

// TestReferenceGenerated: queries that a generator makes from the schema.
func TestReferenceGenerated(t *testing.T) {
	b := newBlog(t)
	b.limit(t, resolvers.Limits{Aliases: -1})
	n := 300
	if testing.Short() {
		n = 50
	}
	for seed := range n {
		g := &generator{schema: b.schema.AST, rand: rand.New(rand.NewPCG(uint64(seed), 7)), blog: b}
		query := g.query()
		b.same(t, query, string(g.values()))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// generator makes a valid query of the blog's schema.
type generator struct {
	schema    *ast.Schema
	rand      *rand.Rand
	blog      *blog
	fragments []string
	vars      []string
	sent      map[string]any
	names     int
}

func (g *generator) query() string {
	g.sent = map[string]any{}
	body := g.selections(g.schema.Query, 5, true)
	head := "query Q"
	if len(g.vars) > 0 {
		head += "(" + strings.Join(g.vars, ", ") + ")"
	}
	return head + " " + body + strings.Join(g.fragments, "")
}

func (g *generator) values() []byte { text, _ := json.Marshal(g.sent); return text }

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprint(prefix, g.names)
}

func (g *generator) chance(percent int) bool { return g.rand.IntN(100) < percent }

// avoid are fields whose failures graphql.Do cannot place.
var avoid = map[string]bool{"broken": true, "postFails": true, "__schema": true, "__type": true}

func (g *generator) selections(def *ast.Definition, depth int, root bool) string {
	var fields ast.FieldList
	for _, f := range def.Fields {
		named := g.schema.Types[f.Type.Name()]
		if !avoid[f.Name] && (depth > 1 || named.IsLeafType()) {
			fields = append(fields, f)
		}
	}
	var out []string
	want := 1 + g.rand.IntN(4)
	for range want {
		if len(fields) == 0 || g.chance(8) && !root {
			out = append(out, "__typename")
			continue
		}
		text := g.field(fields[g.rand.IntN(len(fields))], depth)
		switch {
		case g.chance(8):
			text = "... on " + def.Name + g.directive() + " { " + text + " }"
		case g.chance(8):
			name := g.name("F")
			g.fragments = append(g.fragments, " fragment "+name+" on "+def.Name+" { "+text+" }")
			text = "..." + name
		}
		out = append(out, text)
	}
	if def.Kind == ast.Interface {
		for _, p := range g.schema.PossibleTypes[def.Name] {
			if g.chance(50) {
				out = append(out, "... on "+p.Name+" "+g.selections(p, depth-1, false))
			}
		}
	}
	return "{ " + strings.Join(out, " ") + " }"
}

func (g *generator) directive() string {
	if !g.chance(10) {
		return ""
	}
	name := []string{"skip", "include"}[g.rand.IntN(2)]
	if g.chance(50) {
		return fmt.Sprintf(" @%s(if: %v)", name, g.chance(50))
	}
	v := g.name("b")
	g.vars = append(g.vars, "$"+v+": Boolean!")
	g.sent[v] = g.chance(50)
	return fmt.Sprintf(" @%s(if: $%s)", name, v)
}

// field is a field under an alias of its own: fields of one key would have to have
// the same arguments.
func (g *generator) field(f *ast.FieldDefinition, depth int) string {
	text := g.name("k") + ": " + f.Name
	if len(f.Arguments) == 0 && g.chance(60) {
		text = f.Name
	}
	var args []string
	for _, a := range f.Arguments {
		if a.Type.NonNull || g.chance(25) {
			if v := g.argument(f, a); v != "" {
				args = append(args, a.Name+": "+v)
			}
		}
	}
	if len(args) > 0 {
		text += "(" + strings.Join(args, ", ") + ")"
	}
	text += g.directive()
	if def := g.schema.Types[f.Type.Name()]; !def.IsLeafType() {
		if strings.Contains(text, ": "+f.Name) || len(f.Arguments) == 0 {
			text += " " + g.selections(def, depth-1, false)
		}
	}
	return text
}

func (g *generator) argument(f *ast.FieldDefinition, a *ast.ArgumentDefinition) string {
	pick := func(list ...string) string { return list[g.rand.IntN(len(list))] }
	var v string
	switch a.Type.Name() {
	case "Int":
		v = pick("0", "1", "2", "3", "7")
	case "ID":
		v = pick(`"ada"`, `"bob"`, `"go"`, `"nobody"`)
		if strings.HasPrefix(a.Name, "nodeId") {
			node := func() string {
				return `"` + pick(g.blog.id("author", `"bob"`), g.blog.id("author", `"ada"`), g.blog.id("post", `2`), "x") + `"`
			}
			if v = node(); a.Type.Elem != nil {
				v += ", " + node() + ", " + node()
			}
		}
	case "String":
		if a.Name == "after" || a.Name == "before" {
			return ""
		}
		v = pick(`"Post 1"`, `"none"`)
	case "PostListFilter":
		v = pick(`{status: {eq: live}}`, `{views: {gt: 20}, not: {id: {eq: 5}}}`, `{authorId: {in: ["ada", "bob"]}}`, `{}`, `{comments: {some: {likes: {gte: 3}}}}`)
	case "PostGroupBy":
		v = pick(`{status: VALUE}`, `[{status: VALUE}, {authorId: VALUE}]`, `{createdAt: MONTH}`)
		return v
	case "AuthorGroupBy", "CommentGroupBy", "TagGroupBy":
		return `{id: VALUE}`
	case "PostHaving":
		v = pick(`{count: {gte: 2}}`, `{views: {sum: {lt: 100}}, or: [{count: {eq: 3}}, {price: {max: {gt: "5"}}}]}`)
	case "PostGroupOrder":
		return pick(`{count: DESC}`, `[{views: {avg: DESC}}, {status: {key: DESC}}]`)
	case "PostOrder":
		v = pick(`[{views: DESC}]`, `{title: ASC}`, `[]`)
	default:
		return ""
	}
	if a.Type.Elem != nil && a.Type.Name() != "PostOrder" {
		v = "[" + v + "]"
	}
	if named := a.Type.Name(); (named == "Int" || named == "ID" || named == "String") && a.Type.Elem == nil && g.chance(40) {
		name := g.name("v")
		decl := "$" + name + ": " + a.Type.String()
		var value any
		_ = json.Unmarshal([]byte(v), &value)
		if !a.Type.NonNull && g.chance(30) {
			g.vars = append(g.vars, decl+" = "+v)
		} else {
			g.vars = append(g.vars, decl)
			g.sent[name] = value
		}
		return "$" + name
	}
	return v
}
