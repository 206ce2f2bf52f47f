package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/sqlite"
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
				return errors.New("--empty and --go are for a project without a database; leave out --from")
			}
			existing.frond = cmp.Or(existing.frond, frondOf(dir, "app"))
			return s.initFrom(cmd.Context(), dir, &existing)
		}
		for _, flag := range []string{"view-key", "schema", "product-tables"} {
			if !cmd.Flags().Changed(flag) {
				continue
			}
			return fmt.Errorf("--%s is for a database; name it too: --from sqlite:FILE or --from postgres://…", flag)
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

// schemaFiles are the JSON Schemas that the files of the project name, in this program's
// version: --schemas writes them again after an upgrade.
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

// database is the flags of frond init that name a database to make a project of.
type database struct {
	from     string
	frond    string   // the flag --frond; init has it without a database too
	keys     []string // --view-key: NAME=COLUMN,COLUMN
	schemas  []string // --schema
	products bool     // --product-tables
}

// add adds the flags.
func (d *database) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&d.from, "from", "", "make the project of a database that is there: sqlite:FILE, postgres://…, or env:NAME for a variable with such a URL")
	flags.StringArrayVar(&d.keys, "view-key", nil, "with --from: the columns that identify a row of a view or of a table without a primary key, such as open_loans=id (repeatable)")
	flags.StringArrayVar(&d.schemas, "schema", nil, "with --from: only the tables of this schema, such as app_public (repeatable)")
	flags.BoolVar(&d.products, "product-tables", false, "with --from: also the tables that Hasura, Supabase, Directus, PocketBase or Graphile keep for themselves")
}

// notAFrond is the error for a name that no Frond may have.
func notAFrond(name string) error {
	return fmt.Errorf("--frond cannot be %q; write a letter, then letters, digits, - or _", name)
}

// options reads the flags for [adopt.New].
func (d *database) options() (*adopt.Options, error) {
	if !schema.IsName(d.frond) {
		return nil, notAFrond(d.frond)
	}
	opts := &adopt.Options{Frond: d.frond, Keys: map[string][]string{}, Schemas: d.schemas, Products: d.products}
	for _, pair := range d.keys {
		name, columns, ok := strings.Cut(pair, "=")
		if !ok || name == "" || slices.Contains(strings.Split(columns, ","), "") {
			return nil, fmt.Errorf("--view-key cannot be %q; write VIEW=COLUMN, or VIEW=COLUMN,COLUMN", pair)
		}
		opts.Keys[name] = strings.Split(columns, ",")
	}
	return opts, nil
}

// describe reads the database's catalogue. store is the setting by which the project in dir
// names the database. Errors never repeat a URL: it holds a password.
func (d *database) describe(ctx context.Context, dir string) (db *dbschema.Database, store string, err error) {
	if file, ok := strings.CutPrefix(d.from, "sqlite:"); ok && file != "" {
		db, err := sqlite.Describe(ctx, file)
		if err != nil {
			return nil, "", err
		}
		return db, "sqlite:" + relative(dir, file), nil
	}
	url, store := d.from, "env:DATABASE_URL"
	if name, ok := strings.CutPrefix(d.from, "env:"); ok {
		if url, store = os.Getenv(name), d.from; url == "" {
			return nil, "", fmt.Errorf("--from is env:%s, which is not set; set %s to the database's URL", name, name)
		}
	}
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		// The URL may hold a password, so the project names a variable instead. The error
		// says everything that the store would log.
		db, err := postgres.Describe(ctx, postgres.Options{URL: url, Logger: slog.New(slog.DiscardHandler)})
		return db, store, err
	}
	if scheme, _, _ := strings.Cut(url, ":"); scheme == "http" || scheme == "https" {
		return nil, "", errors.New("--from names a database: sqlite:FILE or postgres://…; frond sync FROND --from URL reads a host")
	}
	return nil, "", errors.New("--from is no database; write sqlite:FILE, such as sqlite:chinook.db, or postgres://USER@HOST/DATABASE")
}

// relative is a file as a project in dir names it: from the folder of the project if there is a
// way, else whole.
func relative(dir, file string) string {
	absFile, err1 := filepath.Abs(file)
	absDir, err2 := filepath.Abs(dir)
	if rel, err := filepath.Rel(absDir, absFile); err1 == nil && err2 == nil && err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(absFile)
}

