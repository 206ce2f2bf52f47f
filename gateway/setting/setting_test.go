package setting

import "testing"

func TestNames(t *testing.T) {
	for _, c := range []struct{ key, variable, flag string }{
		{"identity.clockSkew", "FROND_IDENTITY_CLOCK_SKEW", "identity-clock-skew"},
		{"limits.list.max", "FROND_LIMITS_LIST_MAX", "limits-list-max"},
	} {
		s := Setting{Key: c.key}
		if s.variable() != c.variable || s.Flag() != c.flag {
			t.Errorf("%s is %s and --%s", c.key, s.variable(), s.Flag())
		}
	}
}
