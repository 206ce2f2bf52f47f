package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// BeginFile writes the row of a file that is about to arrive, and gives the file its id. state is the
// sender's. A file that has a hash arrives at a pre-signed address: [Facade.SignedFile].
func (f *Facade) BeginFile(ctx context.Context, state access.State, file *File) error {
	id, err := schema.UUIDv7()
	if err != nil {
		return kiterror.Internal(err)
	}
	begun := fileSending
	if file.SHA256 != "" {
		begun = fileSigned
	}
	e, now := catalog.FileEntity(), f.host.now()
	at := e.Property("at").Now(now)
	row := Record{
		{Name: "id", Value: jsontext.Quote(id)},
		{Name: "state", Value: jsontext.Quote(begun)},
		{Name: "at", Value: at},
		{Name: "made", Value: at},
		{Name: "sender", Value: jsontext.Quote(senderOf(state))},
		{Name: "name", Value: jsontext.Quote(file.Name)},
		{Name: "type", Value: jsontext.Quote(file.Type)},
		{Name: "size", Value: fmt.Append(nil, file.Size)},
		{Name: "sha256", Value: jsontext.Quote(file.SHA256)},
		{Name: "field", Value: json.RawMessage("null")},
		{Name: "row", Value: json.RawMessage("null")},
	}
	file.ID, file.Made = id, now
	_, err = f.host.store.Insert(ctx, e, []Record{row}, nil, rows.NewLayout([]string{"id"}))
	return err
}

// SignedFile describes a file whose sender has a pre-signed address for its bytes, as its sender announced it.
func (f *Facade) SignedFile(ctx context.Context, sender access.State, id string) (*File, error) {
	found, err := describeFiles(ctx, f.host.store, []string{id})
	if err != nil {
		return nil, err
	}
	if row := found[id]; row != nil && row.State == fileSigned && row.Sender == senderOf(sender) {
		return row.file(), nil
	}
	return nil, errUnsigned()
}

// ClaimFile begins the check of a signed file, for one of the requests that ask for it.
func (f *Facade) ClaimFile(ctx context.Context, id string) error {
	moved, err := moveFile(ctx, f.host.store, f.host.now(), jsontext.Quote(id), fileSending, nil, fileSigned)
	if err == nil && !moved {
		err = errUnsigned()
	}
	return err
}

// errUnsigned refuses the id of a file without a pre-signed address of its caller.
func errUnsigned() error {
	return kiterror.Errorf(kiterror.NotFound, "no file with this id waits for its bytes; request a new address")
}

// EndFile says that the bytes of a file have arrived. A row may take the file from then on.
func (f *Facade) EndFile(ctx context.Context, file *File) error {
	set := Record{{Name: "size", Value: fmt.Append(nil, file.Size)}, {Name: "sha256", Value: jsontext.Quote(file.SHA256)}}
	moved, err := moveFile(ctx, f.host.store, f.host.now(), jsontext.Quote(file.ID), fileSent, set, fileSending)
	if err == nil && !moved {
		err = kiterror.Errorf(kiterror.RequestTimeout, "the file took longer than %s to arrive; send it again", filesKept)
	}
	return err
}

// DropFile gives up a file that its sender has sent and that no row has taken. remove removes its bytes.
func (f *Facade) DropFile(ctx context.Context, sender access.State, id string, remove func(ctx context.Context, id string) error) error {
	found, err := describeFiles(ctx, f.host.store, []string{id})
	if err != nil || found[id] == nil || found[id].Sender != senderOf(sender) {
		return err
	}
	moved, err := moveFile(ctx, f.host.store, f.host.now(), jsontext.Quote(id), fileGone, nil, fileSigned, fileSending, fileSent)
	if err == nil && moved {
		err = remove(ctx, id)
	}
	return err
}

// Files describes the files that rows hold, by their ids. Other ids are left out.
func (f *Facade) Files(ctx context.Context, ids []string) (map[string]*File, error) {
	found, err := describeFiles(ctx, f.host.store, ids)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*File, len(found))
	for id, row := range found {
		if row.State == fileHeld {
			all[id] = row.file()
		}
	}
	return all, nil
}

