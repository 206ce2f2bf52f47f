package schema

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"

	"github.com/frondhost/frond/schema/jsontext"
)

// Integer is the value of a JSON number that is whole and within int64. JSON
// Schema counts 3.0 and 3e2 among the integers, so this does too.
func Integer(v json.RawMessage) (int64, bool) {
	v = jsontext.Trim(v)
	if jsontext.KindOf(v) != jsontext.Number {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, true
	}
	if !bytes.ContainsAny(v, ".eE") || !bounded(v) {
		return 0, false
	}
	rat, ok := new(big.Rat).SetString(string(v))
	if !ok || !rat.IsInt() || !rat.Num().IsInt64() {
		return 0, false
	}
	return rat.Num().Int64(), true
}

// maxNumber and maxExponent bound the numbers the judge looks at: further ones
// are no double anyway, and exact arithmetic on them costs without end.
const (
	maxNumber   = 400
	maxExponent = 400
)

// bounded says whether a JSON number is one that can be worked with.
func bounded(v []byte) bool {
	if len(v) > maxNumber {
		return false
	}
	i := bytes.IndexAny(v, "eE")
	if i < 0 {
		return true
	}
	exp, err := strconv.Atoi(string(v[i+1:]))
	return err == nil && exp <= maxExponent && exp >= -maxExponent
}

func boundedNumber(v json.RawMessage) bool {
	return jsontext.KindOf(v) == jsontext.Number && bounded(v)
}

// whole says whether a bounded number is an integer.
func whole(v []byte) bool {
	if !bytes.ContainsAny(v, ".eE") {
		return true
	}
	rat, ok := new(big.Rat).SetString(string(v))
	return ok && rat.IsInt()
}

// compareNumbers compares two bounded numbers exactly.
func compareNumbers(a, b []byte) int {
	if x, err := strconv.ParseInt(string(a), 10, 64); err == nil {
		if y, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
	}
	x, okx := new(big.Rat).SetString(string(a))
	y, oky := new(big.Rat).SetString(string(b))
	if !okx || !oky {
		return 0
	}
	return x.Cmp(y)
}

// multipleOf says whether a bounded number is a whole multiple of another.
func multipleOf(v, of []byte) bool {
	if x, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		if y, err := strconv.ParseInt(string(of), 10, 64); err == nil && y != 0 {
			return x%y == 0
		}
	}
	x, okx := new(big.Rat).SetString(string(v))
	y, oky := new(big.Rat).SetString(string(of))
	if !okx || !oky || y.Sign() == 0 {
		return true
	}
	return x.Quo(x, y).IsInt()
}
