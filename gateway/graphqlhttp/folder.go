package graphqlhttp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema"
)

// Folder is the trusted documents as they were read from their folder at the start. A nil
// Folder has no documents and trusts every document.
type Folder struct {
	path      string // as the author named it
	mode      string
	documents []*document
	faults    schema.Faults // of reading
}

// document is one document of the folder.
type document struct {
	text string
	ids  []string // by which clients may name it: of its file or manifest, and sha256:HEX

	file, pointer string // where it was read; pointer: within a manifest
}

// sha256ID is the id that every document has (GraphQL over HTTP, appendix A).
func sha256ID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return sha256Prefix + hex.EncodeToString(sum[:])
}

// sha256Prefix is in front of every id that is a hash; the rest is in lower-case hexadecimal.
const sha256Prefix = "sha256:"

// ReadFolder reads the folder that d names, a relative path from dir; it is nil if d does not
// name one. It skips files whose names begin with a dot, and all but .graphql, .gql and .json.
// The error is schema.Faults: the folder cannot be read at all. Faults of single files are
// reported by [Folder.Verify].
//
//	orders/list.graphql   one document, by the id orders.list
//	persisted.json        a manifest: any number of documents, by its ids (see manifest)
func ReadFolder(dir string, d Documents) (*Folder, error) {
	if d.Folder == "" {
		return nil, nil
	}
	at := d.Folder
	if !filepath.IsAbs(at) {
		at = filepath.Join(dir, at)
	}
	l := &Folder{path: filepath.ToSlash(d.Folder), mode: d.Mode}
	fsys := os.DirFS(at)
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			l.fault(name, "", "cannot be read: "+setting.Reason(err), "let this program read it, or remove it")
			return nil
		case strings.HasPrefix(e.Name(), ".") && name != ".":
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !e.IsDir():
			l.read(fsys, name)
		}
		return nil
	})
	if err != nil {
		return nil, schema.Faults{{
			File: setting.File, Pointer: "/graphql/documents/folder",
			Message: fmt.Sprintf("the folder %s cannot be read: %s", d.Folder, setting.Reason(err)),
			Remedy:  "name one that can be, from the project's folder, or leave it out",
		}}
	}
	l.unique()
	return l, nil
}

// fault notes a fault of a file, for [Folder.Verify]; pointer is a place within a manifest.
func (l *Folder) fault(name, pointer, message, remedy string) {
	l.faults = append(l.faults, schema.Fault{File: path.Join(l.path, name), Pointer: pointer, Message: message, Remedy: remedy})
}

// read reads one file. A file of another kind is skipped: the folder may have a README
// too.
func (l *Folder) read(fsys fs.FS, name string) {
	ext := path.Ext(name)
	if ext != ".graphql" && ext != ".gql" && ext != ".json" {
		return
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		l.fault(name, "", "cannot be read: "+setting.Reason(err), "let this program read it, or remove it")
		return
	}
	if ext == ".json" {
		l.manifest(name, text)
		return
	}
	// The characters of an id are letters, digits and -._~, so folders are set apart by dots.
	// orders/list.graphql is orders.list.
	id := strings.ReplaceAll(strings.TrimSuffix(name, ext), "/", ".")
	l.add(name, "", id, string(text))
}

// add adds a document under its id and two hashes: of the file's text, and of the text without
// white space around it, since builds of clients differ in that.
func (l *Folder) add(name, pointer, id, text string) {
	t := &document{text: text, file: path.Join(l.path, name), pointer: pointer, ids: []string{id}}
	for _, other := range []string{sha256ID(text), sha256ID(bare(text))} {
		if other != t.ids[len(t.ids)-1] {
			t.ids = append(t.ids, other)
		}
	}
	l.documents = append(l.documents, t)
}

// bare is a document without the white space around it.
func bare(text string) string { return strings.Trim(text, " \t\r\n") }

