package rest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Files of rows (docs/files.md). The rights on the row and on its field apply: each request is made of
// calls of findById and update.
//
//	GET     /api/catalog/products/{id}/image?size=thumb    findById, then the bytes
//	GET     /api/catalog/products/{id}/image?address=true  an address that takes no credentials, which is
//	GET     /api/files/ADDRESS
//	PUT     /api/catalog/products/{id}/image               the bytes, then update
//	DELETE  /api/catalog/products/{id}/image               update
//	POST    /api/files?field=product.image                 the bytes; a row may take them within an hour
//	POST    /api/files?field=…&size=9&sha256=…             an address for the bytes, then
//	POST    /api/files?sent=ID                             their check
//
// create and update take multipart/form-data too: body as JSON, and files under the names of fields.

// filesPath is the path of files without a row, below the base.
const filesPath = "/files"

// fileRequest is a request about files.
type fileRequest struct {
	on    *exchange
	files FrondFiles
	field *catalog.File // of a row; nil: no row has the file yet
}

// serveFiles answers POST /api/files: a file by itself, or the one part of a form.
func (x *fileRequest) serveFiles() error {
	const allow = http.MethodPost + ", " + http.MethodOptions
	switch x.on.r.Method {
	case http.MethodOptions:
		x.on.w.Header().Set("Allow", allow)
		x.on.send(http.StatusNoContent, nil)
		return nil
	case http.MethodPost:
	default:
		x.on.w.Header().Set("Allow", allow)
		return kiterror.Errorf(kiterror.MethodNotAllowed, "this path is served under %s", allow)
	}
	state, err := x.on.identify()
	if err != nil {
		return err
	}
	takes, err := x.on.handler.options.Files.Allowed(x.on.ctx, state)
	var asked *fileQuery
	if err == nil {
		asked, err = readFileQuery(x.on.r)
	}
	if err == nil {
		takes, err = asked.chosen(takes)
	}
	if err != nil {
		return err
	}
	x.files = x.on.handler.options.Files.Of(takes[0].Door.Frond, state)
	if asked.sha256 != "" {
		return x.presign(asked, takes)
	}
	x.on.account.Close() // the bytes are not held
	switch {
	case asked.sent != "":
		return x.received(http.StatusCreated, func() (*facade.File, error) { return x.files.ReceiveSigned(x.on.r.Context(), asked.sent, takes) })
	case !isForm(x.on.r):
		return x.received(http.StatusCreated, func() (*facade.File, error) { return x.receive(takes) })
	}
	parts, err := x.on.r.MultipartReader()
	if err != nil {
		return errForm(err)
	}
	return x.received(http.StatusCreated, func() (*facade.File, error) {
		part, err := parts.NextPart()
		if err != nil {
			return nil, errForm(err)
		}
		return x.files.Receive(x.on.r.Context(), &facade.IncomingFile{
			Name: part.FileName(), Type: part.Header.Get("Content-Type"), Body: x.arriving(part), Takes: takes,
		})
	})
}

