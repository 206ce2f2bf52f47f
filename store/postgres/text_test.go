package postgres

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// TestFoldedPattern compares a pattern with what icontains means, over texts of letters that
// have odd cases. Go's regular expressions read what is written here as PostgreSQL's do;
// TestOddLetters runs it there.
func TestFoldedPattern(t *testing.T) {
	letters := []rune("aAkKsSiIßẞİıſΣσςÅåКк.*[]\\^$-|(){}+?'\"1_ \n😀\u0130\u212a\u2126ωǅǆǄ")
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	for range 20_000 {
		in, part := text(r.IntN(6)), text(1+r.IntN(2))
		want := strings.Contains(strings.ToLower(in), strings.ToLower(part))
		if got := regexp.MustCompile(foldedPattern(part)).MatchString(in); got != want {
			t.Fatalf("%q contains %q: %v, want %v, by %q", in, part, got, want, foldedPattern(part))
		}
	}
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if lower := unicode.ToLower(r); lower != r && !regexp.MustCompile("^"+foldedPattern(string(lower))+"$").MatchString(string(r)) {
			t.Fatalf("%U is not found by its lower case", r)
		}
	}
}

// column is a column of a field of a kind.
func describe(typ string, kind schema.Kind) *sqltext.Column {
	return &sqltext.Column{Name: `"c"`, Type: typ, Prop: &schema.Property{Field: &schema.Field{}, Kind: kind}}
}

var orders = []filter.Op{filter.Eq, filter.Ne, filter.Lt, filter.Lte, filter.Gt, filter.Gte}

func holds(op filter.Op, sign int) bool {
	switch op {
	case filter.Eq:
		return sign == 0
	case filter.Ne:
		return sign != 0
	case filter.Lt:
		return sign < 0
	case filter.Lte:
		return sign <= 0
	case filter.Gt:
		return sign > 0
	}
	return sign >= 0
}

// TestNumbersCompareByValue compares integers with fractions and doubles with integers that lie
// between two of them, as exact numbers and as they are fitted.
func TestNumbersCompareByValue(t *testing.T) {
	integers := []int64{math.MinInt64, math.MinInt64 + 1, -1<<53 - 1, -2, -1, 0, 1, 2, 1 << 53, 1<<53 + 1, 1<<62 + 1, math.MaxInt64 - 1, math.MaxInt64}
	floats := []float64{-1e30, -(1 << 63), -1<<53 - 2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 1 << 53, 1<<53 + 2, 1 << 62, 1 << 63, 1e30}
	for _, i := range integers {
		for _, f := range floats {
			exact := new(big.Float).SetInt64(i)
			sign := exact.Cmp(big.NewFloat(f))
			for _, op := range orders {
				o := fit(describe("bigint", schema.KindInteger), op, sqltext.FloatValue(f))
				got := o.holds
				if !o.decided {
					got = holds(o.op, new(big.Float).SetInt64(i).Cmp(new(big.Float).SetInt64(o.v.I)))
				}
				if want := holds(op, sign); got != want {
					t.Errorf("the integer %d, op %d, %v: %v, want %v", i, op, f, got, want)
				}
				o = fit(describe("double precision", schema.KindNumber), op, sqltext.IntValue(i))
				got = o.holds
				if !o.decided {
					got = holds(o.op, big.NewFloat(f).Cmp(big.NewFloat(o.v.F)))
				}
				if want := holds(op, -sign); got != want {
					t.Errorf("the double %v, op %d, %d: %v, want %v", f, op, i, got, want)
				}
			}
		}
	}
}

// TestTextsWithNUL compares texts without a NUL with operands that have one.
func TestTextsWithNUL(t *testing.T) {
	texts := []string{"", "a", "a\x01", "aa", "ab", "b"}
	for _, operand := range []string{"\x00", "a\x00", "a\x00b", "ab\x00\x00"} {
		for _, text := range texts {
			for _, op := range orders {
				o := fit(describe("text", schema.KindString), op, sqltext.TextValue(operand))
				got := o.holds
				if !o.decided {
					got = holds(o.op, strings.Compare(text, o.v.S))
				}
				if want := holds(op, strings.Compare(text, operand)); got != want {
					t.Errorf("%q, op %d, %q: %v, want %v", text, op, operand, got, want)
				}
			}
		}
	}
}