// ReadableFiles returns the files that a caller may read, in readable rows and fields. They are described as
// [Facade.Files] does, or as the host of a remote Frond. frond has the doors of these rows, and caller answers
// their calls.
func (f *Facade) ReadableFiles(ctx context.Context, frond *catalog.Frond, caller Caller, state access.State, files map[string]*File) (map[string]*File, error) {
	all := map[string]*File{}
	for _, d := range frond.Doors {
		for _, field := range d.Files {
			names, each := f.host.fileNames(field), &Each{Field: d.Entity.Primary.Name}
			var held []*File
			for _, file := range files {
				if slices.Contains(names, file.In) {
					held, each.Keys = append(held, file), append(each.Keys, file.Row)
				}
			}
			if len(held) == 0 || d.Operation("findById") == nil {
				continue
			}
			c := &Call{Entity: d.Name, Operation: "findById", Each: each, Select: []string{each.Field, field.Field.Name}, Invocation: Invocation{State: state}}
			res, err := caller.Call(ctx, c)
			if kiterror.CodeOf(err) == kiterror.ValidationFailed { // the field does not exist for the caller
				continue
			}
			if err != nil {
				return nil, err
			}
			for i, g := range res.Groups {
				if g.From < g.To && string(res.Rows.Row(g.From).Get(field.Field.Name)) == string(jsontext.Quote(held[i].ID)) {
					held[i].Field, held[i].In = field, fileName(field)
					all[held[i].ID] = held[i]
				}
			}
		}
	}
	return all, nil
}

// The bounds of a sweep.
const (
	sweptAtOnce  = 500    // files of one read
	sweptOfHeld  = 10_000 // files that rows hold
	sweepsFreely = 20     // reads of files that no row holds; the next sweep begins again
)

// SweepFiles removes the files without a row: the files that no row took within an hour, and the bytes of the files
// that their row has not named for as long as stay, so that rows of a backup find them. Of the files that rows hold
// it checks some, in the order of their ids behind after, and returns the last of them for the next sweep; "" is
// the end. remove removes all bytes of a file, and may be called for a file without bytes. Files of a field that
// holds files no longer stay.
func (f *Facade) SweepFiles(ctx context.Context, after string, stay time.Duration, remove func(ctx context.Context, id string) error) (last string, err error) {
	ctx = consistency.Latest(ctx)
	e, behind := catalog.FileEntity(), ""
	state, due := e.Property("state"), jsontext.Unquote(e.Property("at").Now(f.host.now().Add(-stay)))
	free := &filter.Filter{Op: filter.Or, Sub: []*filter.Filter{
		{Op: filter.In, Field: state, Values: []any{fileSigned, fileSending, fileSent}},
		{Op: filter.And, Sub: []*filter.Filter{
			{Op: filter.Eq, Field: state, Values: []any{fileGone}},
			{Op: filter.Or, Sub: []*filter.Filter{
				{Op: filter.IsNull, Field: e.Property("row"), Values: []any{true}}, // no row had it
				{Op: filter.Lte, Field: e.Property("at"), Values: []any{due}},
			}},
		}},
	}}
	for range sweepsFreely {
		if behind, err = f.sweepPage(ctx, free, behind, stay, remove); err != nil || behind == "" {
			break
		}
	}
	if err != nil {
		return after, err
	}
	held := &filter.Filter{Op: filter.Eq, Field: state, Values: []any{fileHeld}}
	for range sweptOfHeld / sweptAtOnce {
		if after, err = f.sweepPage(ctx, held, after, stay, remove); err != nil || after == "" {
			return after, err
		}
	}
	return after, nil
}

// sweepPage sweeps files that meet a condition, behind an id, and returns the last id; "": there are no more.
func (f *Facade) sweepPage(ctx context.Context, where *filter.Filter, after string, stay time.Duration, remove func(ctx context.Context, id string) error) (string, error) {
	now, q := f.host.now(), &Find{Where: where, Limit: sweptAtOnce}
	if after != "" {
		q.From = []json.RawMessage{jsontext.Quote(after)}
	}
	page, err := readFiles(ctx, f.host.store, q)
	if err != nil || len(page) == 0 {
		return "", err
	}
	lost, err := f.lostFiles(ctx, page)
	if err != nil {
		return after, err
	}
	for _, row := range page {
		if row.State != fileHeld && row.State != fileGone && now.Sub(row.At) > filesKept {
			if lost[row.ID], err = moveFile(ctx, f.host.store, now, jsontext.Quote(row.ID), fileGone, nil, row.State); err != nil {
				return after, err
			}
		}
		if row.State != fileGone && !lost[row.ID] || row.State == fileHeld && stay > 0 {
			continue
		}
		if err := remove(ctx, row.ID); err != nil {
			return after, err
		}
		stayed := goneFor
		if row.Row != nil {
			stayed += stay
		}
		if row.State == fileGone && now.Sub(row.At) > stayed && now.Sub(row.Made) > filesKept {
			if _, err := f.host.store.Delete(ctx, catalog.FileEntity(), jsontext.Quote(row.ID), nil, nil); err != nil {
				return after, err
			}
		}
	}
	return page[len(page)-1].ID, nil
}

