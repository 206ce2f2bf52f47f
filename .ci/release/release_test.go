package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

const version = "0.0.9"

// TestRelease makes the release of this machine in two clones, which have the same bytes, and uses
// each file as a user would.
func TestRelease(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("install.sh is for other systems")
	}
	key := filepath.Join(t.TempDir(), "key")
	command(t, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	t.Setenv("RELEASE_KEY", key)
	var made [2][]file
	var out string
	for i := range made {
		root := clone(t)
		out = filepath.Join(t.TempDir(), "v"+version)
		r := &release{root: root, out: out, version: version, roots: certificates(t)}
		if err := r.make([]platform{{runtime.GOOS, runtime.GOARCH}}); err != nil {
			t.Fatal(err)
		}
		files, err := below(out)
		if err != nil {
			t.Fatal(err)
		}
		made[i] = files
	}
	for i, f := range made[0] {
		if other := made[1][i]; other.path != f.path || !bytes.Equal(other.data, f.data) {
			t.Errorf("two clones make two files: %s of %d bytes and %s of %d", f.path, len(f.data), other.path, len(other.data))
		}
	}
	host := (&release{version: version}).name(platform{runtime.GOOS, runtime.GOARCH})
	t.Run("installed", func(t *testing.T) { installs(t, out, host, key) })
	t.Run("the list of its contents", func(t *testing.T) {
		var bom cdx.BOM
		if err := cdx.NewBOMDecoder(bytes.NewReader(read(t, filepath.Join(out, host+".cdx.json"))), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range *bom.Components {
			names = append(names, c.Name)
		}
		for _, want := range []string{"std", "github.com/graphql-go/graphql", "graphiql"} {
			if !slices.Contains(names, want) {
				t.Errorf("%s is missing", want)
			}
		}
	})
	if runtime.GOOS == "linux" {
		t.Run("image", func(t *testing.T) { runsImage(t, filepath.Join(out, "frond_"+version+"_oci.tar")) })
		t.Run("debian", func(t *testing.T) { unpacksDebian(t, filepath.Join(out, "frond_"+version+"_"+runtime.GOARCH+".deb")) })
	}
	t.Run("formula", func(t *testing.T) {
		tool(t, "ruby")
		command(t, "", "ruby", "-c", filepath.Join(out, "frond.rb"))
	})
	t.Run("script", func(t *testing.T) {
		command(t, "", "sh", "-n", filepath.Join(out, "install.sh"))
		tool(t, "shellcheck")
		command(t, "", "shellcheck", filepath.Join(out, "install.sh"))
	})
}

// installs installs the archive from a server, follows the first minute of a project, and tries what
// the script has to refuse.
func installs(t *testing.T, out, host, key string) {
	site := t.TempDir()
	if err := os.CopyFS(filepath.Join(site, filepath.Base(out)), os.DirFS(out)); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(site)))
	defer server.Close()
	public := strings.TrimSpace(string(read(t, key+".pub")))
	install := func(into, key string) (string, error) {
		cmd := exec.Command("sh", filepath.Join(out, "install.sh"), "v"+version)
		cmd.Env = append(os.Environ(), "FROND_BASE="+server.URL, "FROND_INSTALL="+into, "FROND_KEY="+key)
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	into := filepath.Join(t.TempDir(), "new", "bin")
	if said, err := install(into, public); err != nil || !strings.Contains(said, "frond "+version+" is in "+into) {
		t.Fatalf("install.sh: %v\n%s", err, said)
	}
	program := filepath.Join(into, "frond")
	var built struct{ Version, Revision, Time string }
	if err := json.Unmarshal([]byte(command(t, "", program, "version", "--json")), &built); err != nil || built.Version != "v"+version || len(built.Revision) != 40 || built.Time == "" {
		t.Errorf("frond version: %+v, %v", built, err)
	}
	serves(t, program)

	sums := filepath.Join(site, filepath.Base(out), "SHA256SUMS")
	archive := filepath.Join(site, filepath.Base(out), host+".tar.gz")
	was, packed := read(t, sums), read(t, archive)
	for _, c := range []struct{ name, key, sums, archive, want string }{
		{"another archive", "", string(was), string(packed) + "x", "SHA256SUMS says"},
		{"an archive that is not listed", "", strings.ReplaceAll(string(was), host, "other"), string(packed), "has no sum of " + host},
		{"sums that were changed", public, string(was) + "\n", string(packed), "not signed by FROND_KEY"},
	} {
		write(t, sums, c.sums)
		write(t, archive, c.archive)
		empty := filepath.Join(t.TempDir(), "bin")
		said, err := install(empty, c.key)
		if _, there := os.Stat(empty); err == nil || !strings.Contains(said, c.want) || !errors.Is(there, os.ErrNotExist) {
			t.Errorf("%s: %v, %s", c.name, err, said)
		}
	}
}

