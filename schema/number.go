package schema

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// Numbers are compared exactly, as decimals and not as doubles: 0.3 is a multiple
// of 0.1. Nearly all of them fit a decimal of 18 digits; the rest takes the long
// way, and what no double could hold is refused before.

// Integer returns the value of a JSON number that is whole and within int64; false for every
// other text. JSON Schema counts 3.0 and 3e2 among the integers (core, section 4.2.1), so this
// does too. It may be called with any JSON value, with white space around it.
func Integer(v json.RawMessage) (int64, bool) {
	v = jsontext.Trim(v)
	if jsontext.KindOf(v) != jsontext.Number {
		return 0, false
	}
	if d, ok := parseDecimal(v); ok {
		return d.integer()
	}
	rat, ok := rational(v)
	if !ok || !rat.IsInt() || !rat.Num().IsInt64() {
		return 0, false
	}
	return rat.Num().Int64(), true
}

// maxNumber, in characters, and maxExponent bound the numbers that the judge looks at
// (docs/decisions/011): further ones are no double anyway, and exact arithmetic on them costs
// without end.
const (
	maxNumber   = 400
	maxExponent = 400
)

// bounded says whether a JSON number is one that can be worked with. The functions below
// expect it of their arguments.
func bounded(v []byte) bool {
	if len(v) > maxNumber {
		return false
	}
	for i, c := range v {
		if c == 'e' || c == 'E' {
			exp, err := strconv.Atoi(string(v[i+1:]))
			return err == nil && exp <= maxExponent && exp >= -maxExponent
		}
	}
	return true
}

// boundedNumber says whether v is a number, and a bounded one.
func boundedNumber(v json.RawMessage) bool {
	return jsontext.KindOf(v) == jsontext.Number && bounded(v)
}

// double says whether a number is within what a float64 can hold: 1e308 is, 1e309 is not. A
// number too small for a double counts as 0 and is accepted.
func double(v json.RawMessage) bool {
	// Without an exponent it takes 309 digits to exceed a double.
	if len(v) < 300 && !strings.ContainsAny(string(v), "eE") {
		return true
	}
	if !bounded(v) {
		return false
	}
	_, err := strconv.ParseFloat(string(v), 64)
	return err == nil
}

// whole says whether a bounded number is an integer, as 3.0 and 3e2 are.
func whole(v []byte) bool {
	if d, ok := parseDecimal(v); ok {
		_, rest := d.split()
		return rest == 0
	}
	rat, ok := rational(v)
	return ok && rat.IsInt()
}

// compareNumbers compares two bounded numbers exactly: -1, 0 or 1. Numbers out of bounds count
// as equal.
func compareNumbers(a, b []byte) int {
	x, okx := parseDecimal(a)
	y, oky := parseDecimal(b)
	if okx && oky {
		if x, y, ok := align(x, y); ok {
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
	}
	r, okr := rational(a)
	s, oks := rational(b)
	if !okr || !oks {
		return 0
	}
	return r.Cmp(s)
}

// multipleOf says whether a bounded number is a whole multiple of another, which is not 0, by
// exact arithmetic: 0.3 of 0.1 is. Numbers out of bounds count as multiples, since they were
// refused before.
func multipleOf(v, of []byte) bool {
	x, okx := parseDecimal(v)
	y, oky := parseDecimal(of)
	if okx && oky {
		if x, y, ok := align(x, y); ok && y != 0 {
			return x%y == 0
		}
	}
	r, okr := rational(v)
	s, oks := rational(of)
	if !okr || !oks || s.Sign() == 0 {
		return true
	}
	return r.Quo(r, s).IsInt()
}

// rational is a number of any length as a fraction; false where its exponent is out of bounds.
func rational(v []byte) (*big.Rat, bool) {
	if !bounded(v) {
		return nil, false
	}
	return new(big.Rat).SetString(string(v))
}

// decimal is digits × 10^exp: 12.50 is 1250 and -2. Eighteen digits always fit an int64.
type decimal struct {
	digits int64
	exp    int
}

// parseDecimal reads a JSON number of at most 18 digits and an exponent of at most four
// characters; false for any other, which goes the long way through big.Rat.
func parseDecimal(v []byte) (decimal, bool) {
	var d decimal
	i, n, neg := 0, 0, false
	if len(v) > 0 && v[0] == '-' {
		neg = true
		i++
	}
	point := false
	for ; i < len(v); i++ {
		c := v[i]
		if c == '.' {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		if n++; n > 18 {
			return d, false
		}
		d.digits = d.digits*10 + int64(c-'0')
		if point {
			d.exp--
		}
	}
	if neg {
		d.digits = -d.digits
	}
	if i == len(v) {
		return d, n > 0
	}
	i++ // the e
	sign := 1
	if i < len(v) && (v[i] == '+' || v[i] == '-') {
		if v[i] == '-' {
			sign = -1
		}
		i++
	}
	if len(v)-i > 4 {
		return d, false
	}
	exp := 0
	for ; i < len(v); i++ {
		exp = exp*10 + int(v[i]-'0')
	}
	d.exp += sign * exp
	return d, n > 0
}

// split returns the whole part of a decimal and the digits behind the point. Only whether the
// latter is 0 is of use where the exponent is positive or far below.
func (d decimal) split() (whole, rest int64) {
	if d.digits == 0 {
		return 0, 0
	}
	if d.exp >= 0 {
		return d.digits, 0
	}
	if d.exp < -18 {
		return 0, d.digits
	}
	p := pow10(-d.exp)
	return d.digits / p, d.digits % p
}

// integer returns the decimal as an int64; false where it has a fraction or does not fit.
func (d decimal) integer() (int64, bool) {
	n, rest := d.split()
	if rest != 0 {
		return 0, false
	}
	if d.exp > 0 && n != 0 {
		if d.exp > 18 {
			return 0, false
		}
		return times(n, pow10(d.exp))
	}
	return n, true
}

// align brings two decimals to one exponent, so that their digits compare like them: 1.5 and 2
// are 15 and 20. false where int64 is not wide enough.
func align(a, b decimal) (x, y int64, ok bool) {
	x, y = a.digits, b.digits
	shift := a.exp - b.exp
	switch {
	case shift == 0:
		return x, y, true
	case shift > 18 || shift < -18:
		return 0, 0, false
	case shift > 0:
		x, ok = times(x, pow10(shift))
	default:
		y, ok = times(y, pow10(-shift))
	}
	return x, y, ok
}

// times returns a × b; false where the product does not fit in an int64.
func times(a, b int64) (int64, bool) {
	c := a * b
	if a != 0 && (c/a != b || a == -1 && b == math.MinInt64) {
		return 0, false
	}
	return c, true
}

// pow10 returns 10 to the power of n, for n of 0 to 18.
func pow10(n int) int64 {
	p := int64(1)
	for ; n > 0; n-- {
		p *= 10
	}
	return p
}
