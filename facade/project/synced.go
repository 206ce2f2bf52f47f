package project

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A folder that frond sync wrote has a synced.json among its files:
//
//	{"note":"Written by frond, …","files":{"frond.yaml":"<hash>","entities/product.yaml":"<hash>"},"discovery":{…}}
//
// The hashes show which files were changed by hand since; those are never overwritten
// (docs/decisions/contracts.md). Only the discovery document lists the operations of the
// host and the keys that its list takes (docs/decisions/contracts.md).

// SyncedFile is the name of the file next to frond.yaml in the folder of a Frond that was
// written from its host's discovery document: fronds/NAME/synced.json.
const SyncedFile = "synced.json"

// Synced is a [SyncedFile]: which files of the folder were written, and from what.
type Synced struct {
	Files map[string]string       // the hash of each, by its path inside the folder
	Frond *schema.DiscoveredFrond // the Frond as the host described it; nil in folders of generated code
}

// syncedNote is the first member of the file, for who opens it.
const syncedNote = "Written by frond, as are the files named here. Changes by hand are found by their hashes and never overwritten."

// AppendJSON appends the file's text, on one line; line breaks for a reader are the caller's
// to make. Files are sorted by name, so that equal folders have equal texts. note is ignored
// when it is read.
func (s *Synced) AppendJSON(dst []byte) []byte {
	var files schema.Object
	for name, hash := range s.Files {
		files = append(files, schema.Member{Name: name, Value: jsontext.Quote(hash)})
	}
	slices.SortFunc(files, func(a, b schema.Member) int { return strings.Compare(a.Name, b.Name) })
	o := schema.Object{{Name: "note", Value: jsontext.Quote(syncedNote)}, {Name: "files", Value: files.AppendJSON(nil)}}
	if s.Frond != nil {
		document := schema.Discovery{Fronds: []schema.DiscoveredFrond{*s.Frond}}
		o = append(o, schema.Member{Name: "discovery", Value: document.AppendJSON(nil)})
	}
	return o.AppendJSON(dst)
}

// ReadSynced reads the text of a [SyncedFile]; file is its name for faults. The error is
// schema.Faults, with the remedy to sync again.
func ReadSynced(file string, data []byte) (*Synced, error) {
	const remedy = "remove it, and the files it names, and write them again with frond sync"
	broken := func(message string) error {
		return schema.Faults{{File: file, Message: message, Remedy: remedy}}
	}
	if err := jsontext.Check(data); err != nil {
		return nil, broken("this is not JSON: " + err.Error())
	}
	s := &Synced{}
	files := jsontext.Get(data, "files")
	if jsontext.KindOf(files) != jsontext.Object || json.Unmarshal(files, &s.Files) != nil {
		return nil, broken("it does not name the files that were written")
	}
	var text json.RawMessage
	for name, value := range jsontext.Members(data) {
		if name != "note" && name != "files" { // older files have another name for discovery
			text = value
		}
	}
	if text == nil {
		return s, nil
	}
	document, err := schema.ReadDiscovery(text)
	switch {
	case err != nil:
		return nil, broken("the discovery document in it cannot be read: " + err.Error())
	case len(document.Fronds) != 1:
		return nil, broken("it has more Fronds than one, or of none")
	}
	s.Frond = &document.Fronds[0]
	return s, nil
}

// synced is the Frond as its host described it when its folder was written, or nil.
func (r *folder) synced(dir string) *schema.DiscoveredFrond {
	for _, e := range r.entries(dir) {
		if e.Name() != SyncedFile || e.IsDir() {
			continue
		}
		text := r.read(path.Join(dir, SyncedFile))
		if text.Data == nil {
			return nil
		}
		s, err := ReadSynced(text.File, text.Data)
		if err != nil {
			var faults schema.Faults
			errors.As(err, &faults)
			r.faults = append(r.faults, faults...)
			return nil
		}
		return s.Frond
	}
	return nil
}
