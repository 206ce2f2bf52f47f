package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema"
)

// library are the trusted documents as they were read from a folder at the start.
type library struct {
	folder    string // as the author named it
	mode      string
	documents []*trusted
	faults    schema.Faults // of reading
}

// trusted is one document of the folder.
type trusted struct {
	text string
	ids  []string // what it is asked for by: of its file or manifest, and sha256:HEX

	file, pointer string // where it stands; pointer: within a manifest
}

// sha256ID is the id that every document has (GraphQL over HTTP, appendix A).
func sha256ID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return sha256Prefix + hex.EncodeToString(sum[:])
}

const sha256Prefix = "sha256:"

// readLibrary reads the folder of the settings, nil where none is named. Names that
// begin with a dot are passed over, and so is what is neither .graphql, .gql nor
// .json. An error is a folder that cannot be read at all.
func readLibrary(dir string, d Documents) (*library, error) {
	if d.Folder == "" {
		return nil, nil
	}
	at := d.Folder
	if !filepath.IsAbs(at) {
		at = filepath.Join(dir, at)
	}
	l := &library{folder: filepath.ToSlash(d.Folder), mode: d.Mode}
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

func (l *library) fault(name, pointer, message, remedy string) {
	l.faults = append(l.faults, schema.Fault{File: path.Join(l.folder, name), Pointer: pointer, Message: message, Remedy: remedy})
}

// read reads one file.
func (l *library) read(fsys fs.FS, name string) {
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
	id := strings.ReplaceAll(strings.TrimSuffix(name, ext), "/", ".")
	l.add(name, "", id, string(text))
}

// add adds a document. Whoever hashes a file's text is as right as whoever hashes it
// without the empty line at its end.
func (l *library) add(name, pointer, id, text string) {
	t := &trusted{text: text, file: path.Join(l.folder, name), pointer: pointer, ids: []string{id}}
	for _, other := range []string{sha256ID(text), sha256ID(bare(text))} {
		if other != t.ids[len(t.ids)-1] {
			t.ids = append(t.ids, other)
		}
	}
	l.documents = append(l.documents, t)
}

// bare is a document without the white space around it.
func bare(text string) string { return strings.Trim(text, " \t\r\n") }

// unique finds ids that stand for two documents, which then stand for none.
func (l *library) unique() {
	first := map[string]*trusted{}
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

// drop makes a document one that is not asked for by this id.
func (t *trusted) drop(id string) {
	kept := make([]string, 0, len(t.ids))
	for _, have := range t.ids {
		if have != id {
			kept = append(kept, have)
		}
	}
	t.ids = kept
}

func (t *trusted) where() string {
	if t.pointer != "" {
		return t.file + "#" + t.pointer
	}
	return t.file
}

// on is the shelf of a surface: the documents that its engine can execute. Each is
// parsed, measured against the limits and validated here, and kept with its plan.
func (l *library) on(e *resolvers.Engine) *shelf {
	if l == nil {
		return nil
	}
	s := &shelf{mode: l.mode, byID: map[string]*trusted{}, byText: map[string]*trusted{}, problems: map[*trusted][]resolvers.Problem{}}
	for _, t := range l.documents {
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

// wrong is all that is wrong with the documents. One is fine where some surface can
// execute it, and is served there; else it is told why the first cannot.
func (l *library) wrong(shelves []*shelf) schema.Faults {
	faults := l.faults
	for _, t := range l.documents {
		var problems []resolvers.Problem
		for i := len(shelves) - 1; i >= 0; i-- {
			if problems = shelves[i].problems[t]; problems == nil {
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
			File: l.folder, Message: "has no document, so nothing at all could be asked for",
			Remedy: "put .graphql files or a manifest there, or write graphql.documents.mode: log",
		})
	}
	return faults
}

// settle ends the start where the mode is enforce and something is wrong with the
// documents; in other modes what is wrong is not served by its id, and the log (nil:
// slog.Default()) says so.
func (l *library) settle(log *slog.Logger, shelves ...*shelf) error {
	if l == nil {
		return nil
	}
	faults := l.wrong(shelves)
	if l.mode == DocumentsEnforce {
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
