package facade

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A file has a row of [catalog.FileEntity], in one of these states, and its bytes somewhere else
// (package gateway/files). The row is written before the bytes and removed after them, so that no
// bytes are without a row, whenever a process ends.
//
//	signed    its sender has a pre-signed address for the bytes
//	sending   the bytes are arriving, or the bytes of that address are checked
//	sent      they have arrived; a row may take the file
//	held      the row of a door has it; this is written in the transaction that writes the row
//	gone      no row has it; the bytes are removed, those that a row had after a time
//
// No deletion marks a file. A file that is held is gone when its row no longer names it, which
// [Facade.SweepFiles] finds out, whichever way the row was deleted.
const (
	fileSigned  = "signed"
	fileSending = "sending"
	fileSent    = "sent"
	fileHeld    = "held"
	fileGone    = "gone"
)

// filesKept is how long a file stays that no row has taken.
const filesKept = time.Hour

// goneFor is how long the row of a removed file stays: an upload or a smaller image that another
// process was writing is then removed as well. The row of a new file stays for filesKept, since its sender may
// have a pre-signed address.
const goneFor = 10 * time.Minute

// File describes a file.
type File struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`
	Type   string    `json:"type"`
	Size   int64     `json:"size"`
	SHA256 string    `json:"sha256"` // in hexadecimal digits
	Made   time.Time `json:"made"`

	// In is the field that holds it, as entity.field, and Row the key of the row; "" and nil for a file
	// without a row.
	In    string          `json:"field,omitempty"`
	Row   json.RawMessage `json:"row,omitempty"`
	Field *catalog.File   `json:"-"` // In, where [Facade.ReadableFiles] has found it
}

// inline are the types that a browser shows by itself, and in which no script runs.
var inline = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "application/pdf", "text/plain"}

// Disposition is the header Content-Disposition of the file, or of an image made of it, as a media type:
// browsers show it, or download it.
func (f *File) Disposition(media string) string {
	how := "attachment"
	if slices.Contains(inline, media) || strings.HasPrefix(media, "audio/") || strings.HasPrefix(media, "video/") {
		how = "inline"
	}
	return mime.FormatMediaType(how, map[string]string{"filename": f.Name})
}

// moveFile changes the state of a file that has one of some states, and reports whether it had.
func moveFile(ctx context.Context, store Store, now time.Time, id json.RawMessage, to string, set Record, from ...string) (bool, error) {
	e := catalog.FileEntity()
	where := &filter.Filter{Op: filter.In, Field: e.Property("state")}
	for _, state := range from {
		where.Values = append(where.Values, state)
	}
	set = append(Record{{Name: "state", Value: jsontext.Quote(to)}, {Name: "at", Value: e.Property("at").Now(now)}}, set...)
	found, err := store.Update(ctx, e, id, where, set, nil, rows.NewLayout([]string{"id"}))
	return err == nil && found.Len() > 0, err
}

// fileRow is a row of [catalog.FileEntity].
type fileRow struct {
	ID, State, Sender, Name, Type, SHA256 string
	At, Made                              time.Time
	Size                                  int64
	Field, Row                            *string
}

// file is what callers may know of the row.
func (r *fileRow) file() *File {
	f := &File{ID: r.ID, Name: r.Name, Type: r.Type, Size: r.Size, SHA256: r.SHA256, Made: r.Made}
	if r.State == fileHeld && r.Field != nil && r.Row != nil {
		f.In, f.Row = *r.Field, json.RawMessage(*r.Row)
	}
	return f
}

// fileLayout is every field of such a row.
var fileLayout = rows.NewLayout([]string{"id", "state", "at", "made", "sender", "name", "type", "size", "sha256", "field", "row"})

// describeFiles reads the rows that describe files, by their ids.
func describeFiles(ctx context.Context, store Store, ids []string) (map[string]*fileRow, error) {
	e := catalog.FileEntity()
	where := &filter.Filter{Op: filter.In, Field: e.Primary}
	for _, id := range ids {
		where.Values = append(where.Values, id)
	}
	found, err := readFiles(ctx, store, &Find{Where: where, Limit: len(ids)})
	if err != nil {
		return nil, err
	}
	all := make(map[string]*fileRow, len(found))
	for _, row := range found {
		all[row.ID] = row
	}
	return all, nil
}

// readFiles reads rows that describe files, in the order of their ids.
func readFiles(ctx context.Context, store Store, q *Find) (all []*fileRow, err error) {
	e := catalog.FileEntity()
	q.Entity, q.Select, q.Sort, q.NoKeys = e, fileLayout, []SortKey{{Field: e.Primary}}, true
	found, err := store.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range found.Rows.Len() {
		row := &fileRow{}
		if err := found.Rows.Row(i).Decode(row); err != nil {
			return nil, kiterror.Internal(err)
		}
		all = append(all, row)
	}
	return all, nil
}

// senderOf identifies a caller: by the user's id if there is one, else by the user's other members;
// "" is an anonymous one.
func senderOf(state access.State) string {
	user := state.User()
	if user == nil {
		return ""
	}
	var of any = user
	if id := user["id"]; id != nil {
		of = id
	}
	text, _ := json.Marshal(of) //nolint:errchkjson // a state comes from JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// namesFiles reports whether a call gives files to rows, which takes a transaction.
func namesFiles(x *execution) bool {
	if len(x.door.Files) == 0 || !x.op.Builtin || x.op.Kind != catalog.Command || x.host.transactor == nil || x.door.Frond.Remote != "" {
		return false
	}
	return anyRow(x.call.Invocation.Body, func(row json.RawMessage) bool { return len(filesOf(x, row)) > 0 })
}

// filesOf are the ids of files in the body of a row, under the names of their fields or old ones.
func filesOf(x *execution, body json.RawMessage) (ids []string) {
	for name, value := range jsontext.Members(body) {
		if a := x.door.Entity.Alias(name); a != nil && a.Name == name {
			name = a.Field.Name
		}
		if x.door.File(name) != nil && jsontext.KindOf(value) == jsontext.String {
			ids = append(ids, jsontext.Unquote(value))
		}
	}
	return ids
}

// anyRow reports whether a body, or a row of a list, is so.
func anyRow(body json.RawMessage, is func(row json.RawMessage) bool) bool {
	if jsontext.KindOf(body) != jsontext.Array {
		return is(body)
	}
	for _, row := range jsontext.Elements(body) {
		if is(row) {
			return true
		}
	}
	return false
}

// admitFiles refuses the ids of files that the row cannot take.
func admitFiles(ctx context.Context, x *execution) error {
	found, read := ctx.Value(readFilesKey{}).(map[string]*fileRow)
	if !read {
		var err error
		if found, err = namedFiles(ctx, x, x.body.AppendJSON(nil)); err != nil {
			return err
		}
	}
	for _, f := range x.door.Files {
		value := x.body.Get(f.Field.Name)
		if value == nil || jsontext.IsNull(value) {
			continue
		}
		row, detail := found[jsontext.Unquote(value)], schema.Detail{Path: f.Field.Name, Pointer: "/body/" + jsontext.Token(f.Field.Name)}
		switch {
		case row == nil || !takesFile(x, f, row):
			detail.Code, detail.Message = "reference", msgNoFile
		case !slices.Contains(f.Types, row.Type):
			detail.Code, detail.Message = "type", fmt.Sprintf("is a file of type %s, and must be %s", row.Type, wordsOf(f.Types))
		case row.Size > f.Max:
			detail.Code, detail.Message = "maxLength", fmt.Sprintf("is a file of %d bytes, and may have %d", row.Size, f.Max)
		default:
			continue
		}
		x.refuse(detail)
	}
	return x.refusal()
}

// readFilesKey is the key of the files that many rows name, by their ids.
type readFilesKey struct{}

// withFiles reads the files that rows name, for [admitFiles] of each row.
func withFiles(ctx context.Context, x *execution, rows []json.RawMessage) (context.Context, error) {
	if len(x.door.Files) == 0 || x.runner.by != byStore {
		return ctx, nil
	}
	found, err := namedFiles(ctx, x, rows...)
	return context.WithValue(ctx, readFilesKey{}, found), err
}

// namedFiles describes the files that rows name in fields of the door, by one statement.
func namedFiles(ctx context.Context, x *execution, rows ...json.RawMessage) (map[string]*fileRow, error) {
	var ids []string
	for _, row := range rows {
		ids = append(ids, filesOf(x, row)...)
	}
	if len(ids) == 0 {
		return map[string]*fileRow{}, nil
	}
	return describeFiles(ctx, x.store(), ids)
}

// msgNoFile refuses the id of a file that does not exist for the caller, or that a row has.
const msgNoFile = "is not the id of a file that you have sent and that no row has; send the file first"

// wordsOf lists media types for a message.
func wordsOf(types []string) string {
	text := types[0]
	for i, t := range types[1:] {
		if i == len(types)-2 {
			text += " or " + t
		} else {
			text += ", " + t
		}
	}
	return text
}

// takesFile reports whether the row of the call may have a file in a field: one that its caller has sent, or
// that the row has already.
func takesFile(x *execution, f *catalog.File, row *fileRow) bool {
	switch row.State {
	case fileSent:
		return x.inside || row.Sender == senderOf(x.state)
	case fileHeld:
		return x.id != nil && x.host.holds(f, row) && *row.Row == string(x.id)
	}
	return false
}

// fileNames are the names of a field in the rows that describe files. The first is written.
func (h *host) fileNames(f *catalog.File) []string {
	if names := h.store.Abilities().FieldNames; names != nil && f.Door.Frond.Remote == "" {
		return names(f.Field.Owner, f.Field.Name)
	}
	return []string{fileName(f)}
}

// fileName is the name of a field between hosts.
func fileName(f *catalog.File) string { return f.Field.Owner.Key + "." + f.Field.Name }

// holds reports whether a field holds a file.
func (h *host) holds(f *catalog.File, row *fileRow) bool {
	return row.Field != nil && slices.Contains(h.fileNames(f), *row.Field)
}

// holdFiles gives the files that a written record names to its row, in the transaction that writes the
// row. Another row may have taken a file since it was admitted.
func holdFiles(ctx context.Context, x *execution, record Record, key json.RawMessage) error {
	for _, f := range x.door.Files {
		id := record.Get(f.Field.Name)
		if id == nil || jsontext.IsNull(id) {
			continue
		}
		set, err := heldBy(x, f, key)
		if err != nil {
			return err
		}
		taken, err := moveFile(ctx, x.store(), x.now(), id, fileHeld, set, fileSent)
		if err != nil {
			return err
		}
		if taken {
			continue
		}
		found, err := describeFiles(ctx, x.store(), []string{jsontext.Unquote(id)})
		if err != nil {
			return err
		}
		row := found[jsontext.Unquote(id)]
		if row == nil || row.State != fileHeld || !x.host.holds(f, row) || *row.Row != string(key) {
			return errNoFile(f)
		}
	}
	return nil
}

// heldBy names the row that takes a file, for the row of the file.
func heldBy(x *execution, f *catalog.File, key json.RawMessage) (Record, error) {
	if key == nil {
		return nil, kiterror.Internal(fmt.Errorf("the new row of %s has no key, which its file needs", x.door.Name))
	}
	return Record{{Name: "field", Value: jsontext.Quote(x.host.fileNames(f)[0])}, {Name: "row", Value: jsontext.Quote(string(key))}}, nil
}

// errNoFile refuses a file that another row has taken.
func errNoFile(f *catalog.File) error {
	return kiterror.Refused([]schema.Detail{{Path: f.Field.Name, Pointer: "/body/" + jsontext.Token(f.Field.Name), Code: "reference", Message: msgNoFile}})
}

// holdFilesOfNew is holdFiles for new rows, by two statements where the store writes many rows at once. at is
// the row of the error.
func holdFilesOfNew(ctx context.Context, x *execution, records []Record, found *rows.Rows) (at int, err error) {
	all := x.store().Abilities().WriteAll
	if all == nil || len(records) == 1 {
		for i, record := range records {
			if err := holdFiles(ctx, x, record, keyOfWritten(x, record, found, i)); err != nil {
				return i, err
			}
		}
		return 0, nil
	}
	e := catalog.FileEntity()
	var ids []json.RawMessage
	var sets []Record
	texts := make([]json.RawMessage, len(records))
	for i, record := range records {
		texts[i] = record.AppendJSON(nil)
	}
	known, err := namedFiles(ctx, x, texts...)
	if err != nil {
		return 0, err
	}
	for i, record := range records {
		for _, f := range x.door.Files {
			id := record.Get(f.Field.Name)
			if id == nil || jsontext.IsNull(id) {
				continue
			}
			row := known[jsontext.Unquote(id)]
			if row == nil || row.State != fileSent {
				return i, errNoFile(f)
			}
			row.State = fileHeld // no other row takes it
			set, err := heldBy(x, f, keyOfWritten(x, record, found, i))
			if err != nil {
				return i, err
			}
			ids = append(ids, id)
			sets = append(sets, append(Record{{Name: "state", Value: jsontext.Quote(fileHeld)}, {Name: "at", Value: e.Property("at").Now(x.now())}}, set...))
		}
	}
	if len(ids) == 0 {
		return 0, nil
	}
	_, err = all(ctx, e, ids, sets, nil, rows.NewLayout([]string{"id"}))
	return 0, err
}

// keyOfWritten is the primary key of a created row: of its record, or as the store answers it.
func keyOfWritten(x *execution, record Record, found *rows.Rows, i int) json.RawMessage {
	name := x.door.Entity.Primary.Name
	if key := record.Get(name); key != nil || i >= found.Len() {
		return key
	}
	return found.Row(i).Get(name)
}
