package contract

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Files are the texts of files by their path inside a folder, with slashes.
type Files map[string][]byte

// ManifestFile is the name of the list of generated files, in folders of code.
const ManifestFile = "generated.json"

// Plan is the changes that make a folder hold the generated files, and no generated files of
// an earlier run. Files written or changed by hand are neither overwritten nor removed.
//
//	manifest   folder            files
//	no         not there         yes     written
//	no         there             yes     an error, unless the text is equal
//	yes        as generated      yes     written if the text is another
//	yes        changed by hand   yes     an error, unless the text is equal
//	yes        as generated      no      removed
//	yes        changed by hand   no      an error
//	no         there             no      not looked at
type Plan struct {
	Write  []string // paths, in order
	Remove []string

	dir      string
	files    Files // with the manifest
	manifest string
}

// NewPlan compares files with a folder, which may be missing. manifest is the name of the file
// that lists them; frond goes into it unless it is nil. Files that conflict are an error that
// names all of them, schema.Faults. NewPlan writes no files; [Plan.Apply] does.
func NewPlan(dir, manifest string, files Files, frond *schema.DiscoveredFrond) (*Plan, error) {
	p := &Plan{dir: dir, manifest: manifest, files: maps.Clone(files)}
	before := &project.Synced{}
	old, err := p.read(manifest)
	if err == nil && old != nil {
		before, err = project.ReadSynced(path.Join(filepath.ToSlash(dir), manifest), old)
	}
	if err != nil {
		return nil, err
	}
	after := &project.Synced{Files: map[string]string{}, Frond: frond}
	for name, text := range files {
		after.Files[name] = hash(text)
	}
	if p.files[manifest], err = indent(after.AppendJSON(nil)); err != nil {
		return nil, err
	}
	if err := p.compare(files, before); err != nil {
		return nil, err
	}
	// The manifest is the last of Write, so that it is written last.
	if !bytes.Equal(old, p.files[manifest]) {
		p.Write = append(p.Write, manifest)
	}
	return p, nil
}

// compare sorts the files into Write and Remove. before is the manifest of the folder. The error
// may be schema.Faults: files of other writers, or files with later changes.
func (p *Plan) compare(files Files, before *project.Synced) error {
	var faults schema.Faults
	for _, name := range slices.Sorted(maps.Keys(files)) {
		there, err := p.read(name)
		switch {
		case err != nil:
			return err
		case there == nil:
			p.Write = append(p.Write, name)
		// Equal texts need no manifest: a folder whose manifest was lost is taken over again.
		case bytes.Equal(there, files[name]):
		case before.Files[name] == "":
			faults = append(faults, p.fault(name, "it was not generated, and would be overwritten", "move it to another folder"))
		case before.Files[name] != hash(there):
			faults = append(faults, p.fault(name, "it was changed by hand after it was generated", "remove it, and the command writes it again"))
		default:
			p.Write = append(p.Write, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.Files)) {
		// A manifest is a file that anybody can edit: a path out of the folder is never
		// removed.
		if files[name] != nil || !fs.ValidPath(name) {
			continue
		}
		there, err := p.read(name)
		switch {
		case err != nil:
			return err
		case there == nil:
		case before.Files[name] != hash(there):
			faults = append(faults, p.fault(name, "it is not served any more, and was changed by hand", "remove it, or move it to another folder"))
		default:
			p.Remove = append(p.Remove, name)
		}
	}
	return faults.Err()
}

// Apply makes the changes. Each file is written atomically, the manifest last, so that an
// interrupted run is completed by the next one. Until the manifest is written, files of this
// run are unlisted; their texts are equal in the next run, so they do not conflict.
func (p *Plan) Apply() error {
	for _, name := range p.Write {
		if err := writeFile(p.path(name), p.files[name]); err != nil {
			return fmt.Errorf("%w; give this user the right to write there", err)
		}
	}
	for _, name := range p.Remove {
		if err := os.Remove(p.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w; give this user the right to remove it", err)
		}
		// An empty folder goes too; any other stays.
		if sub := path.Dir(name); sub != "." {
			_ = os.Remove(p.path(sub))
		}
	}
	return nil
}

// path is a file of the folder in the file system.
func (p *Plan) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// read reads a file of the folder; nil: it does not exist.
func (p *Plan) read(name string) ([]byte, error) {
	text, err := os.ReadFile(p.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	// An empty file exists, which nil would deny.
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}

// fault is a fault of a file in the folder.
func (p *Plan) fault(name, message, remedy string) schema.Fault {
	return schema.Fault{File: filepath.ToSlash(p.path(name)), Message: message, Remedy: remedy}
}

// hash is the fingerprint of a file as a manifest has it. sha256: and the hash in lower-case
// hexadecimal.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// writeFile replaces a file atomically, by a rename. The folders above it are made. A reader
// sees the old text or the new one, never a part.
func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // part of a project that others read
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".frond-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already where all went well
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}

// indent is JSON with line breaks and indentation, for readers and for diffs.
func indent(text []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// under moves files into a folder. under("go", {"go.mod": …}) is {"go/go.mod": …}.
func under(dir string, files Files) Files {
	moved := Files{}
	for name, text := range files {
		moved[strings.TrimSuffix(dir, "/")+"/"+name] = text
	}
	return moved
}

// Layout is a Frond as its host describes it, as files that [facade.Read] reads as the Frond's
// own:
//
//	frond.json            doors, operations, facts, computed fields
//	entities/NAME.json    the card of each door that stores something
//	views/NAME.json       what operations take and give
//
// Names come from another host: an illegal one is an error, schema.Faults, and never becomes a
// path. The error has every fault of compiling the Frond alone.
func Layout(frond *schema.DiscoveredFrond) (Files, error) {
	src := project.Discovered(frond, frond.Name)
	// A Frond that does not compile here could not be started from these files either.
	src.Remote = "elsewhere"
	if _, err := compile.Project(&facade.Project{Fronds: []*project.Frond{src}}, &compile.Options{Incomplete: true}); err != nil {
		return nil, err
	}
	files := Files{}
	var err error
	if files["frond.json"], err = indent(src.Config.Data); err != nil {
		return nil, err
	}
	for _, c := range src.Cards {
		folder := "entities/"
		if c.View {
			folder = "views/"
		}
		if files[folder+c.Name+".json"], err = indent(c.Card.AppendJSON(nil)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

//go:embed templates
var templates embed.FS

// written is a file about data, from its template in a folder of templates/. The templates of the folder
// call functions.
func written(folder, name string, data any, functions template.FuncMap) ([]byte, error) {
	all, err := template.New("").Funcs(functions).ParseFS(templates, "templates/"+folder+"/*.tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = all.ExecuteTemplate(&b, name+".tmpl", data)
	return b.Bytes(), err
}

// document adds the two documents as JSON, without the white space that makes them 2.6 times as large.
func (m *Model) document(files Files) {
	files["contract.json"] = append(slices.Clip(m.Contract), '\n')
	files["bundle.json"] = append(slices.Clip(m.Bundle), '\n')
}
