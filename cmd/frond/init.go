package main

import (
	"cmp"
	"embed"
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

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// starter is the project that `frond init` writes, in project/. empty.yaml is the frond.yaml of a
// Frond without entities; main.go.txt is the program of --go, with FROND for the name of the Frond.
//
//go:embed all:starter/project
var starter embed.FS

//go:embed starter/empty.yaml
var emptyFrond string

//go:embed starter/main.go.txt
var mainGo string

// newInit is frond init. With --json stdout is {"dir": …, "files": […], "next": …}; the files
// are relative to DIR, sorted.
func newInit(s *shell) *cobra.Command {
	cmd := newCommand("init", 1, 1, "a folder to make")
	schemas := cmd.Flags().Bool("schemas", false, "only write the JSON Schemas of an existing project again")
	var existing database
	existing.add(cmd)
	var made starting
	cmd.Flags().StringVar(&existing.frond, "frond", "", "the name of the Frond; by default that of DIR, and app or work where DIR has a name that no Frond can have")
	cmd.Flags().BoolVar(&made.empty, "empty", false, "a project without entities, rules and rows")
	cmd.Flags().BoolVar(&made.program, "go", false, "a Go program around the project: main.go and go.mod")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir := args[0]
		if *schemas {
			files, err := writeSchemas(dir)
			return s.made(dir, files, err, "wrote the schemas in "+filepath.Join(dir, ".schema"))
		}
		if existing.from != "" {
			if made.empty || made.program {
				return errors.New("--empty and --go are for a project without a database; leave them out, or leave out --from")
			}
			existing.frond = cmp.Or(existing.frond, frondOf(dir, "app"))
			return s.initFrom(cmd.Context(), dir, &existing)
		}
		if cmd.Flags().Changed("view-key") {
			return errors.New("--view-key says how a database becomes a project; name the database too: --from sqlite:FILE or --from postgres://…")
		}
		if made.frond = cmp.Or(existing.frond, frondOf(dir, "work")); !schema.IsName(made.frond) {
			return notAFrond(made.frond)
		}
		// An empty folder may exist already, as a new repository has one.
		if err := emptyFolder(dir); err != nil {
			return err
		}
		files, err := writeStarter(dir, made)
		return s.made(dir, files, err, made.summary(dir))
	}
	return cmd
}

// frondOf returns the name of the Frond in a project at dir: the name of dir, or otherwise where dir
// has a Frond of that name already or a name that no Frond can have.
func frondOf(dir, otherwise string) string {
	_, err := os.Stat(filepath.Join(dir, "fronds", otherwise))
	abs, absErr := filepath.Abs(dir)
	if name := filepath.Base(abs); err != nil && absErr == nil && schema.IsName(name) {
		return name
	}
	return otherwise
}

// made reports the files that a command has written. err is passed on unchanged.
func (s *shell) made(dir string, files []string, err error, text string) error {
	if err != nil {
		return err
	}
	next := "frond gateway " + dir
	if slices.Contains(files, "main.go") { // the program serves the project
		next = "cd " + dir + " && go mod tidy && go run ."
	}
	return s.say(map[string]any{"dir": dir, "files": files, "next": next}, text)
}

// writeStarter writes the project, and lists its files.
//
//	project/NAME          DIR/NAME
//	project/fronds/work   DIR/fronds/FROND
//	project/gitignore     DIR/.gitignore
//	project/README.md     DIR/README.md, with the name of DIR in place of NAME
//	                      DIR/.schema/*.json, made by this program
//
// With --empty and --go the files of [starting] take the place of some, or are added.
func writeStarter(dir string, made starting) (files []string, err error) {
	if files, err = writeFiles(dir, made.files()); err != nil {
		return nil, err
	}
	err = fs.WalkDir(starter, "starter/project", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := starter.ReadFile(name)
		if err != nil {
			return err
		}
		name = strings.TrimPrefix(name, "starter/project/")
		if made.empty && (name == "README.md" || strings.HasPrefix(name, "fronds/")) {
			return nil
		}
		name = strings.Replace(name, "fronds/work/", "fronds/"+made.frond+"/", 1)
		switch name {
		case "gitignore": // under its own name it would be this repository's
			name = ".gitignore"
		// filepath.Abs, so that "frond init ." is called after its folder.
		case "README.md":
			abs, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			text = []byte(strings.NewReplacer("# NAME", "# "+filepath.Base(abs), "fronds/work/", "fronds/"+made.frond+"/", "/api/work/", "/api/"+made.frond+"/").Replace(string(text)))
		}
		files = append(files, name)
		return writeNew(filepath.Join(dir, filepath.FromSlash(name)), text)
	})
	if err != nil {
		return nil, err
	}
	more, err := writeSchemas(dir)
	files = append(files, more...)
	slices.Sort(files)
	return files, err
}

// writeSchemas writes the JSON Schemas that the files of the project name. They are those of
// this program: --schemas writes them again after an upgrade.
func writeSchemas(dir string) (files []string, err error) {
	for _, s := range []struct {
		name string
		text json.RawMessage
	}{{"card", schema.CardSchema()}, {"frond", project.FrondSchema()}, {"gateway", gateway.ConfigSchema()}} {
		name := path.Join(".schema", s.name+".json")
		if err := writeNew(filepath.Join(dir, filepath.FromSlash(name)), append(s.text, '\n')); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return files, nil
}

// writeFiles writes files by their path in a project, and lists them.
func writeFiles(dir string, files map[string]string) ([]string, error) {
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if err := writeNew(filepath.Join(dir, filepath.FromSlash(name)), []byte(files[name])); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// writeNew writes a file, and the folders above it. A file that is there is replaced; newInit
// has seen to it that only schemas are.
func writeNew(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// starting describes the project that frond init makes without a database.
type starting struct {
	frond string
	// empty leaves out entities, rules and rows; program adds a Go program.
	empty, program bool
}

// files returns the files that the project adds to those of the starter, by path.
func (m starting) files() map[string]string {
	files := map[string]string{}
	if m.empty {
		files["fronds/"+m.frond+"/frond.yaml"] = emptyFrond
	}
	if m.program {
		files["main.go"] = strings.ReplaceAll(mainGo, "FROND", m.frond)
		files["go.mod"] = "module " + m.frond + "\n\ngo 1.26.0\n"
		if v := readBuild().Version; strings.HasPrefix(v, "v") && !strings.Contains(v, "+") {
			files["go.mod"] += "\nrequire github.com/frondhost/frond " + v + "\n"
		}
	}
	return files
}

// summary names the parts of the project and the commands that serve it.
func (m starting) summary(dir string) string {
	has, run := "two entities, the rules for them and a few rows", "  frond gateway "+dir
	if m.empty {
		has = "the Frond " + m.frond + " without entities; fronds/" + m.frond + "/frond.yaml says how to write one"
	}
	if m.program {
		run = "  cd " + dir + "\n  go mod tidy\n  go run ."
	}
	return fmt.Sprintf("made %s: %s\n\nserve it:\n\n%s\n\nand open http://127.0.0.1:8080/graphql", dir, has, run)
}
