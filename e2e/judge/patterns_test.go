package judge

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/script"
)

// hostile are patterns that engines which backtrack are known to fail on, by time exponential,
// cubic or square in the text, and some that make a matcher of sets meet many of them.
var hostile = []string{
	`^([a-z0-9]+-?)+$`, `^(?:a+)+$`, `^(a+)+$`, `^(a*)*$`, `(a*)*b`, `^(a|a)*$`, `^(a|aa)+$`, `^(.*)*$`, `^(.*a){20}$`, `(x+x+)+y`, `^(([a-z])+.)+[A-Z]([a-z])+$`, `^(\w+\s?)*$`, `^(\d+)*$`, `^([a-zA-Z]+)*$`,
	`(.*)(.*)(.*)(.*)(.*)[^a]$`, `^(a?){30}a{30}$`, `^(a?){500}a{500}$`, `^(.*){1,1000}$`, `^(.*){1,1000}b$`, `^((a{1,10}){1,10}){1,10}$`, `^(((a+)+)+)+$`, `\s+$`, `^\s+|\s+$`, `a*b`, `\d+x`, `[a-z]+@[a-z]+\.[a-z]+`, `^.*foo.*bar.*baz$`,
	`^([a-zA-Z0-9_.+-])+@(([a-zA-Z0-9-])+\.)+([a-zA-Z0-9]{2,4})+$`, `^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$`, `^(([^<>()[\]\\.,;:\s@"]+(\.[^<>()[\]\\.,;:\s@"]+)*)|(".+"))@([a-z]+\.)+[a-z]{2,}$`,
	`^(https?://)?([\da-z.-]+)\.([a-z.]{2,6})([/\w .-]*)*/?$`, `^(?:(?:[a-z\d](?:[a-z\d-]*[a-z\d])?)\.)+[a-z]{2,}$`, `^[\w.-]+[\w-]+\.?$`, `^(?:\w+[.-]?)*\w+$`, `^(-?\w+)*$`, `^((\w|-)+/?)+$`, `(a|b)*a(a|b){12}$`, `^(a|b)*a(a|b){30}$`, `a[ab]{60}$`, `a.{200}$`, `a.{500}b$`, `(?:a|b)*a(?:a|b){1000}$`,
	`^(?:[ab]{0,100}c?)*$`, `([ab]{0,50}){0,20}c`, `\b(\w+\b\s*)+$`, `(?m)^(a+)+$`, `(?m)(^\s*\w+\s*$)+\z`, `\B(a\B)*b`, `(?i)^(k|ſ|s)+x$`, `^(\pL+\s?)*$`, `^(?:é+)+$`, `(?s)^(.|\n)*x$`, `^(\d{1,3},?)+$`, `^(\+|-)?(\d+)(\.\d+)*(e(\+|-)?\d+)*$`, `^(([0-9]+[,.]?)+)$`, `<(\w+)(\s+\w+="[^"]*")*\s*/?>`, `^(\s*\S+\s*)*$`,
	`^"(?:[^"\\]|\\.)*"$`, `^("(.|\\")*"|\w+)*$`, `(?:[^,]*,){25}x`, `^(.*?,){25}P`, `^(ab|a|b)*$`, `^(?:ab|ba|a)*c`, `^(a|b|ab)*bc$`, `^[a-z]+[a-z0-9]*$`, `^\w+\w+$`, `^\w*\w*\w*$`, `^.*.*.*x$`, `^(x{0,1000}){0,1}y?$`, `(?:x{1,30}){1,30}y`, `a{1000}b`, `[a-z]{2,63}\.[a-z]{2,10}`,
}

// harmless are patterns as cards have them.
var harmless = []string{
	`^[A-Z]{3}-[0-9]{4}$`, `^[a-z0-9]+(?:-[a-z0-9]+)*$`, `^\+?[0-9]{6,15}$`, `^#[0-9a-fA-F]{6}$`, `^[0-9]{5}(-[0-9]{4})?$`, `^(draft|done|dropped)$`, `^[^\s@]+@[^\s@]+$`, `^\S+$`, `^[a-z][a-z0-9_]{0,62}$`, `^v?[0-9]+\.[0-9]+\.[0-9]+$`, `^\d{4}-\d\d$`, `^[A-Za-z]`, `^[\p{L}\p{M}' -]+$`, `[^ ]`, `^.{1,80}$`,
}

// equalHashes is a pattern whose sets of places behind p and behind q, {0, 32} and {37}, have one hash
// in the matcher.
const equalHashes = `^(?:pz|k{30}|py|l{3}|qx|(?:a+)+)$`

// maxSteps is how many steps a test of a text of 100 KB may take: a step is a word of memory
// that is read, so that this many take about 50 ms.
const maxSteps = 5_000_000

