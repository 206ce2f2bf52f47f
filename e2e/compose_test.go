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

	"github.com/goccy/go-yaml"
)

// The containers are held by what is written: there is no engine where the tests run.
// docker-compose.yml and the Dockerfile are read and held to their rules, the steps
// that build the program are run as they stand, and the commands of the services too.

// composition is docker-compose.yml, as far as the rules look at it.
type composition struct {
	Services map[string]composed
	Networks map[string]*struct{ Internal bool }
	Volumes  map[string]any
}

type composed struct {
	Image, User string
	Build       *struct {
		Context string
		Args    map[string]string
	}
	Command     []string
	Environment map[string]string
	Ports       []string
	Networks    []string
	Volumes     []string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	Privileged  bool
	NetworkMode string                                `yaml:"network_mode"`
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Healthcheck *struct{ Test []string }
}

func readComposition(t *testing.T) composition {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var c composition
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Services) == 0 {
		t.Fatal("docker-compose.yml has no services")
	}
	return c
}

func TestComposeRules(t *testing.T) {
	c := readComposition(t)
	for name, s := range c.Services {
		complain := func(format string, args ...any) { t.Errorf(name+": "+format, args...) }
		if name == "gateway" {
			for _, p := range s.Ports {
				if !strings.HasPrefix(p, "127.0.0.1:") {
					complain("the port %s is published beyond this machine", p)
				}
			}
			if len(s.Ports) == 0 {
				complain("it publishes no port")
			}
		} else {
			if len(s.Ports) > 0 {
				complain("it publishes %v; only the gateway does", s.Ports)
			}
			for _, n := range s.Networks {
				if c.Networks[n] == nil || !c.Networks[n].Internal {
					complain("the network %s leads out", n)
				}
			}
		}
		if len(s.Networks) == 0 || s.NetworkMode != "" {
			complain("it is on the default network, which leads out")
		}
		if s.Healthcheck == nil || len(s.Healthcheck.Test) < 2 || s.Healthcheck.Test[0] != "CMD" {
			complain("it has no health check that runs without a shell")
		}
		if !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`).MatchString(s.User) {
			complain("its user is %q; write numbers, and not root's", s.User)
		}
		if !s.ReadOnly || s.Privileged || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			complain("it is not locked: read_only, cap_drop: [ALL] and no-new-privileges:true")
		}
		for on, d := range s.DependsOn {
			if _, there := c.Services[on]; !there || d.Condition != "service_healthy" {
				complain("it depends on %s (%s); wait for a service that is healthy", on, d.Condition)
			}
		}
		for _, v := range s.Volumes {
			source, _, _ := strings.Cut(v, ":")
			if !strings.HasPrefix(source, "./") {
				if _, named := c.Volumes[source]; !named {
					complain("the volume %s is declared nowhere", source)
				}
				continue
			}
			if _, err := os.Stat(filepath.Join(root, source)); err != nil {
				complain("the folder %s is not there", source)
			}
			if !strings.HasSuffix(v, ":ro") {
				complain("the folder %s of this repository is mounted to be written", source)
			}
		}
		if s.Build != nil {
			for arg := range s.Build.Args {
				if !slices.Contains(readDockerfile(t).args(), arg) {
					complain("the Dockerfile has no ARG %s", arg)
				}
			}
		}
	}
	if dev := c.Services["gateway"].Environment["FROND_IDENTITY_DEV"]; dev != "false" {
		t.Errorf("the gateway believes the header of dev identity: %q", dev)
	}
}

// TestComposeConfig has the client itself read docker-compose.yml, where there is one
// with compose.
func TestComposeConfig(t *testing.T) {
	for _, client := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.Command(client[0], append(client[1:], "version")...).Run() != nil {
			continue
		}
		cmd := exec.Command(client[0], append(client[1:], "--file", "docker-compose.yml", "config", "--quiet")...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s config: %v\n%s", strings.Join(client, " "), err, out)
		}
		return
	}
	t.Skip("there is no client with compose here; TestComposeRules holds what can be held without")
}

// TestComposedServices starts what the services start, on this machine: their
// commands and their environment with other addresses, and asks through all three.
func TestComposedServices(t *testing.T) {
	need(t, "python3")
	c := readComposition(t)
	fronds := map[string]*program{}
	for _, name := range []string{"catalog", "shipping"} {
		fronds[name] = startComposed(t, c.Services[name], fronds, "--port", "0")
	}
	gateway := startComposed(t, c.Services["gateway"], fronds, "--listen", "127.0.0.1:0")
	for _, p := range []*program{gateway, fronds["catalog"]} {
		if out, err := exec.Command(binary(t), "health", p.URL).CombinedOutput(); err != nil {
			t.Errorf("frond health %s: %v\n%s", p.URL, err, out)
		}
	}
	probe := c.Services["shipping"].Healthcheck.Test[1:]
	script := strings.ReplaceAll(probe[len(probe)-1], "http://127.0.0.1:4200", fronds["shipping"].URL)
	if out, err := exec.Command(probe[0], append(probe[1:len(probe)-1:len(probe)-1], script)...).CombinedOutput(); err != nil {
		t.Errorf("the health check of shipping: %v\n%s", err, out)
	}
	out, err := exec.Command(binary(t), "call", "product.list", "limit:=1", "fields=id", "--url", gateway.URL, "--json").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"total":83`)) {
		t.Errorf("the catalogue through the gateway: %v\n%s", err, out)
	}
	out, err = exec.Command(binary(t), "call", "rate.quote", "carrier=bicycle", "weight:=900", "--url", gateway.URL, "--json").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"cents":290`)) {
		t.Errorf("shipping through the gateway: %v\n%s", err, out)
	}
}

// startComposed runs a service's command with folders and addresses of this machine.
func startComposed(t *testing.T, s composed, others map[string]*program, more ...string) *program {
	t.Helper()
	store := "sqlite:" + filepath.Join(t.TempDir(), "composed.db")
	here := []string{"0.0.0.0", "127.0.0.1", "sqlite:/data/frond.db", store}
	folders := map[string]string{}
	for _, v := range s.Volumes {
		if parts := strings.Split(v, ":"); strings.HasPrefix(parts[0], "./") {
			folders[parts[1]] = filepath.Join(root, parts[0])
		}
	}
	for name, p := range others {
		port := map[string]string{"catalog": "4100", "shipping": "4200"}[name]
		here = append(here, "http://"+name+":"+port, p.URL)
	}
	change := strings.NewReplacer(here...)
	var args []string
	for _, a := range s.Command {
		for mounted, folder := range folders {
			if rest, ok := strings.CutPrefix(a, mounted); ok {
				a = folder + rest
			}
		}
		args = append(args, change.Replace(a))
	}
	args = append(args, more...) // the last of a flag counts
	if s.Image == "frond:local" {
		args = append([]string{binary(t)}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = environment()
	for name, value := range s.Environment {
		cmd.Env = append(cmd.Env, name+"="+change.Replace(value))
	}
	return start(t, cmd)
}

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
		cmd.Env = append(environment(), "VERSION=v1.2.3-test")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, text)
		}
		program := filepath.Join(out, "frond")
		text, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = sha256.Sum256(text)
		static(t, text)
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

// static fails where a program needs a loader or a library, which scratch has not.
func static(t *testing.T, program []byte) {
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
