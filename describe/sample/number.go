package sample

import (
	"encoding/json"
	"math/big"
	"strings"
)

// Numbers are exact fractions throughout: multipleOf 0.1 has to hold to the last digit. The
// name says which numbers look right, the shape which are allowed. If possible, the result is
// both:
//
//	price   {"type":"number"}                                    24.95   of 2 to 500, by 0.01
//	price   {"type":"number","minimum":1000}                     1243.5  as wide a span from 1000
//	price   {"type":"integer","minimum":1,"maximum":5}           4       the bounds alone

// span is the numbers that look right for a name, both ends included.
type span struct{ from, to, step *big.Rat }

// spanOf returns a span; step is a decimal such as "0.01".
func spanOf(from, to int64, step string) span {
	r, _ := new(big.Rat).SetString(step)
	return span{big.NewRat(from, 1), big.NewRat(to, 1), r}
}

// spans are the numbers of names: the first row that has a word of the name counts.
// An integer counts in the small unit: money in cents, weights in grams.
var spans = []struct {
	words          string
	whole, decimal span
}{
	{"latitude lat", spanOf(-55, 70, "1"), spanOf(-55, 70, "0.0001")},
	{"longitude lon lng", spanOf(-170, 170, "1"), spanOf(-170, 170, "0.0001")},
	{"year", spanOf(1990, 2026, "1"), spanOf(1990, 2026, "1")},
	{"month", spanOf(1, 12, "1"), spanOf(1, 12, "1")},
	{"day weekday", spanOf(1, 28, "1"), spanOf(1, 28, "1")},
	{"hour hours", spanOf(0, 23, "1"), spanOf(0, 23, "0.25")},
	{"minute minutes second seconds", spanOf(0, 59, "1"), spanOf(0, 59, "1")},
	{"age", spanOf(18, 80, "1"), spanOf(18, 80, "1")},
	{"rating stars", spanOf(1, 5, "1"), spanOf(1, 5, "0.1")},
	{"percent percentage discount progress humidity", spanOf(0, 100, "1"), spanOf(0, 100, "0.1")},
	{"rate ratio share probability", spanOf(0, 100, "1"), spanOf(0, 1, "0.01")},
	{"port", spanOf(1024, 49151, "1"), spanOf(1024, 49151, "1")},
	{"bytes size", spanOf(1024, 8_000_000, "1"), spanOf(1, 500, "0.1")},
	{"ean gtin isbn barcode", spanOf(4_000_000_000_000, 4_999_999_999_999, "1"), spanOf(4_000_000_000_000, 4_999_999_999_999, "1")},
	{"price amount total subtotal cost fee salary balance budget revenue tax", spanOf(199, 49999, "1"), spanOf(2, 500, "0.01")},
	{"quantity qty count seats pieces units guests", spanOf(1, 12, "1"), spanOf(1, 12, "1")},
	{"stock inventory points views likes visits", spanOf(0, 400, "1"), spanOf(0, 400, "1")},
	{"weight mass", spanOf(100, 12000, "10"), spanOf(0, 12, "0.05")},
	{"width height depth length distance", spanOf(5, 180, "1"), spanOf(5, 180, "0.5")},
	{"temperature", spanOf(-5, 32, "1"), spanOf(-5, 32, "0.1")},
	{"version revision level priority", spanOf(1, 5, "1"), spanOf(1, 5, "1")},
	{"score grade", spanOf(0, 100, "1"), spanOf(0, 100, "0.1")},
}

// spanFor returns the likely numbers of a name. For an unknown name they are 1 to 1000, or 0 to
// 1000 by 0.01.
func spanFor(name Name, integer bool) span {
	for _, row := range spans {
		if name.has(row.words) {
			if integer {
				return row.whole
			}
			return row.decimal
		}
	}
	if integer {
		return spanOf(1, 1000, "1")
	}
	return spanOf(0, 1000, "0.01")
}