// TestPatterns: the runtime finds in a text what Go's regexp finds, and no text of 100 KB takes
// it more than maxSteps steps, whatever the pattern. A pattern that RegExp runs has no steps:
// schema's TestDirect holds those.
func TestPatterns(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		buildOracle(t) // skips, or fails in CI
	}
	d := &dice{Rand: rand.New(rand.NewPCG(*from, 7))}
	all := slices.Concat([]string{equalHashes}, hostile, harmless, patterns)
	long := len(all)
	for len(all) < long+*pairs/10 {
		all = append(all, d.pattern(3))
	}
	// Texts of 100 KB are compared with Go only where there is time: it takes a second for some.
	size := 1 << 10
	if *pairs >= 100000 {
		size = 100 << 10
	}
	type job struct {
		Data  string   `json:"data"`
		Texts []string `json:"texts"` // compared with Go
		Long  []string `json:"long"`
	}
	jobs := make([]job, len(all))
	for i, p := range all {
		card := string(encode(object{{"type", "object"}, {"properties", object{{"a", object{{"type", "string"}, {"pattern", p}}}}}}))
		judge, err := script.Of(schema.MustCompile([]schema.Source{{Name: "thing", File: "thing.json", View: true, Data: []byte(card)}}, nil, nil).Entity("thing"))
		if err != nil {
			t.Fatal(err)
		}
		jobs[i] = job{Data: judge.Data, Texts: d.texts()}
		if i < long {
			jobs[i].Texts = append(jobs[i].Texts, d.attacks(size)...)
			jobs[i].Long = d.attacks(100 << 10)
		}
	}
	jobs[0].Texts = append([]string{"pz", "qx", "qz", "py", "px"}, jobs[0].Texts...)
	var in bytes.Buffer
	if err := json.NewEncoder(&in).Encode(jobs); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "patterns.mjs", shipped)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []struct {
		Matches []bool
		Native  bool
		Steps   int // the most that a long text took
		MS      float64
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err, string(out))
	}
	native, matched, slowest := 0, 0, 0.0
	for i, p := range all {
		re := regexp.MustCompile(p)
		for k, text := range jobs[i].Texts {
			want := re.MatchString(text)
			if got[i].Matches[k] != want {
				t.Errorf("%s on %.60q of %d bytes: %v; Go says %v", p, text, len(text), got[i].Matches[k], want)
			}
			if want {
				matched++
			}
		}
		if got[i].Steps > maxSteps {
			t.Errorf("%s takes %d steps for a text of 100 KB", p, got[i].Steps)
		}
		if got[i].Native {
			native++
		}
		if got[i].MS > slowest {
			slowest = got[i].MS
			t.Logf("%6.1f ms of the processor, %d steps: %s", got[i].MS, got[i].Steps, p)
		}
	}
	t.Logf("%d patterns, %d of them by RegExp; %d matches", len(all), native, matched)
	if native < len(all)/20 || matched < len(all) {
		t.Error("the patterns show little")
	}
}

// attacks are texts of n bytes that nearly match some pattern.
func (d *dice) attacks(n int) []string {
	random := func(letters string) string {
		var b strings.Builder
		for range n {
			b.WriteByte(letters[d.IntN(len(letters))])
		}
		return b.String()
	}
	return []string{
		strings.Repeat("a", n) + "!", strings.Repeat("a", n), random("ab") + "!", random("ab"), random("ab c1-.@/xyZ\n"), strings.Repeat(" ", n) + "x", strings.Repeat("1", n) + "-", strings.Repeat("x", n),
		strings.Repeat("foobar", n/6), strings.Repeat("é", n/2) + "!", strings.Repeat("a-", n/2) + "!", strings.Repeat("ab ", n/3) + "!", strings.Repeat("a,", n/2), strings.Repeat("a@a.", n/4), strings.Repeat("\n", n), strings.Repeat(`"\"`, n/3),
	}
}

// texts are short texts for patterns.
func (d *dice) texts() []string {
	var list []string
	for range 12 {
		list = append(list, d.text())
	}
	for range 20 {
		var b strings.Builder
		for range d.IntN(30) {
			b.WriteByte("abcx1- \n"[d.IntN(8)])
		}
		list = append(list, b.String())
	}
	return list
}

// pattern is a pattern of any form.
func (d *dice) pattern(depth int) string {
	if depth == 0 {
		return pick(d, "a", "b", "c", ".", "[ab]", `\d`, `\w`, `[^a]`, "ab", "x", "é", `\s`, "-", "^", "$", `\b`, `\B`, `\pL`, "(?i:K)", `(?m:^)`, `(?m:$)`)
	}
	switch d.IntN(5) {
	case 0:
		return "(?:" + d.pattern(depth-1) + "|" + d.pattern(depth-1) + ")"
	case 1:
		return "(" + d.pattern(depth-1) + ")" + pick(d, "*", "+", "?", "{2}", "{1,3}", "{0,20}", "{2,}")
	case 2:
		return pick(d, "", "^") + d.pattern(depth-1) + pick(d, "", "$")
	}
	return d.pattern(depth-1) + d.pattern(depth-1)
}
