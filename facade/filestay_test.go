package facade_test

import (
	"context"
	"slices"
	"testing"
	"time"
)

// TestFilesStayForBackups: the bytes of replaced and deleted files stay for the time that is set, and those of files
// that no row has had do not.
func TestFilesStayForBackups(t *testing.T) {
	f, now := filed(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	replaced, deleted, free := send(t, f), send(t, f), ""
	must(calls(f, "label", "create", "", "", `{"id":"s"}`))
	must(calls(f, "album", "create", "", "", `{"id":"a","labelId":"s","cover":"`+replaced+`"}`))
	must(calls(f, "album", "create", "", "", `{"id":"b","labelId":"s","cover":"`+deleted+`"}`))
	must(calls(f, "album", "update", `{"id":"a"}`, "", `{"cover":"`+send(t, f)+`"}`))
	must(calls(f, "album", "delete", `{"id":"b"}`, "", ""))
	sweep := func(after time.Duration, want ...string) {
		t.Helper()
		*now = now.Add(after)
		var removed []string
		_, err := f.SweepFiles(t.Context(), "", 24*time.Hour, func(_ context.Context, id string) error {
			removed = append(removed, id)
			return nil
		})
		if must(err); !slices.Equal(removed, want) {
			t.Errorf("a sweep removes %q, want %q", removed, want)
		}
	}
	sweep(0)
	free = send(t, f)
	sweep(time.Hour)
	sweep(time.Second, free)
	sweep(22*time.Hour, free)
	sweep(time.Hour-time.Second, replaced, deleted)
	sweep(time.Minute, replaced, deleted) // what was written meanwhile
	sweep(10*time.Minute, replaced, deleted)
	sweep(time.Second)
}
