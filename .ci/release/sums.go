package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sums writes the sums of all files, as sha256sum does, and signs them with the OpenSSH key in the
// file RELEASE_KEY.
func (r *release) sums() error {
	files, err := below(r.out)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(f.data), f.path)
	}
	if err := r.write("SHA256SUMS", out.Bytes()); err != nil {
		return err
	}
	key := os.Getenv("RELEASE_KEY")
	if key == "" {
		fmt.Fprintln(os.Stderr, "release: the sums are not signed; RELEASE_KEY names the file of an OpenSSH key that signs them")
		return nil
	}
	said, err := exec.Command("ssh-keygen", "-Y", "sign", "-n", "frond", "-f", key, filepath.Join(r.out, "SHA256SUMS")).CombinedOutput() //nolint:gosec // the maintainer's own key
	if err != nil {
		return fmt.Errorf("ssh-keygen: %w: %s", err, said)
	}
	return nil
}

// formula writes the Homebrew formula of the archives.
func (r *release) formula(programs map[platform]string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "class Frond < Formula\n  desc \"Cards become GraphQL, REST and JSON-RPC\"\n  homepage \"https://github.com/frondhost/frond\"\n  version %q\n  license \"MIT\"\n", r.version)
	for _, system := range []struct{ os, word string }{{"darwin", "macos"}, {"linux", "linux"}} {
		for _, arch := range []struct{ arch, word string }{{"arm64", "arm"}, {"amd64", "intel"}} {
			p := platform{system.os, arch.arch}
			if programs[p] == "" {
				continue
			}
			data, err := os.ReadFile(filepath.Join(r.out, r.name(p)+".tar.gz"))
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "\n  on_%s do\n    on_%s do\n      url \"%s/%s.tar.gz\"\n      sha256 \"%x\"\n    end\n  end\n", system.word, arch.word, r.base, r.name(p), sha256.Sum256(data))
		}
	}
	b.WriteString(`
  def install
    bin.install "frond"
    man1.install Dir["man/man1/*"]
    bash_completion.install "completions/frond.bash" => "frond"
    zsh_completion.install "completions/_frond"
    fish_completion.install "completions/frond.fish"
    doc.install "LICENSE", "THIRD_PARTY_LICENSES"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/frond version")
  end
end
`)
	return r.write("frond.rb", []byte(b.String()))
}

// installer writes the script that installs an archive.
func (r *release) installer(map[platform]string) error {
	text, err := os.ReadFile(filepath.Join(r.root, "install.sh"))
	if err != nil {
		return err
	}
	return r.write("install.sh", text)
}
