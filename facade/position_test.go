package facade_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

func TestPositionsAreText(t *testing.T) {
	base := facade.NewLog(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
	texts := []string{}
	for _, p := range []facade.Position{0, 1, 31, 32, base, base + 1, base + 1<<40} {
		text := p.String()
		back, err := facade.ParsePosition(text)
		if back != p || err != nil {
			t.Errorf("%d is %q, which is read as %d, %v", p, text, back, err)
		}
		texts = append(texts, text)
	}
	if !slices.IsSorted(texts) {
		t.Errorf("the texts are not sorted as positions are: %q", texts)
	}
	good := base.String()
	for _, bad := range []string{"", "0", "7", good[1:], good + "0", strings.ToUpper(good[:12]) + "Z", " " + good, "vvvvvvvvvvvvv", "000000000000v", strings.Repeat("x", 1000), good[:12] + "\n"} {
		if p, err := facade.ParsePosition(bad); kiterror.CodeOf(err) != kiterror.ValidationFailed || len(err.Error()) > 300 {
			t.Errorf("%q is read as %d, %v", bad, p, err)
		}
	}
	for bad, named := range map[string]string{"": `"" is no position`, "x": `"x" is no position`, "a\nb": `"a?b" is no position`} {
		if _, err := facade.ParsePosition(bad); !strings.Contains(err.Error(), named) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestResumable(t *testing.T) {
	now := time.Now()
	oldest := facade.NewLog(now)
	last := oldest + 100
	other := facade.NewLog(now)
	for other>>43 == oldest>>43 {
		other = facade.NewLog(now)
	}
	for _, c := range []struct {
		name  string
		after facade.Position
		want  kiterror.Code
	}{
		{"the beginning", 0, ""},
		{"the oldest", oldest, ""},
		{"in between", oldest + 7, ""},
		{"the last", last, ""},
		{"the future", last + 1, kiterror.ValidationFailed},
		{"what was trimmed", oldest - 1, kiterror.Gone},
		{"another log", other, kiterror.ValidationFailed},
		{"a number of one's own", 5, kiterror.ValidationFailed},
	} {
		err := facade.Resumable(c.after, oldest, last)
		if (err != nil) != (c.want != "") || err != nil && kiterror.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestRestoredLogsGoOn takes a log back to an older state, as a restored backup is.
func TestRestoredLogsGoOn(t *testing.T) {
	began := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	p := facade.NewLog(began)
	backup := p + 10
	given := backup + 5000
	again := backup.TakenOver(began.Add(time.Minute))
	if again <= given || again>>43 != p>>43 {
		t.Errorf("after a restore the log goes on at %s, before %s", again, given)
	}
	if back := given.TakenOver(began.Add(-time.Hour)); back != given {
		t.Errorf("a clock that went back takes the log from %s to %s", given, back)
	}
}
