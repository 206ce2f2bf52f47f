package facade_test

import (
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// TestShareOf: a part of a request has a bound of its own, and its work counts for the request.
func TestShareOf(t *testing.T) {
	ctx := facade.WithRequest(t.Context(), "ann", time.Minute)
	share := facade.ShareOf(ctx, time.Second)
	if err := facade.RequestOf(share).Spend(2 * time.Second); kiterror.CodeOf(err) != kiterror.UnprocessableEntity {
		t.Error(err)
	}
	if rest, err := facade.RequestOf(ctx).Remaining(0); err != nil || rest != 58*time.Second {
		t.Error(rest, err)
	}
	if caller, _ := facade.RequestOf(share).Shares(); caller != "ann" {
		t.Error(caller)
	}
}
