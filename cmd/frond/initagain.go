package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frondhost/frond/cmd/frond/adopt"
)

// initAgain adds the new tables and columns of a database to its project.
func (s *shell) initAgain(ctx context.Context, dir string, d *database, opts *adopt.Options) error {
	folder := filepath.Join(dir, "fronds", d.frond)
	config, err := os.ReadFile(filepath.Join(folder, "frond.yaml"))
	if err != nil {
		return err
	}
	is := &adopt.Existing{Config: string(config), Cards: map[string]string{}}
	if !strings.Contains("\n"+is.Config, "\ntables:") {
		return fmt.Errorf("%s is not empty, and was not made of a database; name a new folder", dir)
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
	names := slices.Sorted(maps.Keys(more.Files))
	for _, name := range names {
		if err := writeNew(filepath.Join(dir, filepath.FromSlash(name)), []byte(more.Files[name])); err != nil {
			return err
		}
	}
	if s.json {
		return s.writeValue(map[string]any{"dir": dir, "files": notNil(names), "added": notNil(more.Added), "differences": notNil(more.Differences)})
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

// notNil returns a list for JSON: [] instead of null.
func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