// TestMomentsFromBytes reads moments and days as the server sends them.
func TestMomentsFromBytes(t *testing.T) {
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	r := rand.New(rand.NewPCG(3, 4))
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)
	for i := range 5000 {
		at := first.Add(0)
		switch i {
		case 0:
		case 1:
			at = last
		default:
			at = time.UnixMicro(first.UnixMicro() + r.Int64N(last.UnixMicro()-first.UnixMicro())).UTC()
			if i%2 == 0 {
				at = at.Truncate(time.Millisecond)
			}
		}
		raw := binary.BigEndian.AppendUint64(nil, uint64(at.UnixMicro()-epoch.UnixMicro()))
		layout := `"2006-01-02T15:04:05.000000Z"`
		if at.Nanosecond()/1000%1000 == 0 {
			layout = `"2006-01-02T15:04:05.000Z"`
		}
		if got, want := string(timeDecoder(ignored)(nil, raw)), at.Format(layout); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		day := (at.Unix() - epoch.Unix())
		days := day / 86400
		if day%86400 < 0 {
			days--
		}
		raw = binary.BigEndian.AppendUint32(nil, uint32(int32(days)))
		if got, want := string(dateDecoder(ignored)(nil, raw)), at.Format(`"2006-01-02"`); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

func TestArraysAsJSON(t *testing.T) {
	for _, c := range []struct{ typ, in, want string }{
		{"text[]", `{}`, `[]`},
		{"text[]", `{a,"b c",NULL,"NULL","q\"\\"}`, `["a","b c",null,"NULL","q\"\\"]`},
		{"integer[]", `{1,NULL,-3}`, `[1,null,-3]`},
		{"integer[]", `[0:1]={1,2}`, `[1,2]`},
		{"boolean[]", `{t,f}`, `[true,false]`},
		{"double precision[]", `{1e+20,0.5}`, `[100000000000000000000,0.5]`},
		{"text[][]", `{{a,b},{c,"}"}}`, `[["a","b"],["c","}"]]`},
	} {
		c2 := describe(c.typ, schema.KindJSON)
		if got := string(decoderOf(c2, ignored)(nil, []byte(c.in))); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.typ, c.in, got, c.want)
		}
	}
}

// TestRangesBehindACursor cuts orders at every place: each row behind it is in exactly one
// range, and no other row is.
func TestRangesBehindACursor(t *testing.T) {
	values := []sqltext.Value{{}, sqltext.IntValue(1), sqltext.IntValue(2)} // null is the smallest
	for shape := range 1 << 5 {
		keys := make([]sqltext.SortKey, 3)
		for i := range keys {
			c := describe("bigint", schema.KindInteger)
			c.NotNull = i == 2 || shape>>(3+i)&1 == 1
			keys[i] = sqltext.SortKey{Column: c, Desc: shape>>i&1 == 1}
		}
		var rows [][]int
		for a := range 3 {
			for b := range 3 {
				for id := 1; id < 3; id++ {
					if row := []int{a, b, id}; !slices.ContainsFunc(keys, func(k sqltext.SortKey) bool {
						return k.Column.NotNull && row[slices.IndexFunc(keys, func(o sqltext.SortKey) bool { return o == k })] == 0
					}) {
						rows = append(rows, row)
					}
				}
			}
		}
		behind := func(row, from []int) bool {
			for i, k := range keys {
				if row[i] != from[i] {
					return row[i] > from[i] != k.Desc
				}
			}
			return false
		}
		in := func(g seekRange, row, from []int) bool {
			for i := range g.equal {
				if row[i] != from[i] {
					return false
				}
			}
			if g.to == g.equal {
				return row[g.equal] != 0 == g.notNull
			}
			for i := g.equal; i < g.to; i++ { // as SQL compares rows: a null decides nothing
				if row[i] == 0 {
					return false
				}
				if row[i] != from[i] {
					return row[i] > from[i] != keys[g.equal].Desc
				}
			}
			return false
		}
		for _, from := range rows {
			place := []sqltext.Value{values[from[0]], values[from[1]], values[from[2]]}
			for _, row := range rows {
				n := 0
				for _, g := range ranges(keys, place) {
					if in(g, row, from) {
						n++
					}
				}
				if want := behind(row, from); n > 1 || want != (n == 1) {
					t.Fatalf("order %s, behind %v: %v is in %d ranges, behind is %v", fmt.Sprint(shape), from, row, n, want)
				}
			}
		}
	}
}