// unique reports and removes ids that name two different documents. It serves neither by that
// id: which one a client means cannot be known. White space around a text makes no other
// document.
func (l *Folder) unique() {
	first := map[string]*document{}
	for _, t := range l.documents {
		for _, id := range t.ids {
			switch other := first[id]; {
			case other == nil:
				first[id] = t
			case bare(other.text) != bare(t.text):
				l.faults = append(l.faults, schema.Fault{
					File: t.file, Pointer: t.pointer,
					Message: fmt.Sprintf("the id %s is that of another document, in %s", id, other.where()),
					Remedy:  "give one of them another name",
				})
				other.drop(id)
				t.drop(id)
			}
		}
	}
}

// drop removes an id of a document.
func (t *document) drop(id string) {
	t.ids = slices.DeleteFunc(slices.Clone(t.ids), func(have string) bool { return have == id })
}

// where is the place of a document, for faults.
func (t *document) where() string {
	if t.pointer != "" {
		return t.file + "#" + t.pointer
	}
	return t.file
}

// Texts returns the texts of the documents by each of their ids, or nil.
func (l *Folder) Texts() map[string]string {
	if l == nil {
		return nil
	}
	texts := map[string]string{}
	for _, t := range l.documents {
		for _, id := range t.ids {
			texts[id] = t.text
		}
	}
	return texts
}

// trustedBy is the documents that an engine can execute. Each is parsed, validated and checked
// against the limits here, and the engine keeps its plan. A nil Folder gives nil, which trusts
// every document.
func (l *Folder) trustedBy(e *resolvers.Engine) *Trusted {
	if l == nil {
		return nil
	}
	s := &Trusted{mode: l.mode, byID: map[string]*document{}, byText: map[string]*document{}, problems: map[*document][]resolvers.Problem{}}
	for _, t := range l.documents {
		// Limits hold for trusted documents as well (docs/decisions/graphql-http.md).
		if problems := e.Check(t.text); problems != nil {
			s.problems[t] = problems
			continue
		}
		for _, id := range t.ids {
			s.byID[id] = t
		}
		s.byText[bare(t.text)] = t
	}
	return s
}

// check reports all faults of the documents. A document is valid if one surface can execute it;
// the fault of another document is why the first surface cannot. A position is FILE:LINE:COLUMN
// if the document is a file, and part of the message if it is in a manifest.
func (l *Folder) check(surfaces []*Trusted) schema.Faults {
	faults := l.faults
	for _, t := range l.documents {
		var problems []resolvers.Problem
		// From the last to the first, so that the problems of the first surface are the ones
		// that remain.
		for i := len(surfaces) - 1; i >= 0; i-- {
			if problems = surfaces[i].problems[t]; problems == nil {
				break
			}
		}
		for _, p := range problems {
			f := schema.Fault{File: t.file, Pointer: t.pointer, Message: strings.TrimSuffix(p.Message, "."), Remedy: "correct the document, or remove it"}
			switch {
			case p.Line > 0 && t.pointer == "":
				f.File = fmt.Sprintf("%s:%d:%d", t.file, p.Line, p.Column)
			case p.Line > 0:
				f.Message = fmt.Sprintf("line %d, column %d of the document: %s", p.Line, p.Column, f.Message)
			}
			faults = append(faults, f)
		}
	}
	if l.mode == DocumentsEnforce && len(l.documents) == 0 {
		faults = append(faults, schema.Fault{
			File: l.path, Message: "has no document, so every request would be refused",
			Remedy: "put .graphql files or a manifest there, or write " + setting.Line("graphql.documents.mode", "log"),
		})
	}
	return faults
}

// Verify reports the faults of the documents, given what each surface can execute of
// them. In the mode enforce they are the error, schema.Faults, and the gateway must not
// start; in the others a document at fault is not served by its id, and log, nil for
// [slog.Default], has why.
func (l *Folder) Verify(log *slog.Logger, surfaces ...*Trusted) error {
	if l == nil {
		return nil
	}
	faults := l.check(surfaces)
	if l.mode == DocumentsEnforce {
		// A gateway that starts without a document which clients name would refuse them all.
		return faults.Err()
	}
	if log == nil {
		log = slog.Default()
	}
	for _, f := range faults {
		log.Warn("a trusted document is left out", "fault", f.Error())
	}
	return nil
}
