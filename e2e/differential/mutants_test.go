package differential

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
)

// token is a token of a document with the space in front of it. What no token
// begins with is one by itself.
var token = regexp.MustCompile(`(?s)[\s,]*("""(?:\\"""|.)*?"""|"(?:\\.|[^"\\\n])*"|\.\.\.|[$@]?[_A-Za-z]\w*|-?\d[\d.eE+-]*|.)`)

// mutant is a request with one mutation of its document: a mistake, or what looks
// like one.
func (w *world) mutant(r *rand.Rand, q request) request {
	m := &mutation{Rand: r, w: w}
	for _, at := range token.FindAllStringSubmatchIndex(q.Query, -1) {
		m.spaces = append(m.spaces, q.Query[at[0]:at[2]])
		m.tokens = append(m.tokens, q.Query[at[2]:at[3]])
	}
	switch r.IntN(10) {
	case 0:
		m.anywhere()
	case 1, 2, 3:
		m.name()
	case 4, 5:
		m.literal()
	default:
		m.piece()
	}
	var b strings.Builder
	for i, t := range m.tokens {
		b.WriteString(m.spaces[i] + t)
	}
	q.Query = b.String()
	return q
}

type mutation struct {
	*rand.Rand
	w              *world
	spaces, tokens []string
}

func (m *mutation) pick(list ...string) string { return list[m.IntN(len(list))] }

// some is the place of a token that is wanted, or of any.
func (m *mutation) some(wanted func(i int) bool) int {
	var list []int
	for i := range m.tokens {
		if wanted(i) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return m.IntN(len(m.tokens))
	}
	return list[m.IntN(len(list))]
}

func (m *mutation) insert(at int, text string) {
	m.tokens = slices.Insert(m.tokens, at, text)
	m.spaces = slices.Insert(m.spaces, at, " ")
}

func (m *mutation) remove(from, to int) {
	m.tokens = slices.Delete(m.tokens, from, to)
	m.spaces = slices.Delete(m.spaces, from, to)
}

// anywhere changes a token without asking what it is.
func (m *mutation) anywhere() {
	i := m.IntN(len(m.tokens))
	switch m.IntN(4) {
	case 0:
		m.remove(i, i+1)
	case 1:
		m.insert(i, m.tokens[i])
	case 2:
		j := m.IntN(len(m.tokens))
		m.tokens[i], m.tokens[j] = m.tokens[j], m.tokens[i]
	case 3:
		m.insert(i, m.pick("{", "}", "(", ")", "[", "]", ":", "!", "=", "|", "&", "@", "$", "...", "#", ",", "\"", `"""`, "0", "1.", "01", "-", ".5", "1e", "é", "'", "\ufeff", "\\", "true", "on", "fragment"))
	}
}

func isName(t string) bool { return regexp.MustCompile(`^[$@]?[_A-Za-z]`).MatchString(t) }

// name changes a name into another that the document or the schema has.
func (m *mutation) name() {
	i := m.some(func(i int) bool { return isName(m.tokens[i]) })
	var pool []string
	for _, t := range m.tokens {
		if isName(t) && t[0] != '"' && (t[0] == '$') == (m.tokens[i][0] == '$') && (t[0] == '@') == (m.tokens[i][0] == '@') {
			pool = append(pool, t)
		}
	}
	if m.IntN(2) == 0 && m.tokens[i][0] != '$' && m.tokens[i][0] != '@' {
		pool = []string{"zzz", "__typename", "__schema", "__type", "nodeId", "items", "String", "Int", "Pick", "Query", "on", "null", "true", "LOW"}
		for _, def := range m.w.ast.Types {
			pool = append(pool, def.Name)
			for _, f := range def.Fields {
				if f.Name != catalog.ETag { // a hash that the reference does not make
					pool = append(pool, f.Name)
				}
			}
		}
		slices.Sort(pool)
	}
	if len(pool) > 0 {
		m.tokens[i] = pool[m.IntN(len(pool))]
	}
}

// literal changes a value, or what may stand for one.
func (m *mutation) literal() {
	i := m.some(func(i int) bool {
		return i > 0 && (m.tokens[i-1] == ":" || m.tokens[i-1] == "[" || m.tokens[i-1] == "=" || m.tokens[i][0] == '"')
	})
	m.tokens[i] = m.pick("null", "1", "-1", "2147483648", "1.5", "1e400", `"s"`, `"""b"""`, "true", "LOW", "RED", "{}", "[]", "[null]", "[[1]]",
		"{b0: 1}", "{b0: 1, b1: 2}", "{b0: null}", "{zz: 1}", "$v0", "$v1", "$zz", "[$v0]", "{b0: $v0}", `"\u{1F600}"`, `"\u00"`, `"\x"`, "99999999999999999999")
}

