package main

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
			return s.make(dir, schemaFiles(), "wrote the schemas in "+filepath.Join(dir, ".schema"))
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
		files, err := made.files(dir)
		if err != nil {
			return err
		}
		return s.make(dir, files, made.summary(dir))
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

// make writes the files of a project by their paths in dir, and reports them. A file that is there is
// replaced; newInit has seen to it that only schemas are.
func (s *shell) make(dir string, files map[string]string, text string) error {
	names, err := writeFiles(dir, files)
	if err != nil {
		return err
	}
	next := "frond gateway " + dir
	if files["main.go"] != "" { // the program serves the project
		next = "cd " + dir + " && go mod tidy && go run ."
	}
	return s.say(map[string]any{"dir": dir, "files": names, "next": next}, text)
}

// writeFiles writes files by their path in a project, and lists them.
func writeFiles(dir string, files map[string]string) ([]string, error) {
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(files[name]), 0o644); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// schemaFiles are the JSON Schemas that the files of the project name. They are those of
// this program: --schemas writes them again after an upgrade.
func schemaFiles() map[string]string {
	files := map[string]string{}
	for format, text := range fileSchemas {
		files[".schema/"+strings.TrimSuffix(format, "-schema")+".json"] = string(text()) + "\n"
	}
	return files
}

// starting describes the project that frond init makes without a database.
type starting struct {
	frond string
	// empty leaves out entities, rules and rows; program adds a Go program.
	empty, program bool
}

// files returns the files of the project by path, of a project at dir.
//
//	project/NAME          NAME
//	project/fronds/work   fronds/FROND
//	project/gitignore     .gitignore
//	project/README.md     README.md, with the name of dir in place of NAME
func (m starting) files(dir string) (map[string]string, error) {
	abs, err := filepath.Abs(dir) // so that "frond init ." is called after its folder
	if err != nil {
		return nil, err
	}
	files, folder := schemaFiles(), "fronds/"+m.frond+"/"
	err = fs.WalkDir(starter, "starter/project", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(starter, name)
		switch name = strings.TrimPrefix(name, "starter/project/"); {
		case m.empty && (name == "README.md" || strings.HasPrefix(name, "fronds/")):
			return err
		case name == "gitignore": // under its own name it would be this repository's
			name = ".gitignore"
		case name == "README.md":
			text = []byte(strings.NewReplacer("# NAME", "# "+filepath.Base(abs), "fronds/work/", folder, "/api/work/", "/api/"+m.frond+"/").Replace(string(text)))
		}
		files[strings.Replace(name, "fronds/work/", folder, 1)] = string(text)
		return err
	})
	if m.empty {
		files[folder+"frond.yaml"] = emptyFrond
	}
	if m.program {
		files["main.go"] = strings.ReplaceAll(mainGo, "FROND", m.frond)
		files["go.mod"] = "module " + m.frond + "\n\ngo 1.26.0\n"
		if v := readBuild().Version; strings.HasPrefix(v, "v") && !strings.Contains(v, "+") {
			files["go.mod"] += "\nrequire github.com/frondhost/frond " + v + "\n"
		}
	}
	return files, err
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
