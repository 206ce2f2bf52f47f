package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/frondhost/frond/schema/jsontext"
)

// maxYAML is the limit in bytes of the JSON that one YAML file becomes. An alias repeats its
// anchor, so that a short file can become a very long text.
const maxYAML = 16 << 20

// ToJSON returns the text of a file as JSON, by the ending of its name: .json unchanged,
// .yaml and .yml converted with the keys of every mapping in the order of the file. An
// empty YAML file is null. The result has passed [jsontext.Check]. The error is Faults and
// names the line; data is not kept. It may be called from many goroutines.
func ToJSON(file string, data []byte) (json.RawMessage, error) {
	switch strings.ToLower(path.Ext(file)) {
	case ".json":
		if err := jsontext.Check(data); err != nil {
			return nil, Faults{{File: file, Message: "this is not JSON: " + err.Error(), Remedy: "write one JSON value, each key once"}}
		}
		return jsontext.Trim(data), nil
	case ".yaml", ".yml":
		if jsontext.Check(data) == nil {
			return jsontext.Trim(data), nil // JSON is YAML too
		}
		text, err := yamlToJSON(data)
		if err != nil {
			remedy := "write one YAML document with plain mappings, lists and scalars"
			if message := err.Error(); strings.Contains(message, "must be specified") || strings.Contains(message, "flow map content") || strings.Contains(message, "tag character") {
				remedy = `put an expression in quotes, as in {when: '"staff" in user.roles'}`
			}
			return nil, Faults{{File: file, Message: "this is not YAML that can be read: " + err.Error(), Remedy: remedy}}
		}
		return text, nil
	}
	return nil, Faults{{File: file, Message: "the ending of the file says neither YAML nor JSON", Remedy: "name it .yaml, .yml or .json"}}
}

// yamlToJSON converts one YAML document. A file is a document of plain data: anchors, aliases
// and merge keys are resolved; tags other than !!str, numbers that JSON cannot write and
// several documents are refused.
//
//	title: product          {"title":"product",
//	required: [id, 7]        "required":["id",7],
//	price: 1.50              "price":1.50}
func yamlToJSON(data []byte) (out json.RawMessage, err error) {
	// The parser is a library: its panic on hostile bytes must not end the program.
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, errors.New("the parser gave up on it")
		}
	}()
	if !utf8.Valid(data) {
		return nil, errors.New("it is not UTF-8; save it as UTF-8")
	}
	if hopeless(data) {
		return nil, fmt.Errorf("it is nested deeper than %d levels", jsontext.MaxDepth)
	}
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position != nil {
			return nil, fmt.Errorf("line %d, column %d: %s", at.GetToken().Position.Line, at.GetToken().Position.Column, at.GetMessage())
		}
		return nil, errors.New("it has a syntax error")
	}
	w := yamlWriter{source: string(data), anchors: map[string]ast.Node{}}
	var body ast.Node
	for _, doc := range f.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, lineError(doc.Body, "a second document begins here")
		}
		body = doc.Body
	}
	if body == nil {
		return json.RawMessage("null"), nil
	}
	if err := w.node(body, 0); err != nil {
		return nil, err
	}
	if err := jsontext.Check(w.out); err != nil {
		return nil, err
	}
	return w.out, nil
}

// hopeless reports whether a text nests lists or mappings so deeply that it is refused before
// it is parsed: the parser's time grows faster than the depth. It counts brackets and runs of
// list and mapping signs without reading strings, so its limit is far beyond
// [jsontext.MaxDepth].
func hopeless(data []byte) bool {
	const limit = 10 * jsontext.MaxDepth
	depth, run := 0, 0
	for i, c := range data {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		case '-', '?', ':':
			if i+1 < len(data) && data[i+1] == ' ' {
				run++
			}
		case ' ':
		default:
			run = 0
		}
		if depth > limit || run > limit {
			return true
		}
	}
	return false
}

