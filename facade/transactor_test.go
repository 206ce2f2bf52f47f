package facade_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// TestRetryPauses: a conflict is tried 32 times, and the pauses between are short.
func TestRetryPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conflict := errors.New("conflict")
		is := func(err error) bool { return errors.Is(err, conflict) }
		runs := 0
		began := time.Now()
		err := facade.Retry(t.Context(), is, func(run int) error { runs = run; return conflict })
		details, _ := kiterror.AsError(err).Details.(map[string]any)
		if took := time.Since(began); runs != 32 || kiterror.CodeOf(err) != kiterror.Conflict || details["retryable"] != true || !is(err) || took > 476*time.Millisecond {
			t.Errorf("%d runs in %s: %v, %v", runs, took, err, details)
		}
		if err := facade.Retry(t.Context(), is, func(run int) error {
			if runs = run; run < 3 {
				return conflict
			}
			return nil
		}); err != nil || runs != 3 {
			t.Errorf("%d runs: %v", runs, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := facade.Retry(ctx, is, func(int) error { cancel(); return conflict }); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who left: %v", err)
		}
	})
}
