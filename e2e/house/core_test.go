package house_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// outside is the smallest program of another module.
const outside = `package main

import (
	"os"

	"github.com/frondhost/frond"
)

func main() { frond.Main(frond.New(os.DirFS("site"))) }
`

// TestCore holds what a program links that names no extra: the blog of examples, and a program of another
// module, whose go.mod gets the same few modules. Neither links a package of an extra. go test ./e2e/house -run TestCore -v
// prints the sizes. A larger bound needs the reason in the commit.
func TestCore(t *testing.T) {
	const mostBytes, mostStripped = 52_000_000, 36_000_000 // aims: 38 MB, 25 MB
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	for name, text := range map[string]string{
		"main.go": outside, "go.sum": string(sums),
		"go.mod": "module example.com/outside\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n",
	} {
		if err := os.WriteFile(filepath.Join(elsewhere, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, program := range map[string]struct{ dir, pkg string }{"examples/blog": {".", "./examples/blog"}, "another module": {elsewhere, "."}} {
		t.Run(name, func(t *testing.T) {
			run := func(args ...string) string {
				t.Helper()
				return goCommand(t, program.dir, args...)
			}
			modules, linked := links(run, program.pkg)
			for _, pkg := range linked {
				for _, extra := range []string{"/store/postgres", "/gateway/nats", "/gateway/s3", "/gateway/otlp", "/gateway/prometheus"} {
					if strings.HasPrefix(pkg, module+extra) {
						t.Errorf("%s is linked without being named", pkg)
					}
				}
			}
			t.Logf("%d modules, %d packages", len(modules), len(linked))
			if float64(len(modules)) > bound("modules that the core links") || float64(len(linked)) > bound("packages that the core links") {
				t.Errorf("the core has grown: %d modules and %d packages are above the bounds in sizes_test.go", len(modules), len(linked))
			}
			if testing.Short() {
				return // linking takes most of the time
			}
			for flags, most := range map[string]int64{"": mostBytes, "-s -w": mostStripped} {
				to := filepath.Join(t.TempDir(), "program")
				run("build", "-ldflags="+flags, "-o", to, program.pkg)
				info, err := os.Stat(to)
				if err != nil {
					t.Fatal(err)
				}
				if t.Logf("%d bytes with -ldflags=%q", info.Size(), flags); info.Size() > most {
					t.Errorf("with -ldflags=%q it has %d bytes, at most %d", flags, info.Size(), most)
				}
			}
		})
	}
}

// goCommand returns what `go` prints in a folder.
func goCommand(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false -mod=mod", "GOPROXY=off")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// links returns the packages that a program links, and their modules without this one and the program's.
func links(run func(...string) string, program string) (modules map[string]bool, linked []string) {
	modules = map[string]bool{}
	for line := range strings.Lines(run("list", "-deps", "-f", "{{.ImportPath}} {{if .Module}}{{.Module.Path}}{{end}}", program)) {
		pkg, from, _ := strings.Cut(strings.TrimSpace(line), " ")
		linked = append(linked, pkg)
		if from != "" && from != module && from != "example.com/outside" {
			modules[from] = true
		}
	}
	return modules, linked
}

// bound returns the bound of a size.
func bound(what string) float64 {
	return ratchets[slices.IndexFunc(ratchets, func(r ratchet) bool { return r.what == what })].most
}

// sizesOfCore measures what `import "github.com/frondhost/frond"` reaches, tests left out.
func sizesOfCore(t *testing.T) map[string]measured {
	modules, linked := links(func(args ...string) string { return goCommand(t, ".", args...) }, "./examples/blog")
	lines := 0
	for _, p := range productOf(t) {
		if slices.Contains(linked, p.PkgPath) {
			lines += linesOf(t, p)
		}
	}
	return map[string]measured{
		"code lines of the core":       {float64(lines), ""},
		"modules that the core links":  {float64(len(modules)), ""},
		"packages that the core links": {float64(len(linked)), ""},
	}
}
