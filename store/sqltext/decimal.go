package sqltext

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
)

// CompareDecimal compares two decimal texts as numbers of any size: it is SQLite's collation
// "decimal" of decimal columns, in comparisons, orders and unique indexes alike. "1.50" equals
// "1.5". Other text sorts after all numbers, by its bytes. It has to be a total order that never
// changes: indexes in files are sorted by it.
func CompareDecimal(a, b []byte) int {
	x, okX := parseDecimal(string(a))
	y, okY := parseDecimal(string(b))
	switch {
	case !okX && !okY:
		return bytes.Compare(a, b)
	case !okX:
		return 1
	case !okY:
		return -1
	case x.sign != y.sign:
		return cmp.Compare(x.sign, y.sign)
	}
	return x.sign * cmp.Or(cmp.Compare(x.point, y.point), strings.Compare(x.digits, y.digits))
}

// decimal is sign × 0.digits × 10^point, without zeros at either end: "-12.50" is -1, "125",
// 2. Zero is sign 0 and no digits. In this form the larger point is the larger number, and
// equal points compare by their digits as text.
type decimal struct {
	sign   int
	digits string
	point  int
}

// parseDecimal reads an optional sign, digits with an optional point, and an optional
// exponent; false for anything else. It accepts more than [format.IsDecimal] does, because
// rows of other programs have to have an order too.
func parseDecimal(s string) (decimal, bool) {
	d := decimal{sign: 1}
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			d.sign = -1
		}
		s = s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exp, err := strconv.ParseInt(s[i+1:], 10, 32)
		if err != nil {
			return d, false
		}
		d.point, s = int(exp), s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "" && fraction == "" || !digits(whole) || !digits(fraction) {
		return d, false
	}
	d.digits = whole + fraction
	d.point += len(whole)
	trimmed := strings.TrimLeft(d.digits, "0")
	d.point -= len(d.digits) - len(trimmed)
	if d.digits = strings.TrimRight(trimmed, "0"); d.digits == "" {
		return decimal{}, true // zero has no sign
	}
	return d, true
}

// digits reports whether every character of s is one of 0 to 9.
func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
