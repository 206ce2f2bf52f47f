package facade_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// filed is a host whose albums have covers and whose covers go with their label, and its clock.
func filed(t *testing.T) (*facade.Facade, *time.Time) {
	t.Helper()
	p, err := facade.Read(fstest.MapFS{
		"entities/label.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  albums: {type: array, items: {type: string}, x-kit: {role: {relation: {to: album, kind: many}}}}\nrequired: [id]\n")},
		"entities/album.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  cover: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\n" +
			"  labelId: {type: string, x-kit: {role: {relation: {to: label, kind: one, onDelete: cascade}}}}\nrequired: [id, labelId]\n")},
		"frond.yaml": {Data: []byte("many: {album: '*'}\nnested: {label: [albums]}\nfiles: {album.cover: {types: [image/png], max: 100}}\nrenamed: {album.picture: {to: album.cover, until: 2027-06-01}}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	f, err := facade.New(storetest.Compiled(t, p), storetest.NewStore(), &facade.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return f, &now
}

// sender is the caller of these tests.
var sender = access.State{"user": map[string]any{"id": "ada"}}

// sweep sweeps all files.
func sweep(ctx context.Context, f *facade.Facade, remove func(context.Context, string) error) error {
	last, err := f.SweepFiles(ctx, "", 0, remove)
	if err == nil && last != "" {
		err = errors.New("a sweep of few files has not ended")
	}
	return err
}

// send is a file that has arrived.
func send(t *testing.T, f *facade.Facade) string {
	t.Helper()
	file := &facade.File{Name: "a.png", Type: "image/png"}
	if err := f.BeginFile(t.Context(), sender, file); err != nil {
		t.Fatal(err)
	}
	file.Size, file.SHA256 = 10, "00"
	if err := f.EndFile(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	return file.ID
}

// calls makes a call as the sender.
func calls(f *facade.Facade, entity, op, params, query, body string) error {
	in := facade.Invocation{State: sender}
	for text, part := range map[string]*json.RawMessage{params: &in.Params, query: &in.Query, body: &in.Body} {
		if text != "" {
			*part = json.RawMessage(text)
		}
	}
	_, err := f.Call(context.Background(), &facade.Call{Entity: entity, Operation: op, Invocation: in})
	return err
}

// TestFilesGoWithTheirRows: a sweep removes the file of a row that is gone, however it went, and of a field
// that was replaced, and no other; it removes the bytes before the last trace of the file.
func TestFilesGoWithTheirRows(t *testing.T) {
	f, now := filed(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(calls(f, "label", "create", "", "", `{"id":"s"}`))
	must(calls(f, "label", "create", "", "", `{"id":"r"}`))
	ids := map[string]string{}
	for _, row := range []string{"deleted", "many", "replaced", "emptied", "stays", "cascaded", "nested", "failed"} {
		ids[row] = send(t, f)
		label := "s"
		if row == "cascaded" {
			label = "r"
		}
		must(calls(f, "album", "create", "", "", `{"id":"`+row+`","labelId":"`+label+`","cover":"`+ids[row]+`"}`))
	}
	var removed []string
	sweep := func(want ...string) {
		t.Helper()
		removed = nil
		must(sweep(t.Context(), f, func(_ context.Context, id string) error {
			removed = append(removed, id)
			return nil
		}))
		var expected []string
		for _, row := range want {
			expected = append(expected, ids[row])
		}
		slices.Sort(expected)
		if !slices.Equal(removed, expected) {
			t.Errorf("a sweep removes %v, want %v", removed, want)
		}
	}
	*now = now.Add(24 * time.Hour)
	sweep()
	ids["new"] = send(t, f)
	must(calls(f, "album", "update", `{"id":"replaced"}`, "", `{"cover":"`+ids["new"]+`"}`))
	must(calls(f, "album", "update", `{"id":"emptied"}`, "", `{"cover":null}`))
	must(calls(f, "album", "delete", `{"id":"deleted"}`, "", ""))
	must(calls(f, "album", "deleteMany", "", `{"where":{"id":{"eq":"many"}}}`, ""))
	must(calls(f, "label", "update", `{"id":"s"}`, "", `{"albums":{"delete":["nested"]}}`))
	must(calls(f, "label", "delete", `{"id":"r"}`, "", ""))
	if err := f.Transact(t.Context(), "", func(ctx context.Context) error {
		if _, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "album", Operation: "delete", Invocation: facade.Invocation{Params: json.RawMessage(`{"id":"failed"}`)}}); err != nil {
			return err
		}
		return errors.New("rolled back")
	}); err == nil {
		t.Fatal("it is committed")
	}
	gone := []string{"deleted", "many", "replaced", "emptied", "cascaded", "nested"}
	sweep(gone...)
	sweep(gone...) // what was written meanwhile
	*now = now.Add(time.Hour)
	sweep(gone...)
	sweep()
	found, err := f.Files(t.Context(), []string{ids["stays"], ids["new"], ids["failed"], ids["deleted"]})
	if must(err); len(found) != 3 {
		t.Errorf("%d files stay", len(found))
	}
}

// TestFilesNobodyTakes: a file without a row is kept for an hour, also one that never arrives.
func TestFilesNobodyTakes(t *testing.T) {
	f, now := filed(t)
	sent := send(t, f)
	slow := &facade.File{Name: "a.png", Type: "image/png"}
	if err := f.BeginFile(t.Context(), sender, slow); err != nil {
		t.Fatal(err)
	}
	var removed []string
	sweep := func() {
		if err := sweep(t.Context(), f, func(_ context.Context, id string) error {
			removed = append(removed, id)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	*now = now.Add(time.Hour)
	if sweep(); removed != nil {
		t.Errorf("%v is removed", removed)
	}
	*now = now.Add(time.Second)
	if sweep(); !slices.Equal(removed, []string{sent, slow.ID}) {
		t.Errorf("%v is removed", removed)
	}
	if err := f.EndFile(t.Context(), slow); kiterror.CodeOf(err) != kiterror.RequestTimeout {
		t.Errorf("a file that arrives too late is %v", err)
	}
	if err := calls(f, "label", "create", "", "", `{"id":"s","albums":{"create":[{"id":"a","cover":"`+sent+`"}]}}`); kiterror.CodeOf(err) != kiterror.ValidationFailed {
		t.Errorf("a file that is gone is taken: %v", err)
	}
	if err := calls(f, "label", "create", "", "", `{"id":"s","albums":{"create":[{"id":"a","cover":"`+send(t, f)+`"}]}}`); err != nil {
		t.Errorf("the row of an owner takes no file: %v", err)
	}
}

// TestFilesOfInsideCode: the author's own code gives a row any file that was sent; a removal that fails is
// tried again.
func TestFilesOfInsideCode(t *testing.T) {
	f, _ := filed(t)
	id := send(t, f)
	ctx := f.Enter(t.Context(), nil)
	for _, c := range []struct{ entity, body string }{{"label", `{"id":"s"}`}, {"album", `{"id":"a","labelId":"s","cover":"` + id + `"}`}} {
		if _, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: c.entity, Operation: "create", Invocation: facade.Invocation{Body: json.RawMessage(c.body)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := calls(f, "album", "delete", `{"id":"a"}`, "", ""); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the storage is away")
	if err := sweep(t.Context(), f, func(context.Context, string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("the sweep is %v", err)
	}
	tried := 0
	if err := sweep(t.Context(), f, func(context.Context, string) error { tried++; return nil }); err != nil || tried != 1 {
		t.Errorf("the next sweep is %v after %d removals", err, tried)
	}
	if fields, err := f.FieldsForFiles(t.Context(), f.Catalog(), nil); err != nil || len(fields) != 1 || fields[0] != f.Catalog().Door("album").File("cover") || fields[0].Field.Owner == catalog.FileEntity() {
		t.Errorf("files are for %v, %v", fields, err)
	}
}

// TestFilesUnderAnOldName: a field with a file is written under its old name too, alone and in lists.
func TestFilesUnderAnOldName(t *testing.T) {
	f, _ := filed(t)
	if err := calls(f, "label", "create", "", "", `{"id":"s"}`); err != nil {
		t.Fatal(err)
	}
	row := func(id, file string) string { return `{"id":"` + id + `","labelId":"s","picture":"` + file + `"}` }
	one, two, three := send(t, f), send(t, f), send(t, f)
	if err := calls(f, "album", "create", "", "", row("1", one)); err != nil {
		t.Errorf("create: %v", err)
	}
	if err := calls(f, "album", "createMany", "", "", "["+row("2", two)+","+row("3", three)+"]"); err != nil {
		t.Errorf("createMany: %v", err)
	}
	if found, err := f.Files(t.Context(), []string{one, two, three}); err != nil || len(found) != 3 {
		t.Errorf("%d of three files are held, %v", len(found), err)
	}
	if err := calls(f, "album", "createMany", "", "", "["+row("4", two)+","+row("5", send(t, f))+"]"); kiterror.CodeOf(err) != kiterror.ValidationFailed {
		t.Errorf("a file of another row: %v", err)
	}
}
