package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// TestInjectedFaults: calls take as long as --latency says, and as many fail as --fail says.
// A call that a call makes is left alone.
func TestInjectedFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mocked{seed: 1, latency: "50ms..200ms", fail: 0.25}
		faults, err := m.faults()
		if err != nil {
			t.Fatal(err)
		}
		var caller facade.Caller
		caller = faults.middleware(facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			if c.Operation == "outer" {
				return caller.Call(ctx, &facade.Call{Entity: "product", Operation: "inner"})
			}
			return &facade.Result{}, nil
		}))
		failed, least, most := 0, time.Hour, time.Duration(0)
		for range 400 {
			began := time.Now()
			_, err := caller.Call(t.Context(), &facade.Call{Entity: "product", Operation: "outer"})
			took := time.Since(began)
			least, most = min(least, took), max(most, took)
			if err == nil {
				continue
			}
			failed++
			if e := kiterror.AsError(err); e.Code != kiterror.ServiceUnavailable || e.Entity != "product" || e.Operation != "outer" {
				t.Fatalf("a call failed as %+v", e)
			}
		}
		if least < 50*time.Millisecond || most > 200*time.Millisecond || most-least < 100*time.Millisecond {
			t.Errorf("calls take %s to %s, want 50ms to 200ms", least, most)
		}
		if failed < 70 || failed > 130 {
			t.Errorf("%d of 400 calls fail, want about 100", failed)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := caller.Call(ctx, &facade.Call{Entity: "product", Operation: "outer"}); kiterror.CodeOf(err) == kiterror.ServiceUnavailable || err == nil {
			t.Errorf("a caller who is gone is answered with %v", err)
		}
	})
}
