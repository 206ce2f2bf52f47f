package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestTheConversationOfThePage: a host that answers as docs/remotes.md shows is served, and is
// sent the frames that the page shows.
func TestTheConversationOfThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "remotes.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "### A whole conversation")
	text, _, _ = strings.Cut(text, "\n### ")
	host := &foreignHost{answers: map[string]func(invoked) any{}}
	asked := map[string]any{} // by method
	methods := map[float64]string{}
	for i, block := range strings.Split(text, "```") {
		if i%2 == 0 {
			continue
		}
		for frames := json.NewDecoder(strings.NewReader(block[strings.IndexByte(block, '{'):])); frames.More(); {
			var frame struct {
				ID     float64
				Method string
				Params json.RawMessage
				Result json.RawMessage
				Error  *struct{ Data *kitError }
			}
			if err := frames.Decode(&frame); err != nil {
				t.Fatalf("%v in %s", err, block)
			}
			switch method := methods[frame.ID]; {
			case frame.Method != "":
				methods[frame.ID] = frame.Method
				if frame.Params != nil {
					asked[frame.Method] = decode(t, frame.Params)
				}
			case method == "rpc.discover":
				host.document = string(frame.Result)
			case frame.Error != nil:
				host.answers[method] = func(invoked) any { return frame.Error.Data }
			default:
				host.answers[method] = always(string(frame.Result))
			}
		}
	}
	if host.document == "" || len(host.answers) != 2 {
		t.Fatalf("the page has a document of %d bytes, and answers to %d methods", len(host.document), len(host.answers))
	}
	url, _, _ := housed(t, nil, map[string]gateway.Remote{"shipping": {URL: served(t, host)}})
	inquiry{
		rest: `GET /api/shipping/parcels?limit=2&filter={"orderId":{"eq":"o-1"},"weight":{"in":[310,6400]}}`,
		want: `{"items":[{"id":"p-1","orderId":"o-1","weight":6400},{"id":"p-2","orderId":"o-1","weight":310}],"total":2,"hasMore":false,"endCursor":null}`,
	}.check(t, url)
	query, _ := json.Marshal(asked["parcel.list"].(map[string]any)["query"])
	if got := host.asked(); !strings.Contains(got, `"query":`+string(query)) {
		t.Errorf("the host was asked %s, and the page says %s", got, query)
	}
	inquiry{method: `parcel.create {"body":{"orderId":"o-1","weight":90}}`, want: `CONFLICT`}.check(t, url)
}
