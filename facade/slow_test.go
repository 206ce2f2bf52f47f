package facade_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade"
)

// TestSlowLog writes one line a shape and minute, and the number of those between in the next.
func TestSlowLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := facade.NewSlowLog(slog.New(slog.NewTextHandler(&out, nil)))
		for i := range 500 {
			log.Write(t.Context(), "SELECT a", time.Duration(i)*time.Millisecond)
		}
		log.Write(t.Context(), "SELECT b", time.Second)
		time.Sleep(time.Minute)
		log.Write(t.Context(), "SELECT a", time.Second)
		time.Sleep(time.Hour)
		log.Write(t.Context(), "SELECT a", time.Second)
		var got []string
		for line := range strings.Lines(out.String()) {
			_, rest, _ := strings.Cut(strings.TrimSpace(line), "statement\" ")
			got = append(got, rest)
		}
		want := []string{`took=0s shape="SELECT a"`, `took=1s shape="SELECT b"`, `took=1s more=499 longest=499ms shape="SELECT a"`, `took=1s shape="SELECT a"`}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