// lineError returns an error that names the line of a node: line 3: the key "id" occurs twice
// in one mapping.
func lineError(n ast.Node, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if t := n.GetToken(); t != nil && t.Position != nil {
		return fmt.Errorf("line %d: %s", t.Position.Line, msg)
	}
	return errors.New(msg)
}

// yamlWriter writes YAML nodes as JSON to out. source is the file, for details that the parser
// does not keep; anchors are the nodes read so far, by name.
type yamlWriter struct {
	source  string
	out     []byte
	anchors map[string]ast.Node
}

// node writes one node at a depth. An alias writes its node again, which maxYAML bounds.
func (w *yamlWriter) node(n ast.Node, depth int) error {
	if depth > jsontext.MaxDepth {
		return lineError(n, "it is nested deeper than %d levels", jsontext.MaxDepth)
	}
	if len(w.out) > maxYAML {
		return errors.New("its aliases make it longer than 16 MiB")
	}
	switch n := n.(type) {
	case *ast.NullNode:
		w.out = append(w.out, "null"...)
	case *ast.BoolNode:
		w.out = strconv.AppendBool(w.out, n.Value)
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			w.out = strconv.AppendInt(w.out, v, 10)
		case uint64:
			w.out = strconv.AppendUint(w.out, v, 10)
		default:
			return lineError(n, "this number cannot be read")
		}
	case *ast.FloatNode:
		// A text that is a JSON number too is kept: 1.50 stays 1.50.
		if text := n.GetToken().Value; json.Valid([]byte(text)) {
			w.out = append(w.out, text...)
		} else {
			w.out = strconv.AppendFloat(w.out, n.Value, 'g', -1, 64)
		}
	case *ast.InfinityNode, *ast.NanNode:
		return lineError(n, "JSON has no such number")
	case *ast.StringNode:
		// YAML 1.2 counts a plain 1e3 among the numbers; the parser does not.
		if n.Token.Type == token.StringType && jsontext.KindOf([]byte(n.Value)) == jsontext.Number && json.Valid([]byte(n.Value)) {
			w.out = append(w.out, n.Value...)
			return nil
		}
		return w.text(n)
	case *ast.LiteralNode:
		w.out = jsontext.AppendString(w.out, n.Value.Value)
	case *ast.MappingNode:
		return w.mapping(n.Values, depth)
	case *ast.MappingValueNode:
		return w.mapping([]*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		w.out = append(w.out, '[')
		for _, v := range n.Values {
			w.out = jsontext.Comma(w.out)
			if err := w.node(v, depth+1); err != nil {
				return err
			}
		}
		w.out = append(w.out, ']')
	case *ast.AnchorNode:
		// The node is written before its anchor is set, so that an anchor cannot contain
		// itself.
		if err := w.node(n.Value, depth); err != nil {
			return err
		}
		w.anchors[n.Name.String()] = n.Value
	case *ast.AliasNode:
		v := w.anchors[n.Value.String()]
		if v == nil {
			return lineError(n, "the alias names no anchor before it")
		}
		return w.node(v, depth+1)
	case *ast.TagNode:
		return w.tagged(n)
	case nil:
		w.out = append(w.out, "null"...)
	default:
		return lineError(n, "JSON has nothing like this")
	}
	return nil
}

// tagged writes a node with a tag, which may be !!str alone.
func (w *yamlWriter) tagged(n *ast.TagNode) error {
	if n.Start.Value == "!!str" {
		if s, ok := n.Value.(ast.ScalarNode); ok {
			if text, ok := s.(*ast.StringNode); ok {
				return w.text(text)
			}
			w.out = jsontext.AppendString(w.out, scalarText(s))
			return nil
		}
	}
	return lineError(n, "tags such as %s have no place here", n.Start.Value)
}

