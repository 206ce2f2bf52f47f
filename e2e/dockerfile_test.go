package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dockerfile is the instructions of the Dockerfile, a line each.
type dockerfile []string

func readDockerfile(t *testing.T) dockerfile {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	var d dockerfile
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			d = append(d, line)
		}
	}
	return d
}

func (d dockerfile) args() (names []string) {
	for _, line := range d {
		if arg, ok := strings.CutPrefix(line, "ARG "); ok {
			name, _, _ := strings.Cut(arg, "=")
			names = append(names, name)
		}
	}
	return names
}

// last is the last stage: what becomes the image.
func (d dockerfile) last() dockerfile {
	from := 0
	for i, line := range d {
		if strings.HasPrefix(line, "FROM ") {
			from = i
		}
	}
	return d[from:]
}

func TestDockerfileRules(t *testing.T) {
	t.Parallel()
	d := readDockerfile(t)
	context := dockerContext(t)
	stage := ""
	for _, line := range d {
		if _, name, ok := strings.Cut(line, " AS "); ok && strings.HasPrefix(line, "FROM ") {
			stage = name
		}
		copied, ok := strings.CutPrefix(line, "COPY ")
		if !ok || strings.Contains(copied, "--from=") {
			continue
		}
		words := strings.Fields(copied)
		for _, source := range words[:len(words)-1] {
			source = strings.TrimSuffix(source, "/")
			if source != "." && !slices.ContainsFunc(context, func(f string) bool { return f == source || strings.HasPrefix(f, source+"/") }) {
				t.Errorf("the stage %s copies %s, which is not in the context: not there, or in .dockerignore", stage, source)
			}
		}
	}
	image := strings.Join(d.last(), "\n")
	for _, want := range []string{`FROM scratch\n`, `\nUSER [1-9][0-9]*:[1-9][0-9]*`, `\nHEALTHCHECK .*CMD \["/frond", "health"`, `\nENTRYPOINT \["/frond"\]`, `\nVOLUME /data`, `--chown=65532:65532 \S+ /data`, `ca-certificates\.crt`} {
		if !regexp.MustCompile(want).MatchString(image) {
			t.Errorf("the image has nothing that matches %s:\n%s", want, image)
		}
	}
	for _, secret := range []string{".git", "console/node_modules", "examples/shop/.frond", "bin"} {
		if slices.ContainsFunc(context, func(f string) bool { return f == secret || strings.HasPrefix(f, secret+"/") }) {
			t.Errorf("%s is in the context", secret)
		}
	}
}

// TestDockerfileBuilds runs the line that builds the program, as the Dockerfile has
// it, on what is in the context: in two folders, for the bytes to be the same.
func TestDockerfileBuilds(t *testing.T) {
	t.Parallel()
	need(t, "sh")
	var line string
	for _, l := range readDockerfile(t) {
		if run, ok := strings.CutPrefix(l, "RUN "); ok && strings.Contains(run, "go build") {
			line = run
		}
	}
	if line == "" {
		t.Fatal("the Dockerfile builds nothing with go build")
	}
	var folders [2]string
	var sums [2][sha256.Size]byte
	for i := range sums {
		folders[i] = t.TempDir()
		if i == 0 {
			copyContext(t, folders[i])
		} else if err := os.CopyFS(folders[i], os.DirFS(folders[0])); err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		cmd := exec.Command("sh", "-ec", strings.ReplaceAll(line, "/out/", out+"/"))
		cmd.Dir = folders[i]
		cmd.Env = append(environment(), "VERSION=v1.2.3-test", "GOFLAGS=") // the line alone says how
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, text)
		}
		program := filepath.Join(out, "frond")
		text, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = sha256.Sum256(text)
		noLibraries(t, text)
		said, err := exec.Command(program, "--version").Output()
		if err != nil || strings.TrimSpace(string(said)) != "frond v1.2.3-test" {
			t.Errorf("frond --version: %v, %q", err, said)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("two folders make two programs: %x, %x", sums[0], sums[1])
	}
}

// copyContext copies what the builder would be handed into a folder.
func copyContext(t *testing.T, dir string) {
	t.Helper()
	for _, name := range dockerContext(t) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			to := filepath.Join(dir, name)
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o750), os.WriteFile(to, text, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// noLibraries fails where a program needs a loader or a library, which scratch has not.
func noLibraries(t *testing.T, program []byte) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Skipf("the program is no ELF file, so that containers cannot be told from it: %v", err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the program is not static: it has %s", p.Type)
		}
	}
	if libraries, err := f.ImportedLibraries(); err == nil && len(libraries) > 0 {
		t.Errorf("the program needs %v", libraries)
	}
}

// dockerContext is the files of the repository that .dockerignore leaves, but for
// what git ignores: what a fresh clone would hand to the builder.
func dockerContext(t *testing.T) (files []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	var ignored []*regexp.Regexp
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		pattern := regexp.QuoteMeta(line)
		pattern = strings.ReplaceAll(pattern, `\*\*/`, `(.*/)?`)
		pattern = strings.ReplaceAll(pattern, `\*`, `[^/]*`)
		ignored = append(ignored, regexp.MustCompile("^"+pattern+"(/|$)"))
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if slices.ContainsFunc(ignored, func(re *regexp.Regexp) bool { return re.MatchString(name) }) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(fmt.Errorf("walking %s: %w", root, err))
	}
	return files
}
