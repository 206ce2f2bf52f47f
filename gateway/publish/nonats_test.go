//go:build nonats

package publish

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/catalog"
)

// TestWithoutServer: a program without the embedded NATS server refuses the setting, and says what to
// write.
func TestWithoutServer(t *testing.T) {
	var p Publisher
	faults := p.planNATS(&NATS{URL: embeddedURL, Listen: defaultListen, Folder: defaultFolder}, &catalog.Catalog{}, Options{})
	if len(faults) != 1 || !strings.Contains(faults[0].Message, "nonats") || !strings.Contains(faults[0].Remedy, "facts.nats") {
		t.Errorf("%v", faults)
	}
}