// mapping writes an object: the members that merge keys (<<) bring first, then its own, each
// key once. A key written in the mapping itself wins over a merged one, and of merged ones the
// first.
func (w *yamlWriter) mapping(values []*ast.MappingValueNode, depth int) error {
	var keys []string
	at := map[string]ast.Node{}
	put := func(name string, v ast.Node) {
		if _, ok := at[name]; !ok {
			keys = append(keys, name)
		}
		at[name] = v
	}
	for _, kv := range values {
		if !kv.Key.IsMergeKey() {
			continue
		}
		merged, err := w.merged(kv.Value, 0)
		if err != nil {
			return err
		}
		for _, m := range merged {
			name, err := w.keyText(m.Key)
			if err != nil {
				return err
			}
			if _, ok := at[name]; !ok {
				put(name, m.Value)
			}
		}
	}
	own := map[string]bool{}
	for _, kv := range values {
		if kv.Key.IsMergeKey() {
			continue
		}
		name, err := w.keyText(kv.Key)
		if err != nil {
			return err
		}
		if own[name] {
			return lineError(kv.Key, "the key %q occurs twice in one mapping", name)
		}
		own[name] = true
		put(name, kv.Value)
	}
	w.out = append(w.out, '{')
	for _, name := range keys {
		w.out = jsontext.AppendName(jsontext.Comma(w.out), name)
		if err := w.node(at[name], depth+1); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// merged returns the members that a merge key brings in: of one mapping, or of a list of them,
// also by alias.
func (w *yamlWriter) merged(n ast.Node, depth int) ([]*ast.MappingValueNode, error) {
	if depth > 8 {
		return nil, lineError(n, "merge keys are nested too deep")
	}
	switch n := n.(type) {
	case *ast.AliasNode:
		if v := w.anchors[n.Value.String()]; v != nil {
			return w.merged(v, depth+1)
		}
		return nil, lineError(n, "the alias names no anchor before it")
	case *ast.MappingNode:
		return n.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	case *ast.SequenceNode:
		var all []*ast.MappingValueNode
		for _, v := range n.Values {
			m, err := w.merged(v, depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, m...)
		}
		return all, nil
	}
	return nil, lineError(n, "only mappings can be merged")
}

// keyText returns a mapping's key as the name of a member: scalars by their text.
func (w *yamlWriter) keyText(k ast.MapKeyNode) (string, error) {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, w.whole(k)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return k.GetToken().Value, nil
	}
	return "", lineError(k, "this cannot be a key")
}

// text writes a string.
func (w *yamlWriter) text(n *ast.StringNode) error {
	w.out = jsontext.AppendString(w.out, n.Value)
	return w.whole(n)
}

// whole refuses a string with half a surrogate pair in an escape. The parser replaces every
// such half by U+FFFD without keeping the text, so for a string with U+FFFD the source is read
// again from the string's line on.
func (w *yamlWriter) whole(n *ast.StringNode) error {
	if n.Token.Type != token.DoubleQuoteType || !strings.ContainsRune(n.Value, utf8.RuneError) {
		return nil
	}
	lines := strings.SplitAfter(w.source, "\n")
	from := []rune(strings.Join(lines[n.Token.Position.Line-1:], ""))
	_, text, _ := strings.Cut(string(from[n.Token.Position.Column-1:]), `"`)
	for i := 0; i < len(text) && text[i] != '"'; i++ {
		if text[i] != '\\' {
			continue
		}
		switch escape := surrogate.FindStringSubmatch(text[i:]); {
		case escape == nil:
			i++ // the character after the backslash
		case escape[1] != "":
			i += len(escape[0]) - 1
		default:
			return lineError(n, "half a surrogate pair is not a character; escape both halves, or write the character itself")
		}
	}
	return nil
}

// surrogate is an escape of a surrogate at the beginning of a text; its group is a pair.
var surrogate = regexp.MustCompile(`^(?i:(\\ud[89ab]..\\ud[c-f]..)|\\u(?:0000)?d[89a-f])`)

// scalarText returns a scalar in the spelling of the file: 1.50 keeps its zero.
func scalarText(s ast.ScalarNode) string {
	switch s := s.(type) {
	case *ast.LiteralNode:
		return s.Value.Value
	}
	return s.GetToken().Value
}