// serves makes a project with the program, serves it, and reads a row.
func serves(t *testing.T, program string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	command(t, "", program, "init", dir)
	cmd := exec.Command(program, "gateway", dir, "--listen", "127.0.0.1:0", "--store", "memory")
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	var log strings.Builder
	address := regexp.MustCompile(`listening on (http://[0-9.:]+)`)
	for b := make([]byte, 1); address.FindStringSubmatch(log.String()) == nil || b[0] != '\n'; {
		if _, err := said.Read(b); err != nil {
			t.Fatalf("the gateway ended: %s", log.String())
		}
		log.Write(b)
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	res, err := http.Post(address.FindStringSubmatch(log.String())[1]+"/graphql", "application/json", strings.NewReader(`{"query":"{ __typename }"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if text, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(text), `"__typename":"Query"`) {
		t.Errorf("/graphql answers %s, %v", text, err)
	}
}

// runsImage reads the layout as a registry's client does, and runs the program in it.
func runsImage(t *testing.T, path string) {
	dir := t.TempDir()
	command(t, dir, "tar", "-xf", path)
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 || manifest.Manifests[0].Platform.Architecture != runtime.GOARCH {
		t.Fatalf("the manifest is %+v, %v", manifest, err)
	}
	img, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil || config.Config.User != "65532:65532" || config.Config.Labels["org.opencontainers.image.version"] != "v"+version {
		t.Errorf("the configuration is %+v, %v", config, err)
	}
	layers, err := img.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	var names []string
	for in := tar.NewReader(content); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if h.Name == "data/" && (h.Typeflag != tar.TypeDir || h.Uid != 65532) {
			t.Errorf("data/ has the type %c and the owner %d", h.Typeflag, h.Uid)
		}
		if h.Name == "frond" {
			data, err := io.ReadAll(in)
			if err == nil {
				err = os.WriteFile(filepath.Join(root, "frond"), data, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, want := range []string{"data/", "frond", "etc/ssl/certs/ca-certificates.crt", "usr/share/doc/frond/frond.cdx.json"} {
		if !slices.Contains(names, want) {
			t.Errorf("the image has no %s", want)
		}
	}
	if said := command(t, "", filepath.Join(root, "frond"), "version"); !strings.HasPrefix(said, "frond v"+version+"\n") {
		t.Errorf("the program of the image says %s", said)
	}
}

// unpacksDebian unpacks the package with Debian's own tool, and runs its program.
func unpacksDebian(t *testing.T, path string) {
	tool(t, "dpkg-deb")
	dir := t.TempDir()
	command(t, "", "dpkg-deb", "-x", path, dir)
	if said := command(t, "", filepath.Join(dir, "usr", "bin", "frond"), "version"); !strings.HasPrefix(said, "frond v"+version+"\n") {
		t.Errorf("the program of the package says %s", said)
	}
	control := command(t, "", "dpkg-deb", "-e", path, filepath.Join(dir, "control")) + string(read(t, filepath.Join(dir, "control", "md5sums")))
	cmd := exec.Command("md5sum", "--quiet", "-c", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(control)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("md5sums: %v\n%s", err, said)
	}
	tool(t, "lintian")
	command(t, "", "lintian", "--fail-on", "error", "--suppress-tags", "statically-linked-binary", path)
}

// clone returns a clone of the repository with the page that the program embeds.
func clone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "frond")
	command(t, "", "git", "clone", "--quiet", "../..", dir)
	if err := os.CopyFS(filepath.Join(dir, "console", "dist"), os.DirFS("../../console/dist")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// certificates returns the file of this machine's authorities, or an empty one.
func certificates(t *testing.T) string {
	t.Helper()
	const usual = "/etc/ssl/certs/ca-certificates.crt"
	if _, err := os.Stat(usual); err == nil {
		return usual
	}
	path := filepath.Join(t.TempDir(), "none.crt")
	write(t, path, "")
	return path
}

// command runs a command and returns its stdout.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// tool ends a test whose tool is not installed; CI has to have it.
func tool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