// lostFiles marks the files as gone whose rows name them no more, and returns their ids.
func (f *Facade) lostFiles(ctx context.Context, page []*fileRow) (map[string]bool, error) {
	lost := map[string]bool{}
	for d := range f.host.catalog.Doors() {
		for _, field := range d.Files {
			suspects, err := f.unnamed(ctx, d, field, f.heldIn(field, page))
			if err != nil {
				return nil, err
			}
			for _, row := range suspects {
				// A row may be given back the file that it had before.
				err := f.transact(ctx, func(ctx context.Context) error {
					still, err := f.unnamed(ctx, d, field, []*fileRow{row})
					if err == nil && len(still) > 0 {
						lost[row.ID], err = moveFile(ctx, f.host.store, f.host.now(), jsontext.Quote(row.ID), fileGone, nil, fileHeld)
					}
					return err
				})
				if err != nil {
					return nil, err
				}
			}
		}
	}
	return lost, nil
}

// heldIn are the files of some that a field holds.
func (f *Facade) heldIn(field *catalog.File, files []*fileRow) (all []*fileRow) {
	if field.Door.Frond.Remote != "" {
		return nil
	}
	for _, row := range files {
		if row.State == fileHeld && f.host.holds(field, row) {
			all = append(all, row)
		}
	}
	return all
}

// transact runs fn in a transaction, if the store has transactions.
func (f *Facade) transact(ctx context.Context, fn func(ctx context.Context) error) error {
	if f.host.transactor == nil {
		return fn(ctx)
	}
	return f.host.transactor.Transact(ctx, fn)
}

// unnamed returns the files whose rows do not name them in a field.
func (f *Facade) unnamed(ctx context.Context, d *catalog.Door, field *catalog.File, files []*fileRow) (suspects []*fileRow, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	each := &EachKey{Field: d.Entity.Primary}
	place := map[string]int{}
	for _, row := range files {
		if _, known := place[*row.Row]; !known {
			place[*row.Row] = len(each.Values)
			each.Values = append(each.Values, json.RawMessage(*row.Row))
		}
	}
	found, err := f.host.store.Find(ctx, &Find{Entity: d.Entity, Select: rows.NewLayout([]string{field.Field.Name}), Limit: 1, Each: each})
	if err != nil {
		return nil, err
	}
	for _, row := range files {
		g := found.Groups[place[*row.Row]]
		if g.From == g.To || string(found.Rows.Row(g.From).Get(field.Field.Name)) != string(jsontext.Quote(row.ID)) {
			suspects = append(suspects, row)
		}
	}
	return suspects, nil
}

// IncomingFile is a file that arrives.
type IncomingFile struct {
	Name, Type string // as they were sent
	Length     int64  // that was announced; less than 1: none was
	SHA256     string // that was announced, for a pre-signed address
	Body       io.Reader
	Takes      []*catalog.File // the fields that it may be for
	// Whole, if not nil, is called with the hash of the bytes when all have arrived; its error refuses
	// the file.
	Whole func(sha256 string) error
}

// FileAddress is a pre-signed address to which the bytes of a file go by PUT, with these headers.
type FileAddress struct {
	ID      string            `json:"id"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Expires time.Time         `json:"expires"`
}

// FieldsForFiles returns the fields of a view of the catalog in which the caller may write files. Without such
// a field the error is the refusal.
func (f *Facade) FieldsForFiles(ctx context.Context, view *catalog.Catalog, state access.State) (all []*catalog.File, err error) {
	err = kiterror.Errorf(kiterror.NotFound, "no door here has files; declare them under files in a frond.yaml")
	for d := range view.Doors() {
		for _, name := range []string{"create", "update"} {
			op := d.Operation(name)
			if op == nil || len(d.Files) == 0 {
				continue
			}
			scope := *access.Open
			if collector := f.host.doors.of(d).collector; collector != nil {
				var refused error
				if scope, refused = access.ScopeOf(ctx, collector, f.host.now, state, d, op); refused != nil {
					err = refused
					continue
				}
			}
			for _, file := range d.Files {
				if name := file.Field.Name; !file.Withheld && !scope.Hides(name) && !scope.ReadsOnly(name) && !slices.Contains(all, file) {
					all = append(all, file)
				}
			}
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	return nil, err
}