// presign answers with an address for the bytes of a file.
func (x *fileRequest) presign(asked *fileQuery, takes []*catalog.File) error {
	address, err := x.files.Presign(x.on.ctx, &facade.IncomingFile{
		Name: x.sentName(), Type: x.on.r.Header.Get("Content-Type"), Length: asked.size, SHA256: asked.sha256, Takes: takes,
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(address)
	if err != nil {
		return err
	}
	x.on.w.Header()["Content-Type"] = typeJSON
	x.on.send(http.StatusCreated, text)
	return nil
}

// sentName is the name of the file in the request.
func (x *fileRequest) sentName() string {
	_, params, _ := mime.ParseMediaType(x.on.r.Header.Get("Content-Disposition"))
	return params["filename"]
}

// received answers with a file that arrives.
func (x *fileRequest) received(status int, receive func() (*facade.File, error)) error {
	file, err := receive()
	if err != nil {
		x.on.w.Header().Set("Connection", "close") // the rest of the body is not drained
		return err
	}
	_ = http.NewResponseController(x.on.w).SetWriteDeadline(time.Now().Add(pageGrace))
	x.on.w.Header()["Content-Type"] = typeJSON
	x.on.send(status, appendFile(nil, file))
	return nil
}

// receive keeps the body of the request as a file.
func (x *fileRequest) receive(takes []*catalog.File) (*facade.File, error) {
	if encoding := x.on.r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the body is compressed; send it without a Content-Encoding")
	}
	return x.files.Receive(x.on.r.Context(), &facade.IncomingFile{
		Name: x.sentName(), Type: x.on.r.Header.Get("Content-Type"), Length: x.on.r.ContentLength, Body: x.arriving(x.on.r.Body), Takes: takes,
	})
}

// arriving is a part of the body, which has the time of a request to arrive.
func (x *fileRequest) arriving(from io.Reader) io.Reader {
	return Arriving(x.on.w, from, x.on.handler.options.Timeout)
}

// serveFile answers a request for the file of a row.
func (x *fileRequest) serveFile() error {
	field := x.field
	state, err := x.on.identify()
	if err != nil {
		return err
	}
	size, address, err := fileSize(x.on.r, field)
	if err != nil {
		return err
	}
	if door := x.on.op.Door; field.Withheld {
		return kiterror.Errorf(kiterror.NotImplemented, "the host of %s does not give the files of %s.%s to gateways; send this request to that host", door.Frond.Name, door.Name, field.Field.Name)
	}
	x.files = x.on.handler.options.Files.Of(x.on.op.Door.Frond, state)
	x.on.call = facade.Call{Entity: x.on.op.Door.Name, Invocation: facade.Invocation{ID: coerce(idShape(x.on.op), x.on.match.id), State: state, Trace: x.on.r.Header.Get("Traceparent")}}
	if err := x.on.account.Begin(); err != nil {
		return err
	}
	held, err := x.heldFile(field)
	switch x.on.r.Method {
	case http.MethodGet, http.MethodHead:
		if err == nil && held == nil {
			err = kiterror.Errorf(kiterror.NotFound, "this %s has no %s", x.on.op.Door.Name, field.Field.Name)
		}
		if err != nil {
			return err
		}
		if address {
			return x.sendAddress(held, size)
		}
		return x.sendFile(held, size, x.files)
	case http.MethodPut:
		if err == nil {
			err = x.mayReplace(field, held)
		}
		if err != nil {
			return err
		}
		x.on.account.Close() // the bytes are not held
		return x.received(http.StatusOK, func() (*facade.File, error) { return x.replace(field, held) })
	}
	if err == nil {
		err = x.setFile(x.on.ctx, field, "null", held)
	}
	if err == nil {
		x.on.send(http.StatusNoContent, nil)
	}
	return err
}

// heldFile is the file of the row, as the caller may know it: nil if the row has no file, or if the
// caller may not read the field. A row that does not exist for the caller is NOT_FOUND.
func (x *fileRequest) heldFile(field *catalog.File) (*facade.File, error) {
	if x.on.op.Door.Operation("findById") == nil {
		return nil, nil
	}
	call := x.on.call
	call.Operation, call.Select = "findById", []string{x.on.op.Door.Entity.Primary.Name, field.Field.Name}
	res, err := x.on.handler.caller.Call(x.on.ctx, &call)
	if kiterror.CodeOf(err) == kiterror.ValidationFailed { // the field does not exist for the caller
		call.Select = []string{}
		res, err = x.on.handler.caller.Call(x.on.ctx, &call)
	}
	if err != nil {
		return nil, err
	}
	if isNothing(res) {
		return nil, x.on.nothing()
	}
	value := res.Rows.Row(0).Get(field.Field.Name)
	if jsontext.KindOf(value) != jsontext.String {
		return nil, nil
	}
	id := jsontext.Unquote(value)
	found, err := x.files.Find(x.on.ctx, []string{id})
	return found[id], err
}

// mayReplace returns why the file of the row cannot be replaced, before any byte of the new one is read: the
// update is called with the id of no file, and that has to be its only fault.
func (x *fileRequest) mayReplace(field *catalog.File, held *facade.File) error {
	if err := x.holdsFile(held); err != nil {
		return err
	}
	err := x.setFile(x.on.ctx, field, string(jsontext.Quote(rand.Text())), held)
	details, _ := kiterror.AsError(err).Details.([]schema.Detail)
	if len(details) == 1 && details[0].Code == "reference" && details[0].Pointer == "/body/"+jsontext.Token(field.Field.Name) {
		return nil
	}
	return err
}

// holdsFile judges If-Match and If-None-Match by the file of the row.
func (x *fileRequest) holdsFile(held *facade.File) error {
	tag := ""
	if held != nil {
		tag = `"` + held.SHA256 + `"`
	}
	wanted, known := x.on.r.Header["If-Match"], x.on.r.Header["If-None-Match"]
	if len(wanted) > 0 && (tag == "" || !matches(wanted, tag, false)) || len(known) > 0 && tag != "" && matches(known, tag, false) {
		return kiterror.Errorf(kiterror.PreconditionFailed, "the file is not the one named; read it again and send its ETag").At(x.on.op.Door.Name, x.on.op.Name)
	}
	return nil
}

// replace receives the body and gives it to the row.
func (x *fileRequest) replace(field *catalog.File, held *facade.File) (*facade.File, error) {
	file, err := x.receive([]*catalog.File{field})
	if err != nil {
		return nil, err
	}
	ctx, end, err := beginPart(x.on.r.Context(), x.on.handler.options.Timeout, x.on.handler.options.Budget)
	if err == nil {
		err = x.setFile(ctx, field, string(jsontext.Quote(file.ID)), held)
		end()
	}
	if err != nil {
		x.files.Drop(x.on.r.Context(), file.ID)
		return nil, err
	}
	return file, nil
}

// setFile updates the row. A condition of the request is one on the file that the row held.
func (x *fileRequest) setFile(ctx context.Context, field *catalog.File, value string, held *facade.File) error {
	call, name := x.on.call, field.Field.Name
	call.Operation, call.Select = "update", []string{}
	call.Invocation.Body = schema.Object{{Name: name, Value: json.RawMessage(value)}}.AppendJSON(nil)
	if len(x.on.r.Header["If-Match"])+len(x.on.r.Header["If-None-Match"]) > 0 {
		if err := x.holdsFile(held); err != nil {
			return err
		}
		is := json.RawMessage(`{"isNull":true}`)
		if held != nil {
			is = schema.Object{{Name: "eq", Value: jsontext.Quote(held.ID)}}.AppendJSON(nil)
		}
		where := schema.Object{{Name: name, Value: is}}.AppendJSON(nil)
		call.Invocation.Query = schema.Object{{Name: "where", Value: where}}.AppendJSON(nil)
	}
	_, err := x.on.handler.caller.Call(ctx, &call)
	return err
}

// sendAddress answers with an address of the file that takes no credentials.
func (x *fileRequest) sendAddress(file *facade.File, size *catalog.FileSize) error {
	if size != nil && !catalog.IsImage(file.Type) {
		return errNoSize(size)
	}
	address, expires, err := x.files.Address(x.on.ctx, file, size)
	if err != nil {
		return err
	}
	if !strings.Contains(address, "://") {
		address = x.on.handler.table.base + filesPath + "/" + address
	}
	text, err := json.Marshal(struct {
		URL     string    `json:"url"`
		Expires time.Time `json:"expires"`
	}{address, expires.UTC()})
	if err != nil {
		return err
	}
	x.on.w.Header()["Content-Type"] = typeJSON
	x.on.w.Header().Set("Cache-Control", "no-store")
	x.on.send(http.StatusOK, text)
	return nil
}

// IsAddress reports whether a request is about the address of a file, GET /api/files/ADDRESS.
func (t *Table) IsAddress(r *http.Request) bool {
	return strings.HasPrefix(r.URL.EscapedPath(), t.base+filesPath+"/")
}

// serveAddress answers GET /api/files/ADDRESS with the bytes of the file that the address names.
func (x *fileRequest) serveAddress() error {
	if method := x.on.r.Method; method != http.MethodGet && method != http.MethodHead {
		const allow = http.MethodGet + ", " + http.MethodHead
		x.on.w.Header().Set("Allow", allow)
		return kiterror.Errorf(kiterror.MethodNotAllowed, "this path is served under %s", allow)
	}
	if err := x.on.account.Begin(); err != nil {
		return err
	}
	_, address, _ := strings.Cut(x.on.r.URL.EscapedPath(), filesPath+"/")
	file, size, bytes, err := x.on.handler.options.Files.Addressed(x.on.ctx, address)
	if err != nil {
		return err
	}
	return x.sendFile(file, size, bytes)
}

// errNoSize refuses a smaller image of a file that is no image.
func errNoSize(size *catalog.FileSize) error {
	return kiterror.Errorf(kiterror.NotFound, "the file is no image, and has no size %s", size.Name)
}

// sendFile sends the bytes of a file, or the requested ranges of them.
func (x *fileRequest) sendFile(file *facade.File, size *catalog.FileSize, from Bytes) error {
	if size != nil && !catalog.IsImage(file.Type) {
		return errNoSize(size)
	}
	x.on.account.Close() // the bytes are not held
	bytes, media, err := from.Open(x.on.r.Context(), file, size)
	if err != nil {
		return err
	}
	defer func() { _ = bytes.Close() }()
	x.on.wrote = true
	if x.on.op != nil {
		x.on.deprecate()
	}
	x.on.w.Header()["Vary"] = vary
	serveBytes(x.on.w, x.on.r, file, size, media, bytes)
	return nil
}

// takesForm reports whether the request is a create or an update with files.
func takesForm(x *exchange) bool {
	return x.handler.options.Files != nil && slices.ContainsFunc(x.op.Door.Files, func(f *catalog.File) bool { return !f.Withheld }) && x.op.Builtin && (x.op.Name == "create" || x.op.Name == "update") && isForm(x.r)
}

// callForm makes the call of a form. Its files are removed where the call fails.
func (x *fileRequest) callForm() (*facade.Result, error) {
	state := x.on.call.Invocation.State
	x.files = x.on.handler.options.Files.Of(x.on.op.Door.Frond, state)
	f := form{files: x.files, arriving: x.arriving, limit: x.on.handler.options.MaxBody}
	allowed, err := x.on.handler.options.Files.Allowed(x.on.ctx, state)
	if err != nil {
		return nil, err
	}
	for _, a := range allowed {
		if a.Field.Owner == x.on.op.Door.Entity {
			f.takes = append(f.takes, a)
		}
	}
	parts, err := x.on.r.MultipartReader()
	if err != nil {
		return nil, errForm(err)
	}
	x.on.account.Close() // the bytes are not held
	if err = f.read(x.on.r.Context(), parts); err != nil {
		x.on.w.Header().Set("Connection", "close") // the rest of the body is not drained
	} else {
		var end func()
		if x.on.ctx, end, err = beginPart(x.on.r.Context(), x.on.handler.options.Timeout, x.on.handler.options.Budget); err == nil {
			x.on.account = budget.AccountOf(x.on.ctx)
			x.on.cancel = joined(x.on.cancel, end)
			x.on.call.Invocation.Body = f.with()
			var res *facade.Result
			if res, err = x.on.handler.caller.Call(x.on.ctx, &x.on.call); err == nil {
				return res, nil
			}
		}
	}
	for _, m := range f.ids {
		x.files.Drop(x.on.r.Context(), jsontext.Unquote(m.Value))
	}
	return nil, err
}

// joined calls both functions; one may be nil.
func joined(first func(), then func()) func() {
	return func() {
		then()
		if first != nil {
			first()
		}
	}
}
