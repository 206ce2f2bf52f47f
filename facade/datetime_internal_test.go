package facade

import "testing"

func TestNormalDateTime(t *testing.T) {
	for in, want := range map[string]string{
		`"2024-01-02T03:04:05Z"`:               `"2024-01-02T03:04:05.000Z"`,
		`"2024-01-02T03:04:05.000Z"`:           `"2024-01-02T03:04:05.000Z"`,
		`"2024-01-02T03:04:05.123456789Z"`:     `"2024-01-02T03:04:05.123456Z"`,
		`"2024-01-02T03:04:05.1230004Z"`:       `"2024-01-02T03:04:05.123Z"`,
		`"2024-01-02T03:04:05.000001Z"`:        `"2024-01-02T03:04:05.000001Z"`,
		`"2024-01-02t03:04:05z"`:               `"2024-01-02T03:04:05.000Z"`,
		`"2024-01-01T00:30:00+01:00"`:          `"2023-12-31T23:30:00.000Z"`,
		`"2024-12-31T23:59:60Z"`:               `"2025-01-01T00:00:00.000Z"`,
		`"2024-12-31T23:59:60.500Z"`:           `"2025-01-01T00:00:00.500Z"`,
		`"0000-01-01T00:00:00Z"`:               `"0000-01-01T00:00:00.000Z"`,
		`"9999-12-31T23:59:59.999999-01:00"`:   `"9999-12-31T23:59:59.999999-01:00"`, // no year has five digits
		`"yesterday"`:                          `"yesterday"`,
		`null`:                                 `null`,
		`5`:                                    `5`,
		` "2024-01-02T03:04:05.000Z" `:         ` "2024-01-02T03:04:05.000Z" `,
		`"2024\u002d01-02T03:04:05.000\u005a"`: `"2024-01-02T03:04:05.000Z"`,
	} {
		if got := string(normalDateTime([]byte(in))); got != want {
			t.Errorf("%s: got %s want %s", in, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"list", "findById", "findByIds", "create", "update", "delete", "publish"}
	for in, want := range map[string]string{
		"lst": "list", "findByID": "findById", "udpate": "update", "remove": "", "x": "", "": "", "publsh": "publish",
	} {
		if got := nearest(in, names); got != want {
			t.Errorf("%s: got %q want %q", in, got, want)
		}
	}
}
