package client_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
)

// TestKindsOfADocumentWithoutThem: where a host's document gives no kind, the name says
// what is sent again: queries are, commands are not.
func TestKindsOfADocumentWithoutThem(t *testing.T) {
	const document = `{"x-kit-version":1,"fronds":[{"name":"press","doors":[{"name":"post","ops":[
		{"name":"findOne"},{"name":"finder"},{"name":"publish"},{"name":"getRid","kind":"command"},{"name":"peek","kind":"query"}]}]}]}`
	for operation, again := range map[string]bool{"findOne": true, "finder": false, "publish": false, "getRid": false, "peek": true, "listAll": true, "rename": false} {
		synctest.Test(t, func(t *testing.T) {
			posts := 0
			r := remote(t, "http://host", &client.Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
				if r.Body != nil && posts == 0 {
					posts++
					return answered(r, 200, `{"jsonrpc":"2.0","id":%d,"result":`+document+`}`)
				}
				posts++
				_, _ = answered(r, 200, "") // the whole request was taken
				return nil, errors.New("the connection ended")
			})})
			if _, err := r.Discover(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err := r.Call(t.Context(), &facade.Call{Entity: "post", Operation: operation})
			if got := posts > 2; err == nil || got != again {
				t.Errorf("%s: sent %d times (%v), want it sent again: %v", operation, posts-1, err, again)
			}
		})
	}
}
