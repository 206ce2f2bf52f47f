package sqltext

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"
)

func TestNormalTime(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"2024-01-02T03:04:05Z", "2024-01-02T03:04:05.000000Z"},
		{"2024-01-02t03:04:05z", "2024-01-02T03:04:05.000000Z"},
		{"2024-01-02T03:04:05.1+02:30", "2024-01-02T00:34:05.100000Z"},
		{"2024-01-02T03:04:05.123456789Z", "2024-01-02T03:04:05.123456Z"},
		{"2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00.000000Z"},
		{"2024-01-02T03:04:05.120Z", "2024-01-02T03:04:05.120000Z"},
		{"2024-01-02t03:04:05.120z", "2024-01-02T03:04:05.120000Z"},
		{"2016-12-31T23:59:60.500Z", "2017-01-01T00:00:00.500000Z"},
		{"2024-01-02T03:04:05.12aZ", ""},
		{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z"},
		{"0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"},
		{"0000-01-01T00:00:00+01:00", ""},
		{"9999-12-31T23:59:59-01:00", ""},
		{"2024-01-02", ""},
		{"2024-01-02 03:04:05Z", ""},
		{"2024-02-30T00:00:00Z", ""},
		{"2024-01-02T03:04:05", ""},
		{"", ""},
	} {
		got, ok := NormalTime(c.in)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q is %q, %v; want %q", c.in, got, ok, c.want)
		}
	}
}

func TestCompareDecimal(t *testing.T) {
	order := []string{"-1e3", "-100.01", "-100", "-99.999", "-0.5", "-0.05", "0", "0.001", "0.01", "0.1", "0.5", "1", "1.5", "9.5", "10", "99999999999999999999", "1e30", "", "x"}
	for i, a := range order {
		for j, b := range order {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := CompareDecimal([]byte(a), []byte(b)); got != want {
				t.Errorf("%q to %q is %d, want %d", a, b, got, want)
			}
		}
	}
	for _, same := range [][2]string{{"1.5", "1.50"}, {"0", "-0.00"}, {"00012", "12.0"}, {"1e2", "100"}, {".5", "0.5"}, {"5.", "5"}} {
		if CompareDecimal([]byte(same[0]), []byte(same[1])) != 0 {
			t.Errorf("%s is not %s", same[0], same[1])
		}
	}
}

// FuzzDecimal compares with math/big.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"0", "-1.50", "123456789.000000001", "1e5", "x", "", "-", "1e999999999", "0.e1"} {
		f.Add(s, "1.5")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		got, back := CompareDecimal([]byte(a), []byte(b)), CompareDecimal([]byte(b), []byte(a))
		if got != -back {
			t.Errorf("%q to %q is %d, the other way round %d", a, b, got, back)
		}
		if strings.ContainsAny(a+b, "eE/_xXpPbBoO+") || len(a)+len(b) > 100 {
			return
		}
		x, okX := new(big.Rat).SetString(a)
		y, okY := new(big.Rat).SetString(b)
		if okX && okY && x.Cmp(y) != got {
			t.Errorf("%q to %q is %d, want %d", a, b, got, x.Cmp(y))
		}
	})
}

// FuzzAppendFloat holds numbers to encoding/json.
func FuzzAppendFloat(f *testing.F) {
	for _, v := range []float64{0, 1, -1, 0.1, 1e20, 1e21, 1e-6, 9e-7, 1e-9, 123456789.125, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		want, err := json.Marshal(v)
		if err != nil {
			return // no JSON: NaN and the infinities
		}
		if got := AppendFloat(nil, v); !bytes.Equal(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func TestAfter(t *testing.T) {
	for _, c := range []struct {
		prefix, want string
		ok           bool
	}{
		{"a", "b", true},
		{"a\x00", "a\x01", true},
		{"az\U0010ffff", "a{", true},
		{"\U0010ffff", "", false},
		{"\ud7ff", "\ue000", true},
		{"\x7f", "\u0080", true},
		{"", "", false},
	} {
		got, ok := After(c.prefix)
		if got != c.want || ok != c.ok {
			t.Errorf("behind %q is %q, %v", c.prefix, got, ok)
		}
		if ok && (got <= c.prefix || got <= c.prefix+"\U0010ffff\U0010ffff") {
			t.Errorf("%q is not behind every text that starts with %q", got, c.prefix)
		}
	}
}
