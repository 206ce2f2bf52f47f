package client_test

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// TestTableOfFailures holds the table in docs/remotes.md to the one in the code, row by row.
func TestTableOfFailures(t *testing.T) {
	text, err := os.ReadFile("../../docs/remotes.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.Contains(cells[2], "`") {
			continue
		}
		row := strings.Trim(cells[2], " `")
		for _, cell := range cells[3:6] {
			word, _, _ := strings.Cut(strings.TrimSpace(cell), ",")
			row += " " + word
		}
		rows = append(rows, row)
	}
	if diff := cmp.Diff(client.Outcomes(), rows); diff != "" {
		t.Errorf("(-code +docs):\n%s", diff)
	}
}

// TestHalfASurrogatePair: an answer with half a character is none, for two ids could
// be one in it; the log learns what was wrong with it.
func TestHalfASurrogatePair(t *testing.T) {
	for _, text := range []string{`"\ud800"`, `{"\udc00":1}`, "\"\xed\xa0\x80\""} {
		r := remote(t, "http://host", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			return answered(r, 200, `{"jsonrpc":"2.0","id":%d,"result":`+text+`}`)
		})})
		_, err := r.Call(t.Context(), change)
		var at *jsontext.Error
		if kiterror.AsError(err).Code != kiterror.BadGateway || !errors.As(err, &at) || strings.Contains(err.Error(), at.Message) {
			t.Errorf("%s: %v, want BAD_GATEWAY that keeps for the log what is wrong with the text", text, err)
		}
	}
}
