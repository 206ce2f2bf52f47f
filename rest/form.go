package rest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// form is a body with files, as far as it was received.
type form struct {
	files    FrondFiles
	takes    []*catalog.File                // the fields of the row that the caller may write
	arriving func(part io.Reader) io.Reader // limits the time of a part
	limit    int64                          // of the part that is JSON

	body json.RawMessage
	ids  schema.Object // the ids of the files, by the names of their fields
}

// with is the body with the ids of the files.
func (f *form) with() json.RawMessage {
	if f.body == nil && len(f.ids) > 0 {
		f.body = json.RawMessage("{}")
	}
	if jsontext.KindOf(f.body) != jsontext.Object {
		return f.body // for the façade to refuse
	}
	all := slices.Clone(f.ids)
	for name, value := range jsontext.Members(f.body) {
		if f.ids.Get(name) == nil {
			all = append(all, schema.Member{Name: name, Value: value})
		}
	}
	return all.AppendJSON(nil)
}

// read receives the parts of the form.
func (f *form) read(ctx context.Context, parts *multipart.Reader) error {
	for {
		part, wrong := parts.NextPart()
		if wrong == io.EOF { // a form that breaks off wraps it
			return nil
		}
		if wrong != nil {
			return errForm(wrong)
		}
		name := part.FormName()
		if name == "body" {
			var err error
			if f.body, err = f.readBody(f.arriving(part)); err != nil {
				return err
			}
			continue
		}
		i := slices.IndexFunc(f.takes, func(a *catalog.File) bool { return a.Field.Name == name })
		refuse := func(code, message string) error {
			return kiterror.Refused([]schema.Detail{schema.Detail{Code: code, Message: message}.At("/body/" + jsontext.Token(name))})
		}
		if i < 0 {
			return refuse(schema.UnknownKey, "does not name a field with files; leave it out")
		}
		content := bufio.NewReader(f.arriving(part))
		if _, end := content.Peek(1); end == io.EOF && part.FileName() == "" {
			continue // an input of a page without a chosen file
		}
		if f.ids.Get(name) != nil {
			return refuse("maxItems", "has two parts in the form; send one file")
		}
		file, err := f.files.Receive(ctx, &facade.IncomingFile{
			Name: part.FileName(), Type: part.Header.Get("Content-Type"), Body: content, Takes: f.takes[i : i+1],
		})
		if err != nil {
			return err
		}
		f.ids = append(f.ids, schema.Member{Name: name, Value: jsontext.Quote(file.ID)})
	}
}

// readBody reads the part that is JSON.
func (f *form) readBody(part io.Reader) (json.RawMessage, error) {
	text, err := io.ReadAll(io.LimitReader(part, f.limit+1))
	switch {
	case err != nil:
		return nil, errForm(err)
	case int64(len(text)) > f.limit:
		return nil, kiterror.Errorf(kiterror.PayloadTooLarge, "the part body is over the cap of %d bytes; send less", f.limit)
	}
	if err := jsontext.Check(text); err != nil {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the part body is not JSON as it should be: %s", err.Error())
	}
	return text, nil
}
