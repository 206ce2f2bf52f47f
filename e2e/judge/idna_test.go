package judge

import (
	"testing"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/script"
)

// TestHostNames compares what both judges take for a host name beyond ASCII: every character
// alone, after and between others, before a joiner, and the examples of the RFCs.
func TestHostNames(t *testing.T) { testHostNames(t, "") }

// TestHostNamesChromium: a browser gives the same verdicts, whatever its own tables are.
func TestHostNamesChromium(t *testing.T) { testHostNames(t, chromium(t)) }

func testHostNames(t *testing.T, browser string) {
	var labels []string
	add := func(name string) {
		if label, err := idna.Punycode.ToASCII(name); err == nil {
			labels = append(labels, label)
		}
	}
	for _, name := range []string{"bücher", "l·l", "l·", "·l", "α͵β", "α͵s", "א׳ב", "a׳", "def・abc", "ぁ・", "١۱", "٠a", "ab\u200dc", "क्\u200dष", "क्\u200c", "\u0903hello", "a--é", "é--a", "-é", "é-", "א1", "1א", "אa", "aא", "اَ", "ß", "ς", "ＡＢ", "Ünü", "♥", "i❤", "\u302e가", "〱あ", "xn--é"} {
		add(name)
	}
	labels = append(labels, "xn--", "xn--0", "xn--X", "xn--a", "xn--a-", "xn--zzzzzzzz", "xn--99999999", "XN--BCHER-KVA", "xn--bcher-KVA", "xn--tda", "xn--u-ccb", "xn--ls8h", "xn---", "xn--é", "a.xn--0", "xn---0", "xn---", "xn--a-b", "xn--a-ecp.ru", "xn--9999999b", "xn--zn7c", "xn--bcher-kva.example")
	step := 1
	if testing.Short() || *pairs < 100000 {
		step = 37
	}
	for r := rune(0x80); r <= unicode.MaxRune; r += rune(step) {
		if step > 1 && r >= 0x40000 && r < 0xE0000 {
			r = 0xE0000 // between them no plane has a character
		}
		add(string(r))
		add("a" + string(r) + "b")
		add("ب" + string(r))
		add("ب" + string(r) + "\u200cب1")
	}
	card := `{"type":"object","properties":{"a":{"type":"string","format":"hostname"}}}`
	set := schema.MustCompile([]schema.Source{{Name: "thing", File: "thing.json", View: true, Data: []byte(card)}}, nil, nil)
	judge, err := script.Of(set.Entity("thing"))
	if err != nil {
		t.Fatal(err)
	}
	l := line{Card: card, View: true, Data: judge.Data, Formats: judge.Formats}
	for _, label := range labels {
		l.Bodies = append(l.Bodies, [2]any{0, string(encode(object{{"a", label}}))})
	}
	r, differences := compareIn(t, browser, buildOracle(t), []line{l}, shipped)
	t.Logf("%d names, %d refused", r.Pairs, r.Refused)
	if r.Differences[0] > 0 {
		t.Errorf("%d differ:\n%s", r.Differences[0], differences)
	}
}
