package judge

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/frondhost/frond/schema"
)

// unicode14 are blocks with letters that came with Unicode 14 and later, which the tables of
// Go, of node and of browsers have at different times.
var unicode14 = [][2]rune{{0x870, 0x89f}, {0x1ac1, 0x1aff}, {0x10f70, 0x10fff}, {0x11f00, 0x11f5f}, {0x1cf00, 0x1cfcf}}

// TestHostNames compares what both judges take for a host name beyond ASCII: every character
// alone, after and between others, and the examples of the RFCs.
func TestHostNames(t *testing.T) {
	var labels []string
	add := func(name string) {
		if label, err := idna.Punycode.ToASCII(name); err == nil {
			labels = append(labels, label)
		}
	}
	for _, name := range []string{"bücher", "l·l", "l·", "·l", "α͵β", "α͵s", "א׳ב", "a׳", "def・abc", "ぁ・", "١۱", "٠a", "ab\u200dc", "क्\u200dष", "क्\u200c", "\u0903hello", "a--é", "é--a", "-é", "é-", "א1", "1א", "אa", "aא", "اَ", "ß", "ς", "ＡＢ", "Ünü", "♥", "i❤", "\u302e가", "〱あ", "xn--é"} {
		add(name)
	}
	labels = append(labels, "xn--", "xn--0", "xn--X", "xn--a", "xn--a-", "xn--zzzzzzzz", "xn--99999999", "XN--BCHER-KVA", "xn--bcher-KVA", "xn--tda", "xn--u-ccb", "xn--ls8h", "xn---", "xn--é", "a.xn--0", "xn--bcher-kva.example")
	step := 1
	if testing.Short() || *pairs < 100000 {
		step = 37
	}
	for r := rune(0x80); r <= unicode.MaxRune; r += rune(step) {
		if slices.ContainsFunc(unicode14, func(block [2]rune) bool { return r >= block[0] && r <= block[1] }) {
			continue
		}
		if unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z) {
			add(string(r))
			add("a" + string(r) + "b")
			add("ب" + string(r))
		}
	}
	card := `{"type":"object","properties":{"a":{"type":"string","format":"hostname"}}}`
	set := schema.MustCompile([]schema.Source{{Name: "thing", File: "thing.json", View: true, Data: []byte(card)}}, nil, nil)
	script, err := set.Entity("thing").Script()
	if err != nil {
		t.Fatal(err)
	}
	l := line{Card: card, View: true, Data: script.Data, Formats: script.Formats}
	for _, label := range labels {
		l.Bodies = append(l.Bodies, [2]any{0, string(encode(object{{"a", label}}))})
	}
	r, differences := compare(t, buildOracle(t), []line{l}, shipped)
	t.Logf("%d names, %d refused, %d differ", r.Pairs, r.Refused, r.Differences[0])
	// The tables of Unicode are of other versions on both sides.
	if r.Differences[0]*2000 > r.Pairs {
		t.Error(strings.TrimSpace(differences))
	}
}
