// Command release makes the files of a release in a folder (docs/releasing.md):
//
//	frond_VERSION_OS_ARCH.tar.gz   the program, licenses, completions and man pages; .zip for Windows
//	frond_VERSION_OS_ARCH.cdx.json what the program contains, as CycloneDX
//	frond_VERSION_ARCH.deb         the same for Debian
//	frond_VERSION_oci.tar          the image for two architectures, as an OCI layout
//	frond.rb, install.sh           a Homebrew formula, and a script that installs an archive
//	SHA256SUMS, SHA256SUMS.sig     the sums of all files, and their signature by RELEASE_KEY
//
// The same commit makes the same bytes in any folder. The signature alone differs.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// release is what all files are made of.
type release struct {
	root    string // of the repository
	out     string
	work    string // a folder for programs before they are packed
	version string // 1.2.3
	commit  string
	date    time.Time // of the commit; the time of every file
	base    string    // the address of the folder where the files are published
	roots   string    // the file of certificates that the image has
	papers  []file    // licenses, completions and man pages
}

// A platform is an operating system and an architecture, as Go names them.
type platform struct{ os, arch string }

var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

func main() {
	r := &release{}
	flag.StringVar(&r.root, "root", "../..", "the repository")
	flag.StringVar(&r.out, "out", "../../dist", "the folder of the release")
	flag.StringVar(&r.version, "version", "", "the version without v; the tag of the commit by default")
	flag.StringVar(&r.base, "base", "", "the address of the folder where the files will be; the project's releases by default")
	flag.StringVar(&r.roots, "certificates", "/etc/ssl/certs/ca-certificates.crt", "the certificates of authorities in the image")
	host := flag.Bool("host", false, "make the files of this machine's platform alone")
	flag.Parse()
	of := platforms
	if *host {
		of = []platform{{runtime.GOOS, runtime.GOARCH}}
	}
	if err := r.make(of); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// make makes the files of the platforms.
func (r *release) make(of []platform) (err error) {
	if err := r.describe(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.root, "console", "dist", "index.html")); err != nil {
		return fmt.Errorf("%w; make console builds the page that the program embeds", err)
	}
	if r.work, err = os.MkdirTemp("", "frond-release-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(r.work) }()
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if r.papers, err = r.paper(); err != nil {
		return err
	}
	programs := map[platform]string{}
	for _, p := range of {
		if programs[p], err = r.build(p); err != nil {
			return err
		}
		if err = r.pack(p, programs[p]); err != nil {
			return err
		}
	}
	for _, step := range []func(map[platform]string) error{r.image, r.formula, r.installer} {
		if err := step(programs); err != nil {
			return err
		}
	}
	return r.sums()
}

// describe reads the commit, its time and its tag from git, and completes what no flag has given.
func (r *release) describe() error {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", r.root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	var err error
	if r.commit, err = git("rev-parse", "HEAD"); err != nil {
		return fmt.Errorf("the commit: %w", err)
	}
	when, err := git("log", "-1", "--format=%cI")
	if err == nil {
		r.date, err = time.Parse(time.RFC3339, when)
	}
	if err != nil {
		return fmt.Errorf("the time of the commit: %w", err)
	}
	r.date = r.date.UTC()
	if r.version == "" {
		tag, err := git("describe", "--tags", "--exact-match", "--match", "v*")
		if err != nil {
			return fmt.Errorf("the commit has no tag; write -version 1.2.3, or tag it v1.2.3")
		}
		r.version = tag
	}
	r.version = strings.TrimPrefix(r.version, "v")
	r.base = strings.TrimRight(cmp.Or(r.base, "https://github.com/frondhost/frond/releases/download/v"+r.version), "/")
	for _, path := range []*string{&r.root, &r.out} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	return nil
}

// name is the beginning of the names of a platform's files.
func (r *release) name(p platform) string { return "frond_" + r.version + "_" + p.os + "_" + p.arch }
