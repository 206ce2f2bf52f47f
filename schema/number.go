package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// Numbers are compared exactly, as decimals and not as doubles: 0.3 is a multiple of 0.1.
// Nearly all of them fit a decimal of 18 digits; the rest use package big. Numbers beyond a
// double are refused before.

// Integer returns the value of a JSON number that is whole and within int64; false for every
// other text. JSON Schema counts 3.0 and 3e2 among the integers (core, section 4.2.1), so this
// does too. It may be called with any JSON value, with white space around it.
func Integer(v json.RawMessage) (int64, bool) {
	if n, ok := digits(v); ok { // nearly all that there are
		return n, true
	}
	v = jsontext.Trim(v)
	if jsontext.KindOf(v) != jsontext.Number {
		return 0, false
	}
	if isPlain(v) {
		n, err := strconv.ParseInt(string(v), 10, 64)
		return n, err == nil
	}
	rat, ok := Rational(v)
	if !ok || !rat.IsInt() || !rat.Num().IsInt64() {
		return 0, false
	}
	return rat.Num().Int64(), true
}

// digits is the value of 18 digits at most; false for every other text.
func digits(v []byte) (n int64, ok bool) {
	if len(v) == 0 || len(v) > 18 {
		return 0, false
	}
	for _, c := range v {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// isPlain says whether a number has neither a fraction nor an exponent.
func isPlain(v []byte) bool { return !bytes.ContainsAny(v, ".eE") }

// maxNumber, in characters, and maxExponent bound the numbers that the judge looks at
// (docs/decisions/judge.md): larger ones do not fit a double, and exact arithmetic on them
// costs without limit.
const (
	maxNumber   = 400
	maxExponent = 400
)

// bounded says whether a JSON number is within maxNumber and maxExponent. The functions below
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

// double says whether a number is within the range of a float64: 1e308 is, 1e309 is not. A
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
	if isPlain(v) {
		return true
	}
	rat, ok := Rational(v)
	return ok && rat.IsInt()
}

// compareNumbers compares two bounded numbers exactly: -1, 0 or 1. Numbers out of bounds count
// as equal.
func compareNumbers(a, b []byte) int {
	// Rounding to a double keeps the order, so only what rounds to the same needs the exact way.
	x, _ := strconv.ParseFloat(string(a), 64)
	y, _ := strconv.ParseFloat(string(b), 64)
	if x != y {
		return cmp.Compare(x, y)
	}
	r, okr := Rational(a)
	s, oks := Rational(b)
	if !okr || !oks {
		return 0
	}
	return r.Cmp(s)
}

// multipleOf says whether a bounded number is a whole multiple of another, which is not 0, by
// exact arithmetic: 0.3 of 0.1 is. Numbers out of bounds count as multiples, since they were
// refused before.
func multipleOf(v, of []byte) bool {
	x, okx := Integer(v)
	y, oky := Integer(of)
	if okx && oky && y != 0 {
		return x%y == 0
	}
	r, okr := Rational(v)
	s, oks := Rational(of)
	if !okr || !oks || s.Sign() == 0 {
		return true
	}
	return r.Quo(r, s).IsInt()
}

// Rational returns a JSON number as a fraction. It is false for a number of more than 400
// characters, or with an exponent beyond ±400.
func Rational(v []byte) (*big.Rat, bool) {
	if !bounded(v) {
		return nil, false
	}
	return new(big.Rat).SetString(string(v))
}
