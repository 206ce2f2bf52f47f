package house_test

import (
	"bufio"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// words are those this project once used for things that have a name in its field,
// each with the name. They stand in no identifier, comment, message or document.
var words = map[string]string{
	"told": "explanation, discovery, telemetry or known", "tell": "explain, report or say", "tells": "explains, reports or says", "telling": "reporting",
	"twin": "reference executor or counterpart", "twins": "counterparts",
	"away":   "remote",
	"flight": "singleflight group", "flights": "singleflight groups", "aboard": "waiter", "takeoff": "start",
	"resting": "breaker open", "unformed": "connect failed",
	"carrier": "remote client", "carriers": "remote clients",
	"plausible": "mock data", "trip": "execution (facade) or round trip (remote)", "trips": "executions or round trips",
	"seeout": "result scope", "question": "call key or pending call", "questions": "pending calls",
	"mishap": "failure", "mishaps": "failures", "fate": "failure kind or outcome", "fates": "outcomes", "accident": "failure",
	"shelf": "trusted documents", "shelves": "trusted documents",
	"station": "call context", "stations": "call contexts", "bank": "side", "banks": "sides", "forged": "cross-site", "forgery": "cross-site request",
}

// inNames are words which only an identifier may not be made of: prose has honest uses.
var inNames = map[string]string{
	"see": "scope", "sees": "scope", "left": "caller gone, remaining or skipped",
}

// proper are uses of the words that are meant.
var proper = regexp.MustCompile(`(?i)round[ -]?trips?|single ?flight|straight ?away|\{ carrier |"carrier"|carrier: bicycle|trim ?left|far ?left|right away|far away|throw(s|n)? away|pre-?flight|in[ _]?flight|(header|map)carrier|cross-site request forgery|security questions?|question marks?`)

// meant are the files whose own subject has such a word: a library has shelves.
// The texts of seeds are those of a shop and its customers, parcels have carriers, and
// mock data is recognised by any word.
var meant = []string{
	"examples/shop/fronds/catalog/seeds/", "examples/shipping/", "describe/sample/words.go", "describe/sample/subject.go",
	"describe/sample/named.go", "e2e/house/words_test.go", "docs/design.md", "e2e/testdata/", "e2e/js/relay/",
}

func TestWords(t *testing.T) {
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() && slices.Contains([]string{"node_modules", "dist", "bin", ".git", "out"}, d.Name()) {
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		switch ext := filepath.Ext(name); {
		case slices.ContainsFunc(meant, func(m string) bool { return strings.HasPrefix(name, m) }):
		case ext == ".go":
			wordsOfGo(t, name, text)
		case ext == ".md" || (ext == ".yaml" || ext == ".json" || ext == ".py" || ext == ".js") && !strings.Contains(name, "testdata") && !strings.HasSuffix(name, "package-lock.json"):
			wordsOfText(t, name, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// wordsOfGo looks at the identifiers, the comments and, outside tests, the strings of a file.
func wordsOfGo(t *testing.T, name string, text []byte) {
	files := token.NewFileSet()
	file := files.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		switch at := files.Position(pos); tok {
		case token.EOF:
			return
		case token.IDENT:
			if lit == "Left" { // the operand of a binary node of other modules
				continue
			}
			parts := parts(lit)
			for i, p := range parts {
				say := words[p]
				if say == "" {
					say = inNames[p]
				}
				if say == "" || i > 0 && proper.MatchString(parts[i-1]+p) || i+1 < len(parts) && proper.MatchString(p+parts[i+1]) {
					continue
				}
				t.Errorf("%s: the name %s says %q; say %s", at, lit, p, say)
			}
		case token.COMMENT:
			inProse(t, at.String(), lit)
		case token.STRING:
			if !strings.HasSuffix(name, "_test.go") {
				inProse(t, at.String(), lit)
			}
		}
	}
}

func wordsOfText(t *testing.T, name string, text []byte) {
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	lines.Buffer(nil, 1<<20)
	for i := 1; lines.Scan(); i++ {
		inProse(t, name+":"+strconv.Itoa(i), lines.Text())
	}
}

func inProse(t *testing.T, at, text string) {
	text = proper.ReplaceAllString(text, "")
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		for _, p := range parts(w) {
			if say := words[p]; say != "" {
				t.Errorf("%s: %q; say %s", at, w, say)
			}
		}
	}
}

// parts cuts an identifier into its words, in lower case: takeOff and seeOut are also
// looked up as one.
func parts(name string) []string {
	var out []string
	from := 0
	rs := []rune(name)
	for i := 1; i <= len(rs); i++ {
		if i == len(rs) || rs[i] == '_' || unicode.IsUpper(rs[i]) && !unicode.IsUpper(rs[i-1]) {
			if w := strings.ToLower(strings.Trim(string(rs[from:i]), "_")); w != "" {
				out = append(out, w)
			}
			from = i
		}
	}
	if whole := strings.ToLower(name); len(out) > 1 && words[whole] != "" {
		out = append(out, whole)
	}
	return out
}
