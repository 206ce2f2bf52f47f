package files

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Given are the files of rows as gateways get them ([envelope.FilesPath]). The rights are the rows' rights, for the
// caller whose state a request has. Files of a Frond that runs elsewhere come from there, under the rights there
// and here.
type Given struct {
	Files    rest.Files
	Facade   *facade.Facade
	Served   *catalog.Catalog // the doors of the rows
	Caller   facade.Caller
	Verifier *signing.Verifier // a request is for the Frond that it is signed for; nil: the state of requests is believed, and there is one Frond
	Budget   *budget.Budget    // nil: no bound
	Log      *slog.Logger
}

// The bounds of a request.
const (
	maxIDs     = 1000
	maxToken   = 64 << 10
	answerTime = 30 * time.Second // without the bytes; for these, it is that of each part
)

// ServeHTTP answers one request. A refusal is a failure frame without an id, as for the path of calls.
func (g *Given) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := &givenRequest{Given: g, w: w, r: r, signed: signing.Request{Method: r.Method, Path: envelope.FilesPath, Query: r.URL.RawQuery}}
	if err := q.serve(); err != nil { //nolint:contextcheck // q has it
		e := kiterror.Report(r.Context(), g.Log, err, r.Header.Get("Traceparent"))
		if challenge := e.Challenge(); challenge != "" {
			w.Header().Set("WWW-Authenticate", challenge)
		}
		if r.Method == http.MethodPost {
			w.Header().Set("Connection", "close") // the rest of the body is not drained
		}
		envelope.Refuse(w, e.Code.Status(), e)
	}
}

// givenRequest is one request.
type givenRequest struct {
	*Given
	w      http.ResponseWriter
	r      *http.Request
	signed signing.Request
	state  access.State
	frond  *catalog.Frond
	files  rest.FrondFiles // of frond, for the caller
}

func (q *givenRequest) serve() error {
	switch q.r.Method {
	case http.MethodGet, http.MethodPost, http.MethodDelete:
	default:
		const allow = "GET, POST, DELETE"
		q.w.Header().Set("Allow", allow)
		return kiterror.Errorf(kiterror.MethodNotAllowed, "this path is served under %s", allow)
	}
	if err := q.identify(); err != nil {
		return err
	}
	q.files = q.Files.Of(q.frond, q.state)
	query, err := url.ParseQuery(q.r.URL.RawQuery)
	if err != nil {
		return kiterror.Errorf(kiterror.BadRequest, "the query string is not percent-encoded UTF-8; encode every %% as %%25")
	}
	switch id := query.Get("id"); {
	case q.r.Method == http.MethodPost:
		return q.receive(strings.Split(query.Get("fields"), ","))
	case q.r.Method == http.MethodDelete:
		q.files.Drop(q.r.Context(), id)
		q.w.WriteHeader(http.StatusNoContent)
		return nil
	case query.Has("ids"):
		return q.describe(strings.Split(query.Get("ids"), ","))
	default:
		return q.send(id, query.Get("size"))
	}
}

// identify reads the Frond and the caller's state: the signed ones, or without a verifier the state of the
// header.
func (q *givenRequest) identify() error {
	if q.Verifier != nil {
		call, err := q.Verifier.VerifyRequest(q.signed, q.r.Header.Get("Authorization"))
		if err != nil {
			return err
		}
		q.state = call.State
		q.state["caller"] = call.Caller
		for _, frond := range q.Served.Fronds {
			if frond.Name == call.Frond {
				q.frond = frond
				return nil
			}
		}
		return kiterror.Errorf(kiterror.NotFound, "the files of %s are not given here", schema.Quoted(call.Frond))
	}
	q.frond = q.Served.Fronds[0]
	text, err := base64.RawURLEncoding.DecodeString(q.r.Header.Get(envelope.StateHeader))
	if err == nil && len(text) > 0 {
		if err = jsontext.Check(text); err == nil {
			err = json.Unmarshal(text, &q.state)
		}
	}
	if err != nil {
		return kiterror.Errorf(kiterror.BadRequest, "the header %s is not a state; send a JSON object in base64url", envelope.StateHeader)
	}
	return nil
}

