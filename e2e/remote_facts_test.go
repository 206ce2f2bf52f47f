package e2e_test

import (
	"bufio"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/schema/jsontext"
)

// TestShippingAnnounces: what a Frond in Python announces reaches a subscriber of the gateway's
// REST, whose stream stays while the Frond is killed and started again.
func TestShippingAnnounces(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "shipping.db")
	there := startShipping(t, "0", "--file", file)
	shop := startGateway(t, shopDir, "--remote", "shipping="+there.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, shop.URL+"/api/shipping/facts/parcelDispatched?fields=id,carrier", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	lines := bufio.NewScanner(resp.Body)
	wire := envelopeWire{shop.URL}
	dispatch := func(id, row string) {
		t.Helper()
		if got, _ := wire.do(t, call{Method: "parcel.dispatch", Params: `{"id":"` + id + `"}`, User: staff}); got.Err != nil {
			t.Fatalf("%s: %+v", id, got.Err)
		}
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if got := string(jsontext.Get([]byte(data), "data")); got != row {
					t.Fatalf("the event is %s, want the row %s", data, row)
				}
				return
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
	}
	dispatch("p-2", `{"id":"p-2","carrier":"courier"}`)
	there.kill()
	startShipping(t, there.port(), "--file", file)
	var id string
	recovered(t, func() bool { // the breaker may have opened meanwhile
		made, _ := wire.do(t, call{Method: "parcel.create", Body: `{"orderId":"o-24104","carrier":"bicycle","weight":500}`, User: staff})
		row, ok := made.Value.(map[string]any)
		if ok {
			id = row["id"].(string)
		}
		return ok
	})
	dispatch(id, `{"id":"`+id+`","carrier":"bicycle"}`)
}