// initFrom makes the project of a database.
func (s *shell) initFrom(ctx context.Context, dir string, d *database) error {
	opts, err := d.options()
	if err != nil {
		return err
	}
	config := filepath.Join(dir, "fronds", d.frond, "frond.yaml")
	if _, err := os.Stat(config); err == nil {
		return s.initAgain(ctx, dir, d, opts)
	}
	if err := emptyFolder(dir); err != nil {
		return err
	}
	db, store, err := d.describe(ctx, dir)
	if err != nil {
		return err
	}
	project := adopt.New(db, opts)
	if len(project.Entities) == 0 {
		return nothingToServe(project)
	}
	files := project.Files()
	files["gateway.yaml"] = hostFile(store)
	files[".gitignore"] = "/.frond/\n"
	maps.Copy(files, schemaFiles())
	before := ""
	if variable, ok := strings.CutPrefix(store, "env:"); ok && os.Getenv(variable) == "" {
		before = "  export " + variable + "=…   # the URL of the database\n"
	}
	return s.make(dir, files, fmt.Sprintf("made %s of the database: %s\n%s\nserve it:\n\n%s  frond gateway %s\n\nand open http://127.0.0.1:8080/graphql", dir, project.Summary(), skipped(project), before, dir))
}

// emptyFolder returns an error where dir is a folder with something in it. It need not be
// there.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("%s is not empty; name a new folder", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be made: %w", dir, err)
	}
	return nil
}

// nothingToServe is the error for a database that gives no project, with the parts left out and
// the reasons.
func nothingToServe(p *adopt.Project) error {
	if len(p.Notes) == 0 {
		return errors.New("the database has no tables; name one that has")
	}
	return fmt.Errorf("frond can serve no table of the database:\n%s", skipped(p))
}

// skipped lists the tables and columns that the project left out, one a line, or "".
func skipped(p *adopt.Project) string {
	var b strings.Builder
	for _, n := range p.Notes {
		if n.Kind == adopt.Skipped {
			fmt.Fprintf(&b, "  left out %s\n", n)
		}
	}
	if b.Len() > 0 {
		b.WriteString("INIT.md has all of it\n")
	}
	return b.String()
}

// hostFile is the gateway.yaml of a project over an existing database.
func hostFile(store string) string {
	return "# yaml-language-server: $schema=.schema/gateway.json\n" +
		"store: " + quoted(store) + "\n" +
		"migrate: off # the tables are another program's: the gateway changes none of them\n" +
		"mode: development # doors without rules, suggestions, the console; on loopback only. Write production for the rest\n"
}

// quoted is a setting's text as YAML: in double quotes if it has other characters than paths
// usually have.
func quoted(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:-", r)
	}) {
		return string(jsontext.AppendString(nil, text))
	}
	return text
}

// initAgain adds the new tables and columns of a database to its project.
func (s *shell) initAgain(ctx context.Context, dir string, d *database, opts *adopt.Options) error {
	folder := filepath.Join(dir, "fronds", d.frond)
	config, err := os.ReadFile(filepath.Join(folder, "frond.yaml"))
	if err != nil {
		return err
	}
	is := &adopt.Existing{Config: string(config), Cards: map[string]string{}}
	if !strings.Contains("\n"+is.Config, "\ntables:") {
		return fmt.Errorf("%s has files of another origin; name a new folder", dir)
	}
	cards, err := filepath.Glob(filepath.Join(folder, "entities", "*.yaml"))
	if err != nil {
		return err
	}
	for _, name := range cards {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		is.Cards[strings.TrimSuffix(filepath.Base(name), ".yaml")] = string(text)
	}
	db, _, err := d.describe(ctx, dir)
	if err != nil {
		return err
	}
	more, err := adopt.Again(db, opts, is)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", folder, err)
	}
	if len(more.Files) > 0 {
		more.Files["INIT.md"] = more.Project.Report()
	}
	names, err := writeFiles(dir, more.Files)
	if err != nil {
		return err
	}
	if s.json {
		return s.writeValue(map[string]any{"dir": dir, "files": append([]string{}, names...), "added": append([]string{}, more.Added...), "differences": append([]string{}, more.Differences...)})
	}
	for _, line := range more.Added {
		fmt.Fprintln(s.out, "added "+line)
	}
	for _, line := range more.Differences {
		fmt.Fprintln(s.out, "differs: "+strings.TrimSuffix(line, "\n"))
	}
	_, err = fmt.Fprintf(s.out, "%s has %s more, and %s to look at\n", dir, count(len(more.Added), "thing"), count(len(more.Differences), "difference"))
	return err
}
