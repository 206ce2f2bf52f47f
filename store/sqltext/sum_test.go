package sqltext_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/store/sqltext"
)

func TestSum(t *testing.T) {
	for _, c := range []struct{ values, sum, avg string }{
		{"", "", ""},
		{"x 1e3 .", "", ""},
		{"0 -0.00", "0.00", "0.00000000"},
		{"1.5 1.50 -0.125", "2.875", "0.958333333"},
		{"1 2 2", "5", "1.666667"},
		{"-1 -2 -2", "-5", "-1.666667"},
		{"0.0000001 0", "0.0000001", "0.0000000500000"},
		{"1 0", "1", "0.500000"},
		{"0.000001 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", "0.000001", "0.000000031250"},
		{"99999999999999999999.9 0.1", "100000000000000000000.0", "50000000000000000000.0000000"},
		{"999999999999999999 999999999999999999 999999999999999999 -1", "2999999999999999996", "749999999999999999.000000"},
	} {
		var s sqltext.Sum
		for _, v := range strings.Fields(c.values) {
			s.Add(v)
		}
		if sum, avg := s.Text(), s.Avg(); sum != c.sum || avg != c.avg {
			t.Errorf("%q: got %q, %q, want %q, %q", c.values, sum, avg, c.sum, c.avg)
		}
	}
	var s sqltext.Sum
	for _, v := range []string{"9223372036854775807", "9223372036854775807"} {
		s.Add(v)
	}
	if _, _, ok := s.Int(); ok {
		t.Error("a sum beyond 64 bits is an integer")
	}
	s.Add("-9223372036854775807")
	if n, _, ok := s.Int(); !ok || n != 9223372036854775807 {
		t.Errorf("a sum that was beyond 64 bits on the way: %d, %v", n, ok)
	}
}

func TestPlainDecimal(t *testing.T) {
	for text, want := range map[string]string{
		"1.50": "1.5", "100": "100", "-0.00": "0", "007": "7", "0.0010": "0.001", "-12.0": "-12", "1e3": "1000", "2.5e-3": "0.0025", "1e9999999": "1e9999999", "x": "x",
	} {
		if got := sqltext.PlainDecimal(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
