package files

import (
	"log/slog"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// TestAddressEnds: an address ends after its minutes, at each gateway over the same bytes, and one of other bytes
// is not taken.
func TestAddressEnds(t *testing.T) {
	open := func(url string) *Files {
		s, err := Open(url, LinkedBuckets, &Config{}, nil, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	folder := "file://" + t.TempDir()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	address, expires, err := open(folder).Address(t.Context(), &facade.File{ID: "f"}, nil, now)
	if err != nil || !expires.Equal(now.Add(addressTime)) {
		t.Fatalf("the address is %q until %v, %v", address, expires, err)
	}
	const refused = "the file's address is not signed here; request a new one with ?address=true"
	for name, c := range map[string]struct {
		url, address string
		code         kiterror.Code
		message      string
	}{
		"late":           {folder, address, kiterror.Gone, "the address of the file ended at 2026-01-01T12:05:00Z; request a new one with ?address=true"},
		"of other bytes": {"mem://", address, kiterror.Forbidden, refused},
		"changed":        {folder, "e30" + address[3:], kiterror.Forbidden, refused},
		"none":           {folder, ".", kiterror.Forbidden, refused},
	} {
		_, _, err := open(c.url).Addressed(t.Context(), c.address, expires)
		if kiterror.CodeOf(err) != c.code || err.Error() != string(c.code)+": "+c.message {
			t.Errorf("%s: %v, want %s: %s", name, err, c.code, c.message)
		}
	}
}
