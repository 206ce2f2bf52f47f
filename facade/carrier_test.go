package facade_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// TestRemoteWithoutAClient: a Frond that runs elsewhere, to which nobody carries calls
// yet, answers that it cannot be reached.
func TestRemoteWithoutAClient(t *testing.T) {
	p := storetest.Project(t)
	for _, f := range p.Fronds {
		f.Remote = "http://127.0.0.1:1"
	}
	f, err := facade.New(storetest.Compiled(t, p), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"post.list", "author.delete"} {
		params := ""
		if method == "author.delete" {
			params = `{"id":"x"}`
		}
		_, failed := do(t, f, method, params, "", "")
		if kiterror.CodeOf(failed) != kiterror.ServiceUnavailable || !strings.Contains(failed.Message, "runs elsewhere") {
			t.Errorf("%s: %v", method, failed)
		}
	}
}
