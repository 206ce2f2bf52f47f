package conform

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/schema/jsontext"
)

// most is how many bytes of an answer are read, and shown how many are printed.
const (
	most  = 16 << 20
	shown = 500
)

// host is the host under test.
type host struct {
	base   string
	header http.Header
	signer *signing.Signer // nil: calls are not signed
	frond  string          // that signatures are for
	state  json.RawMessage // of the caller; nil: none
	client *http.Client
	sent   string // the last request, and its answer
	got    string
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
	frame
}

// frame is an answer to one frame.
type frame struct {
	Version json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// denied reports whether an answer refuses the caller.
func (a *answer) denied() bool {
	if a.Error == nil {
		return false
	}
	code := jsontext.Unquote(jsontext.Get(a.Error.Data, "code"))
	return code == "UNAUTHORIZED" || code == "FORBIDDEN"
}

// call sends a frame of an operation. in is the text of the invocation without state; "" is {}.
func (h *host) call(ctx context.Context, method, in string) (*answer, error) {
	params := []byte("{")
	if in != "" {
		params = append(params, strings.TrimSuffix(strings.TrimSpace(in), "}")...)[1:]
		if len(bytes.TrimSpace(params)) > 1 && h.state != nil && h.signer == nil {
			params = append(params, ',')
		}
	}
	if h.state != nil && h.signer == nil {
		params = append(append(params, `"state":`...), h.state...)
	}
	return h.post(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":"conform-1","method":%s,"params":%s}`, jsontext.Quote(method), append(params, '}')))
}

// post sends a body to the path of calls.
func (h *host) post(ctx context.Context, body string) (*answer, error) {
	text := []byte(body)
	if h.signer != nil && jsontext.Check(text) == nil {
		if sealed, err := h.signer.Seal(text, h.frond, h.state); err == nil {
			text = sealed.Post()
		}
	}
	return h.request(ctx, http.MethodPost, envelope.Path, body, text)
}

// get requests a path beside calls, for the caller of the calls. A signed request has a token for its line.
func (h *host) get(ctx context.Context, path string) (*answer, error) {
	header := h.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if h.signer != nil {
		token, err := h.tokenFor(path)
		if err != nil {
			return nil, err
		}
		header.Set("Authorization", token)
	} else if h.state != nil {
		header.Set(envelope.StateHeader, base64.RawURLEncoding.EncodeToString(h.state))
	}
	return h.requestWith(ctx, header, http.MethodGet, path, "GET "+path, nil)
}

// tokenFor is the header Authorization of a GET of a path.
func (h *host) tokenFor(path string) (string, error) {
	bare, query, _ := strings.Cut(path, "?")
	token, err := h.signer.Authorize(signing.Request{Method: http.MethodGet, Path: bare, Query: query}, h.frond, h.state)
	if err != nil {
		return "", err
	}
	return token, nil
}

func (h *host) request(ctx context.Context, method, path, say string, body []byte) (*answer, error) {
	return h.requestWith(ctx, h.header.Clone(), method, path, say, body)
}

func (h *host) requestWith(ctx context.Context, header http.Header, method, path, say string, body []byte) (*answer, error) {
	h.sent, h.got = say, ""
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, h.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	res, err := h.client.Do(req)
	if err != nil {
		h.got = err.Error()
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	a := &answer{status: res.StatusCode, header: res.Header}
	a.body, err = io.ReadAll(io.LimitReader(res.Body, most))
	h.got = fmt.Sprintf("%d %s", res.StatusCode, a.body)
	_ = json.Unmarshal(a.body, &a.frame)
	return a, err
}

// cut is a text for the report.
func cut(text string) string {
	if len(text) <= shown {
		return text
	}
	return strings.ToValidUTF8(text[:shown], "") + fmt.Sprintf("… (%d bytes)", len(text))
}