// piece inserts a piece of a document somewhere, or removes one.
func (m *mutation) piece() {
	brace := func(text string) func(int) bool { return func(i int) bool { return m.tokens[i] == text } }
	field := func(i int) bool { return isName(m.tokens[i]) && m.tokens[i][0] != '@' && m.tokens[i][0] != '$' }
	switch m.IntN(14) {
	case 0: // in a selection set
		m.insert(m.some(brace("{"))+1, m.pick("__typename", "...F0", "...F1", "...Fnone", "zzz", "id", "id: __typename", "... on Alder { id }", "... on Zzz { id }",
			"... on Int { id }", "... on Pick { b0 }", "a1: __typename", "a2: nodeId", "{ id }", "... { __typename @skip }", "nodeId @skip(if: true) @skip(if: true)", "... on Node { nodeId }", "__schema { queryType { name } }", "__type { name }"))
	case 1: // behind a field
		m.insert(m.some(field)+1, m.pick("{ __typename }", "(zzz: 1)", "(a0: 1)", "(first: 1)", "(a0: 1, a0: 1)", "@include(if: $v0)", "@zzz", "@skip(if: null)", "@skip(if: \"x\")", "@skip(if: true, if: true)", "@deprecated", "{ }", "()", ": __typename", "@include(if: $v1)", "@oneOf", "@specifiedBy(url: \"\")"))
	case 2: // at the end
		m.tokens = append(m.tokens, m.pick("fragment Unused on Query { __typename }", "fragment F0 on Query { __typename }", "{ __typename }", "query Op0 { __typename }", "type Foo { a: Int }",
			"subscription S { alder }", "fragment Cycle on Query { ...Cycle }", "query { ...Cycle } fragment Cycle on Query { ...Other } fragment Other on Query { ...Cycle }", "extend type Query { a: Int }", "fragment on on Query { __typename }",
			"query Two($a: Int, $a: Int) { alders(first: $a) { total } }", "query Three($a: Alder) { __typename }", "query Four($a: Zzz) { __typename }", "mutation Five { __typename }", "fragment Sub on Alder { id { x } }"))
		m.spaces = append(m.spaces, "\n")
	case 3: // at the beginning
		m.tokens[0] = m.pick("query ", "mutation ", "subscription ", "query Zz ", "query ($zz: Int) ", "query ($zz: Int = \"a\") ", "query @skip(if: true) ", "# comment\n", "\"described\" ", "query ($v0: Int!) ", "fragment ", "query ($v0: Int = null) ") + m.tokens[0]
	case 4: // a variable's type
		i := m.some(func(i int) bool { return i > 1 && m.tokens[i-1] == ":" && m.tokens[i-2][0] == '$' })
		m.tokens[i] = m.pick("Int", "Int!", "[Int]", "String", "Boolean", "ID!", "Float", "Box0", "[Box0!]", "Pick", "Pick!", "JSON", "Level0", "Alder", "Node", "[[Int!]!]!", "Zzz")
	case 5, 6, 7: // a whole bracket goes
		open := m.pick("{", "(", "(", "[")
		i := m.some(brace(open))
		if m.tokens[i] == open {
			m.remove(i, m.closing(i)+1)
		}
	case 8: // an argument goes
		i := m.some(func(i int) bool { return i > 0 && m.tokens[i] == ":" && field(i-1) })
		if i > 0 && i+2 <= len(m.tokens) {
			end := i + 2
			if t := m.tokens[i+1]; t == "{" || t == "[" {
				end = m.closing(i+1) + 1
			}
			m.remove(i-1, end)
		}
	case 9: // a bang comes or goes
		i := m.some(brace("!"))
		if m.tokens[i] == "!" {
			m.remove(i, i+1)
		}
	case 10: // a bracket twice
		i := m.some(brace(m.pick("{", "(")))
		if end := m.closing(i); end > i {
			m.insert(end+1, strings.Join(m.tokens[i:end+1], " "))
		}
	case 11: // a definition twice, or a selection
		i := m.some(field)
		m.insert(i, m.tokens[i])
	case 12: // a default for a variable
		m.insert(m.some(func(i int) bool { return i > 1 && m.tokens[i-1] == ":" && m.tokens[i-2][0] == '$' })+1, m.pick("= null", "= 1", `= "x"`, "= []", "= $v0", "= {}", "= {b0: 1}", "!", "@zzz", "@deprecated"))
	case 13: // another alias, which may not fit another field
		i := m.some(func(i int) bool { return i+1 < len(m.tokens) && m.tokens[i+1] == ":" && field(i) })
		m.tokens[i] = m.pick("id", "nodeId", "a1", "a2", "a3", "items", "__x", "rootF0")
	}
}

// closing is the place of the bracket that closes the one at i; i where none does.
func (m *mutation) closing(i int) int {
	depth := 0
	for j := i; j < len(m.tokens); j++ {
		switch m.tokens[j] {
		case "{", "(", "[":
			depth++
		case "}", ")", "]":
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return i
}
