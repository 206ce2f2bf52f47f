package gateway_test

import (
	"os"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestSettingsAreDocumented holds the pages to the table of settings: every key
// stands in one of them whole or as the key of a map, and every default of the gateway's page
// is the table's.
func TestSettingsAreDocumented(t *testing.T) {
	var pages string
	for _, file := range []string{"../docs/gateway.md", "../docs/identity.md", "../docs/webhooks.md", "../docs/nats.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages += string(text)
	}
	for _, s := range gateway.Settings() {
		last := s.Key[strings.LastIndex(s.Key, ".")+1:]
		if !strings.Contains(pages, "`"+s.Key+"`") && !strings.Contains(pages, "`"+last+"`") && !strings.Contains(pages, " "+last+":") {
			t.Errorf("%s stands in none of the pages", s.Key)
		}
		for line := range strings.Lines(pages) {
			if rest, is := strings.CutPrefix(line, "| `"+s.Key+"` | "); is && !strings.HasPrefix(rest, "`"+s.Default+"`") {
				t.Errorf("the page says of %s: %s; its default is %q", s.Key, strings.TrimSpace(rest), s.Default)
			}
		}
	}
}
