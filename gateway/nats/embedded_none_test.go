//go:build nonats

package nats

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway/publish"
)

// TestWithoutServer: a program without the embedded NATS server refuses the setting, and says what to
// write.
func TestWithoutServer(t *testing.T) {
	_, faults := Facts.Plan(&publish.NATS{URL: publish.EmbeddedURL, Listen: publish.DefaultListen, Folder: publish.DefaultFolder}, nil, nil, &publish.Options{})
	if len(faults) != 1 || !strings.Contains(faults[0].Message, "nonats") || !strings.Contains(faults[0].Remedy, "facts.nats") {
		t.Errorf("%v", faults)
	}
}
