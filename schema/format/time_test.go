package format_test

import (
	"testing"
	"time"

	"github.com/frondhost/frond/schema/format"
)

func TestParseDateTime(t *testing.T) {
	for text, want := range map[string]string{
		"2026-05-01T10:00:00Z":              "2026-05-01T10:00:00Z",
		"2026-05-01t10:00:00.5+02:00":       "2026-05-01T08:00:00.5Z",
		"2026-01-01T00:30:00+01:00":         "2025-12-31T23:30:00Z",
		"1998-12-31T23:59:60Z":              "1999-01-01T00:00:00Z",
		"2026-05-01T10:00:00.1234567899-0:": "",
		"2026-05-01T10:00:00.1234567899Z":   "2026-05-01T10:00:00.123456789Z",
		"0000-01-01T00:00:00+01:00":         "",
	} {
		got, ok := format.ParseDateTime(text)
		if ok != (want != "") || ok && got.Format(time.RFC3339Nano) != want {
			t.Errorf("ParseDateTime(%s) = %v, %v, want %q", text, got, ok, want)
		}
	}
}