// Number returns a number between the shape's bounds, of its step, and, if possible, one that
// fits the name. integer asks for a whole one. It reports false if it found no number. Times in
// milliseconds are whole numbers of names such as createdAt.
func (m *Maker) Number(s Shape, name Name, integer bool) (json.RawMessage, bool) {
	if at, ok := m.millis(name); ok && integer {
		if lo, hi := Rational(s["minimum"]), Rational(s["maximum"]); (lo == nil || lo.Cmp(at) <= 0) && (hi == nil || hi.Cmp(at) >= 0) && s["multipleOf"] == nil {
			return json.RawMessage(at.Num().String()), true
		}
	}
	likely := spanFor(name, integer)
	lo, hi := Rational(s["minimum"]), Rational(s["maximum"])
	over, under := Rational(s["exclusiveMinimum"]), Rational(s["exclusiveMaximum"])
	// An exclusive bound narrows the span like the other; the number at the bound itself is
	// left out in attempt.
	if over != nil && (lo == nil || over.Cmp(lo) >= 0) {
		lo = over
	}
	if under != nil && (hi == nil || under.Cmp(hi) <= 0) {
		hi = under
	}
	from, to := within(likely, lo, hi)
	step := likely.step
	switch of := Rational(s["multipleOf"]); {
	case of != nil && of.Sign() > 0 && integer:
		step = new(big.Rat).SetInt(of.Num()) // the least that is a multiple of both
	case of != nil && of.Sign() > 0:
		step = of
	case integer && !step.IsInt():
		step = big.NewRat(1, 1)
	}
	attempt := func(from, to, step *big.Rat) json.RawMessage { return m.multiple(from, to, step, over, under, name) }
	v := attempt(from, to, step)
	if v == nil && lo != nil && hi != nil { // the likely ones leave none
		v = attempt(lo, hi, step)
		if v == nil && !integer && s["multipleOf"] == nil {
			v = attempt(lo, hi, new(big.Rat).Quo(new(big.Rat).Sub(hi, lo), big.NewRat(1000, 1)))
		}
	}
	if v == nil { // a step wider than the likely span
		wide := new(big.Rat).Mul(step, big.NewRat(10, 1))
		switch {
		case lo != nil && hi == nil:
			v = attempt(lo, new(big.Rat).Add(lo, wide), step)
		case hi != nil && lo == nil:
			v = attempt(new(big.Rat).Sub(hi, wide), hi, step)
		case lo == nil:
			v = attempt(new(big.Rat), wide, step)
		}
	}
	return v, v != nil
}

// multiple returns one of the multiples of step from from to to, more than over and less than under, or
// nil.
func (m *Maker) multiple(from, to, step, over, under *big.Rat, name Name) json.RawMessage {
	first, last := ceil(from, step), floor(to, step)
	for _, edge := range []struct {
		at   *big.Rat
		end  *big.Int
		move int64
	}{{over, first, 1}, {under, last, -1}} {
		if edge.at != nil && times(edge.end, step).Cmp(edge.at) == 0 {
			edge.end.Add(edge.end, big.NewInt(edge.move))
		}
	}
	count := new(big.Int).Sub(last, first)
	if count.Sign() < 0 {
		return nil
	}
	return json.RawMessage(decimal(times(first.Add(first, m.upTo(count, name)), step)))
}

// upTo returns a number from 0 to count: of a unique field, and of what says the place of a row
// among others, the next. Above 65,536 numbers a unique field is drawn too, as it hardly meets
// itself.
func (m *Maker) upTo(count *big.Int, name Name) *big.Int {
	if !count.IsInt64() || count.Int64() >= 1<<62 {
		return big.NewInt(m.Int64N(1 << 62))
	}
	switch n := count.Int64() + 1; {
	case m.Unique && n <= 1<<16:
		return big.NewInt(int64(m.Row+m.Try) % n)
	case name.has("position rank index sequence ordinal") && m.Try == 0:
		return big.NewInt(int64(m.Row) % n)
	default:
		return big.NewInt(m.Int64N(n))
	}
}

// within returns the part of the likely numbers inside the bounds, or an equally wide span
// inside them. A nil bound is open.
//
//	likely 2 to 500, lo 100             100 to 500
//	likely 2 to 500, lo 1000            1000 to 1498
//	likely 2 to 500, lo 1000, hi 1100   1000 to 1100
func within(likely span, lo, hi *big.Rat) (from, to *big.Rat) {
	from, to = likely.from, likely.to
	wide := new(big.Rat).Sub(to, from)
	if lo != nil && lo.Cmp(to) > 0 {
		from, to = lo, new(big.Rat).Add(lo, wide)
	}
	if hi != nil && hi.Cmp(from) < 0 {
		from, to = new(big.Rat).Sub(hi, wide), hi
	}
	if lo != nil && lo.Cmp(from) > 0 {
		from = lo
	}
	if hi != nil && hi.Cmp(to) < 0 {
		to = hi
	}
	return from, to
}

// times returns n steps as a number.
func times(n *big.Int, step *big.Rat) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), step)
}

// floor returns how many whole steps go into v, downwards for a negative v too. step is
// positive.
func floor(v, step *big.Rat) *big.Int {
	q := new(big.Rat).Quo(v, step)
	return new(big.Int).Div(q.Num(), q.Denom()) // Euclidean: downwards, for the divisor is positive
}

// ceil returns the least number of steps that reach v.
func ceil(v, step *big.Rat) *big.Int {
	n := floor(v, step)
	if times(n, step).Cmp(v) < 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// decimal writes a number without an exponent, exactly: all of them are decimals.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, _ := r.FloatPrec()
	return strings.TrimRight(r.FloatString(digits), "0")
}

// Step returns a stride that comes past every one of n places before it returns: a prime that
// does not divide n, or 1.
func Step(n int) int {
	for _, prime := range []int{7, 11, 13} {
		if n%prime != 0 {
			return prime
		}
	}
	return 1
}
