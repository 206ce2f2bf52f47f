package envelope

import (
	"errors"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// refusal is the answer to a request without a frame: an HTTP status, and as its body a failure
// frame with a null id, which a client of frames can read. Status 0: the client is gone, and no
// answer is written.
type refusal struct {
	status int
	allow  string
	err    *kiterror.Error
}

// overBudget is the refusal of a request beyond the budget.
func overBudget(err error) *refusal {
	e := kiterror.AsError(err)
	return &refusal{status: e.Code.Status(), err: e}
}

// refuse is a refusal with the message of a format.
func refuse(status int, code kiterror.Code, format string, args ...any) *refusal {
	return &refusal{status: status, err: kiterror.Errorf(code, format, args...)}
}

// write writes the refusal as the answer.
func (f *refusal) write(w http.ResponseWriter) {
	if f.status == 0 {
		return
	}
	if f.allow != "" {
		w.Header().Set("Allow", f.allow)
	}
	if after := f.err.RetryAfter(); after != "" {
		w.Header().Set("Retry-After", after)
	}
	if f.status == http.StatusNoContent {
		w.WriteHeader(f.status)
		return
	}
	writeFrames(w, f.status, appendFailure(nil, nullID, &failure{Code: InvalidRequest, Err: f.err}))
}

// Refuse answers a request of which no frame was read: a failure frame whose id is null,
// under the HTTP status. It is for middleware in front of a [Handler]. err must not be nil.
func Refuse(w http.ResponseWriter, status int, err *kiterror.Error) {
	(&refusal{status: status, err: err}).write(w)
}

// readBody reads the body of a request that may hold frames, at most limit bytes charged to
// account, or returns why it may not.
//
//	another path                       404 NOT_FOUND
//	another verb                       405 METHOD_NOT_ALLOWED, with Allow; OPTIONS is 204
//	another type, or compressed        415 BAD_REQUEST
//	more than limit                    413 PAYLOAD_TOO_LARGE
//	slower than the server waits       408 REQUEST_TIMEOUT
//	no room in the budget              the code of the account, with Retry-After
//	the client disconnected            no answer
func readBody(w http.ResponseWriter, r *http.Request, limit int64, account *budget.Account) ([]byte, *refusal) {
	const send = "send a JSON-RPC 2.0 frame with POST to " + Path + " as application/json"
	if !strings.HasSuffix(r.URL.Path, Path) {
		return nil, refuse(http.StatusNotFound, kiterror.NotFound, "no route here; %s", send)
	}
	switch r.Method {
	case http.MethodPost:
	case http.MethodOptions:
		return nil, &refusal{status: http.StatusNoContent, allow: "POST, OPTIONS"}
	default:
		f := refuse(http.StatusMethodNotAllowed, kiterror.MethodNotAllowed, "%s is not served here; %s", verb(r.Method), send)
		f.allow = "POST, OPTIONS"
		return nil, f
	}
	// A form can send neither media type nor encoding, so no other site's page can make a browser call.
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, refuse(http.StatusUnsupportedMediaType, kiterror.BadRequest,
			"the Content-Type is not application/json in UTF-8; %s", send)
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		w.Header().Set("Accept-Encoding", "identity") // RFC 9110, section 15.5.16
		return nil, refuse(http.StatusUnsupportedMediaType, kiterror.BadRequest,
			"the body is compressed; send it without a Content-Encoding")
	}
	if r.URL.RawQuery != "" { // a word that is lost may decide whether a call writes
		for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
			return nil, refuse(http.StatusBadRequest, kiterror.BadRequest, "the address has the parameter %s, and none is known here; send query in the params of the frame", schema.Quoted(name))
		}
	}
	body, err := account.ReadAll(r.Body, r.ContentLength, limit)
	if err != nil {
		var slow net.Error
		var refused *kiterror.Error
		switch {
		case errors.As(err, &refused):
			w.Header().Set("Connection", "close") // the rest of the body is not drained
			return nil, overBudget(refused)
		case errors.As(err, &slow) && slow.Timeout():
			return nil, refuse(http.StatusRequestTimeout, kiterror.RequestTimeout, "the body did not arrive in time; send it again")
		case errors.Is(err, io.ErrUnexpectedEOF) || r.Context().Err() != nil:
			return nil, &refusal{}
		}
		return nil, refuse(http.StatusBadRequest, kiterror.BadRequest, "the body could not be read; send it again")
	}
	return body, nil
}

// verb is an HTTP method for a message; an unusual one is not echoed.
func verb(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return method
	}
	return "this verb"
}

// isJSON says whether a media type is application/json in UTF-8.
func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" {
		return false
	}
	charset, named := params["charset"]
	return !named || strings.EqualFold(charset, "utf-8")
}

// jsonType is shared by all answers, so that it is not allocated for each.
var jsonType = []string{"application/json"}

// writeFrames writes frames as the answer to a request.
func writeFrames(w http.ResponseWriter, status int, text []byte) {
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Content-Length"] = []string{strconv.Itoa(len(text))}
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone, which is not a failure of the host
}
