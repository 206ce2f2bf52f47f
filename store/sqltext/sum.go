package sqltext

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Sum adds decimals, and integers, of any size exactly: the aggregate of a database that has no
// numbers for it. The zero value is the sum of no values.
type Sum struct {
	// total and part are added, both as multiples of 10^-scale. part is what fits a machine word.
	total big.Int
	part  int64
	scale int // the most decimal places among the values
	count int
}

// maxPart bounds part: with a summand of 18 digits it fits a machine word.
const maxPart = 1 << 61

// Add adds a decimal or an integer; any other text counts as no value.
func (s *Sum) Add(text string) {
	sign, rest := int64(1), text
	if strings.HasPrefix(rest, "-") {
		sign, rest = -1, rest[1:]
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	if whole == "" && fraction == "" || !digits(whole) || !digits(fraction) {
		return
	}
	s.count++
	if len(whole)+len(fraction) <= 18 && len(fraction) == s.scale {
		if n, err := strconv.ParseInt(whole+fraction, 10, 64); err == nil {
			if s.part += sign * n; s.part >= maxPart || s.part <= -maxPart {
				s.flush()
			}
			return
		}
	}
	s.flush()
	value, _ := new(big.Int).SetString(whole+fraction, 10)
	if sign < 0 {
		value.Neg(value)
	}
	switch places := len(fraction) - s.scale; {
	case places > 0:
		s.total.Mul(&s.total, power(places))
		s.scale = len(fraction)
	case places < 0:
		value.Mul(value, power(-places))
	}
	s.total.Add(&s.total, value)
}

// flush moves part into total.
func (s *Sum) flush() {
	s.total.Add(&s.total, big.NewInt(s.part))
	s.part = 0
}

// Int returns the sum of integers; ok is false if it exceeds 64 bits. has is false without
// values.
func (s *Sum) Int() (n int64, has, ok bool) {
	s.flush()
	return s.total.Int64(), s.count > 0, s.total.IsInt64()
}

// Capped returns the sum of integers, or the furthest integer from 0 with its sign. has is false without values.
func (s *Sum) Capped() (n int64, has bool) {
	n, has, ok := s.Int()
	switch {
	case ok:
		return n, has
	case s.total.Sign() < 0:
		return -math.MaxInt64, true
	}
	return math.MaxInt64, true
}

// Text returns the sum, with as many places as the longest value; "" of no values.
func (s *Sum) Text() string {
	if s.count == 0 {
		return ""
	}
	s.flush()
	return decimalText(&s.total, s.scale)
}

// avgPlaces is how many places an average has more than the longest value.
const avgPlaces = 6

// Avg returns the average, with [avgPlaces] more places than the longest value, its halves rounded
// to the larger amount; "" of no values.
func (s *Sum) Avg() string {
	if s.count == 0 {
		return ""
	}
	s.flush()
	twice := new(big.Int).Abs(&s.total)
	twice.Mul(twice, power(avgPlaces)).Lsh(twice, 1)
	n := big.NewInt(int64(s.count))
	twice.Add(twice, n).Quo(twice, n.Lsh(n, 1))
	if s.total.Sign() < 0 {
		twice.Neg(twice)
	}
	return decimalText(twice, s.scale+avgPlaces)
}

// power is 10^n.
func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// decimalText is n × 10^-scale.
func decimalText(n *big.Int, scale int) string {
	return signed(n.Sign(), new(big.Int).Abs(n).String(), scale)
}

// signed is a number of this sign with places digits behind the point; places may be negative.
func signed(sign int, digits string, places int) string {
	minus := ""
	if sign < 0 {
		minus = "-"
	}
	if places <= 0 {
		return minus + digits + strings.Repeat("0", -places)
	}
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return minus + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}

// maxPlain is how far from the point the first digit of a plain decimal is.
const maxPlain = 2000

// PlainDecimal is a decimal in the shortest text of its value: "1.50" is "1.5". Any other text stays
// as it is, and so does one of thousands of digits, which only an exponent can have.
func PlainDecimal(text string) string {
	d, ok := parseDecimal(text)
	switch {
	case !ok, d.point > maxPlain, d.point < -maxPlain:
		return text
	case d.sign == 0:
		return "0"
	}
	return signed(d.sign, d.digits, len(d.digits)-d.point)
}
