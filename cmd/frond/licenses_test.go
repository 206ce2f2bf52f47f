package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the file of licenses of what the program contains")

// licenseName matches the files that hold the terms of a package.
var licenseName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// TestThirdPartyLicenses: the file of licenses has each module and each npm package that the program
// contains, for every system that it is built for.
func TestThirdPartyLicenses(t *testing.T) {
	packages := map[string]string{} // names with versions, and their folders
	for _, system := range []string{"linux", "darwin", "windows"} {
		modulesOf(t, system, packages)
	}
	npmOf(t, packages)
	byTerms := map[string][]string{}
	for name, dir := range packages {
		terms := termsIn(t, dir)
		if terms == "" {
			t.Errorf("%s has no file of its license in %s", name, dir)
		}
		byTerms[terms] = append(byTerms[terms], name)
	}
	groups := make([][]string, 0, len(byTerms))
	for _, names := range byTerms {
		slices.Sort(names)
		groups = append(groups, names)
	}
	slices.SortFunc(groups, slices.Compare)
	var text bytes.Buffer
	text.WriteString("frond contains the packages below, each under the terms that follow its name.\n")
	for _, names := range groups {
		fmt.Fprintf(&text, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(names, "\n"), termsIn(t, packages[names[0]]))
	}
	const file = "THIRD_PARTY_LICENSES"
	if *update {
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, text.Bytes()) {
		t.Errorf("%s is not what the program contains (%v); go test ./cmd/frond -run TestThirdPartyLicenses -update writes it", file, err)
	}
}

// modulesOf adds the modules that the program of a system contains, and the standard library.
func modulesOf(t *testing.T, system string, packages map[string]string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", ".")
	cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			packages[name] = dir
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages["Go standard library"] = strings.TrimSpace(string(root))
}

// npmOf adds the npm packages that the console needs to run; its bundle is in the program.
func npmOf(t *testing.T, packages map[string]string) {
	t.Helper()
	folder := filepath.Join("..", "..", "console")
	if _, err := os.Stat(filepath.Join(folder, "node_modules", ".package-lock.json")); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err, "`make console` installs it")
		}
		t.Skip("`make console` installs the packages of the console")
	}
	type entry struct {
		Version               string
		Dependencies          map[string]string
		PeerDependencies      map[string]string
		DevDependencies       map[string]string
		Optional, DevOptional bool
	}
	var lock struct{ Packages map[string]entry }
	text, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err == nil {
		err = json.Unmarshal(text, &lock)
	}
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var add func(from, name string)
	add = func(from, name string) {
		for at := from; ; at = at[:max(0, strings.LastIndex(at, "/node_modules/"))] {
			place := strings.TrimPrefix(at+"/node_modules/"+name, "/")
			if p, ok := lock.Packages[place]; ok {
				if seen[place] {
					return
				}
				seen[place] = true
				packages[name+" "+p.Version+" (npm)"] = filepath.Join(folder, filepath.FromSlash(place))
				for _, next := range slices.Concat(slices.Collect(maps.Keys(p.Dependencies)), slices.Collect(maps.Keys(p.PeerDependencies))) {
					add("/"+place, next)
				}
				return
			}
			if at == "" {
				return // an optional peer that is not installed
			}
		}
	}
	for name := range lock.Packages[""].DevDependencies {
		if name != "vite" { // which makes the bundle and is not in it
			add("", name)
		}
	}
}

// termsIn returns the texts of the licenses in a folder.
func termsIn(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range files {
		if !f.Type().IsRegular() || !licenseName.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	if len(all) == 0 { // a package of npm may name its terms alone
		var described struct {
			License string
			Author  any
		}
		if text, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil && json.Unmarshal(text, &described) == nil && described.License != "" {
			return "License: " + described.License
		}
	}
	return strings.Join(all, "\n\n")
}