// readable describes the files that the caller may read.
func (q *givenRequest) readable(ids []string) (map[string]*facade.File, error) {
	if len(ids) > maxIDs {
		return nil, kiterror.Errorf(kiterror.PayloadTooLarge, "a request names at most %d files; send several", maxIDs)
	}
	ctx, end, err := q.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	found, err := q.files.Find(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, file := range found {
		if file.Row == nil {
			return nil, kiterror.Errorf(kiterror.BadGateway, "the host of %s describes files without their rows; run a newer version there", q.frond.Name)
		}
	}
	return q.Facade.ReadableFiles(ctx, q.frond, q.Caller, q.state, found)
}

// begin opens the account of calls and starts their time; end ends both.
func (q *givenRequest) begin() (ctx context.Context, end func(), err error) {
	ctx, cancel := context.WithTimeout(q.r.Context(), answerTime)
	ctx, account, err := q.Budget.Open(ctx)
	if err == nil {
		err = account.Begin()
	}
	end = func() {
		account.Close()
		cancel()
	}
	if err != nil {
		end()
	}
	return ctx, end, err
}

// describe answers with the descriptions of files.
func (q *givenRequest) describe(ids []string) error {
	found, err := q.readable(ids)
	if err != nil {
		return err
	}
	answer := struct {
		Files []*facade.File `json:"files"`
	}{Files: []*facade.File{}}
	for _, file := range found {
		answer.Files = append(answer.Files, file)
	}
	return q.answer(http.StatusOK, answer)
}

// answer sends a value as JSON.
func (q *givenRequest) answer(status int, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	q.w.Header().Set("Content-Type", "application/json")
	q.w.Header().Set("Cache-Control", "no-store")
	q.w.WriteHeader(status)
	_, _ = q.w.Write(text) // the client may be gone
	return nil
}

// send sends the bytes of a file, or the requested ranges of them.
func (q *givenRequest) send(id, name string) error {
	found, err := q.readable([]string{id})
	if err != nil {
		return err
	}
	file := found[id]
	if file == nil {
		return kiterror.Errorf(kiterror.NotFound, "there is no file with this id")
	}
	var size *catalog.FileSize
	if name != "" {
		known, ok := file.Field.Size(name)
		if !ok || !catalog.IsImage(file.Type) {
			return kiterror.Errorf(kiterror.NotFound, "the file has no size %s", schema.Quoted(name))
		}
		size = &known
	}
	bytes, media, err := q.files.Open(q.r.Context(), file, size)
	if err != nil {
		return err
	}
	defer func() { _ = bytes.Close() }()
	q.w.Header().Set("Content-Type", media)
	q.w.Header().Set("Cache-Control", "no-store, no-transform")
	http.ServeContent(q.w, q.r, "", file.Made, bytes)
	return nil
}

// receive keeps the file of a form.
func (q *givenRequest) receive(fields []string) error {
	ctx, end, err := q.begin()
	if err != nil {
		return err
	}
	takes, err := q.Files.Allowed(ctx, q.state)
	end()
	takes = slices.DeleteFunc(takes, func(f *catalog.File) bool {
		return f.Door.Frond.Name != q.frond.Name || !slices.Contains(fields, f.Door.Name+"."+f.Field.Name)
	})
	if err == nil && len(takes) == 0 {
		err = kiterror.Errorf(kiterror.Forbidden, "you may write no files of these fields")
	}
	if err != nil {
		return err
	}
	parts, err := q.r.MultipartReader()
	if err != nil {
		return errForm()
	}
	part, err := parts.NextPart()
	if err != nil || part.FormName() != envelope.PartFile {
		return errForm()
	}
	in := &facade.IncomingFile{Name: part.FileName(), Type: part.Header.Get("Content-Type"), Body: rest.Arriving(q.w, part, answerTime), Takes: takes}
	if q.Verifier != nil {
		in.Whole = func(sum string) error {
			part, err := parts.NextPart()
			if err != nil || part.FormName() != envelope.PartIdentity {
				return errForm()
			}
			token, err := io.ReadAll(io.LimitReader(rest.Arriving(q.w, part, answerTime), maxToken))
			if err != nil {
				return arrival(err)
			}
			whole := q.signed
			whole.SHA256 = sum
			if _, refused := q.Verifier.VerifyRequest(whole, string(token)); refused != nil {
				return refused
			}
			return nil
		}
	}
	file, err := q.files.Receive(q.r.Context(), in)
	if err != nil {
		return err
	}
	return q.answer(http.StatusCreated, file)
}

// errForm is the error of a form without its parts.
func errForm() error {
	return kiterror.Errorf(kiterror.BadRequest, "the form cannot be read; send the parts %s and %s", envelope.PartFile, envelope.PartIdentity)
}
