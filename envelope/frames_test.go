package envelope

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade/kiterror"
)

// A request frame and both frames that can answer it.
func Example_frames() {
	request := AppendRequest(nil, 7, "post.findById", func(dst []byte) []byte {
		return append(dst, `{"params":{"id":"p1"}}`...)
	})
	fmt.Printf("%s\n", request)

	read, _ := readRequest(request)
	result := appendResult(nil, read.ID, func(dst []byte) []byte { return append(dst, `{"id":"p1"}`...) })
	failure := appendFailure(nil, read.ID, &failure{Code: callFailed, Err: kiterror.Errorf(kiterror.NotFound, "there is no such post")})
	for _, frame := range [][]byte{result, failure} {
		response, ok := ReadResponse(frame, nil)
		fmt.Println(ok, response.Answers(7), string(response.Result), response.Code, response.Err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":7,"method":"post.findById","params":{"params":{"id":"p1"}}}
	// true true {"id":"p1"} 0 <nil>
	// true true  -32000 NOT_FOUND: there is no such post
}

// TestReadRequest: on failure the id is the one to answer with.
func TestReadRequest(t *testing.T) {
	for _, c := range []struct{ name, frame, id, method, says string }{
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"a.b"}`, `1`, "a.b", ""},
		{"a notification", `{"jsonrpc":"2.0","method":"a.b"}`, ``, "a.b", ""},
		{"an id of null", `{"jsonrpc":"2.0","id":null,"method":"a.b"}`, `null`, "a.b", ""},
		{"no object", `[]`, `null`, "", "a frame is an object"},
		{"another version", `{"jsonrpc":"1.0","id":"x","method":"a.b"}`, `"x"`, "", "jsonrpc"},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"a.b"}`, `null`, "", "the id is neither"},
		{"a misspelt member", `{"jsonrpc":"2.0","id":1,"method":"a.b","parms":{}}`, `1`, "", `no member "parms"`},
	} {
		r, failure := readRequest(json.RawMessage(c.frame))
		if string(r.ID) != c.id || r.Method != c.method {
			t.Errorf("%s: id %s, method %q", c.name, r.ID, r.Method)
		}
		if (failure == nil) != (c.says == "") || failure != nil && (failure.Code != InvalidRequest || !strings.Contains(failure.Err.Message, c.says)) {
			t.Errorf("%s: %+v, want %q", c.name, failure, c.says)
		}
	}
}

// TestReadResponse: a failure is read as the KitError it was, or by its integer.
func TestReadResponse(t *testing.T) {
	for _, c := range []struct {
		name, frame string
		want        string // the failure, the result, or "" for what is no frame
	}{
		{"a result", `{"jsonrpc":"2.0","id":1,"result":[1]}`, `[1]`},
		{"a result and an error of null", `{"jsonrpc":"2.0","id":1,"result":1,"error":null}`, `1`},
		{"a KitError", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"m","data":{"code":"LOCKED","message":"m"}}}`, `LOCKED: m`},
		{"an integer alone", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown"}}`, `NOT_FOUND: unknown`},
		{"neither", `{"jsonrpc":"2.0","id":1}`, ``},
		{"both", `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":-32000,"message":"m"}}`, ``},
		{"no id", `{"jsonrpc":"2.0","result":1}`, ``},
		{"no JSON-RPC", `{"a":1}`, ``},
	} {
		r, ok := ReadResponse(json.RawMessage(c.frame), nil)
		got := string(r.Result)
		if r.Err != nil {
			got = r.Err.Error()
		}
		if !ok {
			got = ""
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
