package project

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// Read reads a project's folder (docs/frond-yaml.md):
//
//	fronds/NAME/frond.yaml         doors, operations, facts; optional
//	fronds/NAME/entities/*.yaml    one card per file, named by it
//	fronds/NAME/views/*.yaml       what operations take and give
//	fronds/NAME/seeds/*.yaml       rows written at the first start
//	fronds/NAME/rights.yaml        tests of its access rules; optional
//	fronds/NAME/synced.json        its host's discovery document, where frond sync wrote the folder
//
// A project with one Frond may have these at its root; the Frond is then called
// what frond.yaml says under name, or "app". Endings may also be .yml and .json;
// other files are let be, and so is gateway.yaml, which is the gateway's. A folder
// fronds/ without a Frond is a project of remotes alone.
//
// Read looks at names and reads bytes; the faults inside the files are reported
// when they are compiled, all at once. The error is schema.Faults.
func Read(fsys fs.FS) (fronds []*Frond, err error) {
	r := folder{fsys: fsys}
	root, many := r.isDir("entities") || r.variants(".", "frond") != nil, r.isDir("fronds")
	switch {
	// Neither is preferred: a Frond that is silently left out would be missed late.
	case root && many:
		r.fault(".", "there are entities or a frond.yaml at the root, and a folder fronds/ beside them", "move the ones at the root into a folder fronds/NAME/")
	case root:
		fronds = append(fronds, r.frond("", "app"))
	case many:
		for _, dir := range r.dirs("fronds") {
			fronds = append(fronds, r.frond("fronds/"+dir, dir))
		}
	default:
		r.fault(".", "there is no project in this folder: neither fronds/ nor entities/ is here", "make a folder fronds/NAME/entities with one card per file")
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return fronds, nil
}

// folder reads the files of a project and collects what goes wrong. A file that cannot be read
// is a fault; reading goes on, so that all of them are reported.
type folder struct {
	fsys   fs.FS
	faults schema.Faults
}

// fault keeps a fault of a file or a folder.
func (r *folder) fault(file, message, remedy string) {
	r.faults = append(r.faults, schema.Fault{File: file, Message: message, Remedy: remedy})
}

// isDir reports whether there is a folder called name.
func (r *folder) isDir(name string) bool {
	info, err := fs.Stat(r.fsys, name)
	return err == nil && info.IsDir()
}

// endings are those a file of a project may have.
var endings = []string{".yaml", ".yml", ".json"}

// variants are the files of a folder with this name: frond.yaml, frond.yml and frond.json.
func (r *folder) variants(dir, name string) (files []string) {
	for _, ending := range endings {
		name := path.Join(dir, name+ending)
		if info, err := fs.Stat(r.fsys, name); err == nil && !info.IsDir() {
			files = append(files, name)
		}
	}
	return files
}

// frond reads the folder of one Frond; "" is the root. name is the folder's, which the
// frond.yaml may replace by its own.
func (r *folder) frond(dir, name string) *Frond {
	at := dir
	if at == "" {
		at = "."
	}
	f := &Frond{Name: name, Dir: dir, Known: r.synced(at)}
	f.Foreign = f.Known != nil
	files := r.variants(at, "frond")
	if n := len(files); n > 1 && f.Known != nil && path.Ext(files[n-1]) == ".json" { // the last one was synced
		f.Beside = r.read(files[0])
		files = append(files[n-1:], files[1:n-1]...)
	}
	if len(files) > 0 {
		if len(files) > 1 {
			r.fault(files[1], "this Frond is described by "+path.Base(files[0])+" as well", "write everything into one of the two")
		}
		f.Config = r.read(files[0])
		f.Name = configName(f.Config, name)
	}
	for _, t := range r.files(at, "entities") {
		f.Cards = append(f.Cards, schema.Source{File: t.File, Name: BaseName(t.File), Frond: f.Name, Data: t.Data})
	}
	for _, t := range r.files(at, "views") {
		f.Cards = append(f.Cards, schema.Source{File: t.File, Name: BaseName(t.File), Frond: f.Name, View: true, Data: t.Data})
	}
	f.Seeds = r.files(at, "seeds")
	if tests := r.variants(at, "rights"); len(tests) > 0 {
		if len(tests) > 1 {
			r.fault(tests[1], "the rights of this Frond are in "+path.Base(tests[0])+" as well", "write all of them into one of the two")
		}
		f.Rights = r.read(tests[0])
	}
	if len(f.Cards) == 0 && f.Config.File == "" {
		r.fault(at, "this Frond has neither entities nor a frond.yaml", "put one card per file into "+path.Join(at, "entities")+", or remove the folder")
	}
	return f
}

// BaseName returns a file's name without folder and ending: entities/order.line.yaml is
// order.line.
func BaseName(file string) string {
	name := path.Base(file)
	return strings.TrimSuffix(name, path.Ext(name))
}

// dirs lists the folders in a folder, without those that begin with a dot, in the order of their
// names.
func (r *folder) dirs(dir string) (names []string) {
	for _, e := range r.entries(dir) {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// files reads the files of a folder, in the order of their names.
func (r *folder) files(dir, sub string) (texts []Text) {
	dir = path.Join(dir, sub)
	for _, e := range r.entries(dir) {
		if !e.IsDir() && slices.Contains(endings, path.Ext(e.Name())) && !strings.HasPrefix(e.Name(), ".") {
			texts = append(texts, r.read(path.Join(dir, e.Name())))
		}
	}
	return texts
}

// entries are the entries of a folder; nil for a missing folder.
func (r *folder) entries(dir string) []fs.DirEntry {
	entries, err := fs.ReadDir(r.fsys, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.fault(dir, "the folder cannot be read: "+err.Error(), "check that it is a folder, and its permissions")
	}
	return entries
}

// read reads a file; the Data of one that cannot be read is nil, and that is a fault.
func (r *folder) read(file string) Text {
	data, err := fs.ReadFile(r.fsys, file)
	if err != nil {
		r.fault(file, "the file cannot be read: "+err.Error(), "check its permissions")
	}
	return Text{file, data}
}

// Frond is one Frond as it was read: from its folder ([Read]), or from the discovery document of
// its host ([Discovered]). It is data and not checked yet; package facade compiles it.
type Frond struct {
	Name   string
	Dir    string          // its folder in the project: fronds/catalog; "" for the root
	Cards  []schema.Source // entities and views
	Config Text            // frond.yaml; the zero Text where there is none
	// Foreign says that Config and Cards are made of the discovery document of a remote. Beside is then
	// the frond.yaml of this project, or the zero Text; see [ReadBeside].
	Foreign bool
	Served  bool // by this gateway before: its views keep their names
	Beside  Text
	Seeds   []Text // one per entity, named by its file
	Rights  Text   // rights.yaml; the zero Text where there is none
	Remote  string // the address its operations run at; "" for here
	Open    bool   // the doors of a remote without access rules here are open
	// Known is the remote's discovery document: which of the operations it has, and which keys
	// its list takes. nil: the document is not known yet.
	Known *schema.DiscoveredFrond
}
