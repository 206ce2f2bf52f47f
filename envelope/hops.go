package envelope

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/frondhost/frond/facade/kiterror"
)

// HopsHeader carries the number of hosts that a call has passed. A host that sends calls on to others adds itself, so that hosts
// that name one another in remotes end a call instead of sending it round for ever (docs/remotes.md).
const HopsHeader = "X-Kit-Hops"

// maxHops is how many hosts a call passes at most.
const maxHops = 8

type hopsKey struct{}

// CountHops counts a host that sends calls on to others: requests that next makes know how many hosts the call has passed.
func CountHops(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before, _ := strconv.ParseUint(r.Header.Get(HopsHeader), 10, 16)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), hopsKey{}, int(before)+1)))
	})
}

// HopsOf returns how many hosts the call of a context has passed, this one included; 0: it began here.
func HopsOf(ctx context.Context) int {
	n, _ := ctx.Value(hopsKey{}).(int)
	return n
}

// CheckHops returns BAD_GATEWAY for a call that has passed more than [maxHops] hosts. frond is its next place.
func CheckHops(ctx context.Context, frond string) *kiterror.Error {
	if HopsOf(ctx) <= maxHops {
		return nil
	}
	return kiterror.Errorf(kiterror.BadGateway, "%s", fmt.Sprintf("the call has passed %d hosts and is no nearer to %s: hosts name one another under remotes, or access rules ask one another; correct the address of %[2]s", maxHops, frond))
}
