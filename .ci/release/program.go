package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// build builds the program for a platform, and returns its path.
func (r *release) build(p platform) (string, error) {
	name := "frond"
	if p.os == "windows" {
		name += ".exe"
	}
	path := filepath.Join(r.work, p.os+"_"+p.arch, name)
	stamps := fmt.Sprintf("-s -w -X main.stamped=v%s -X main.commit=%s -X main.date=%s", r.version, r.commit, r.date.Format(time.RFC3339))
	return path, r.run(p, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", stamps, "-o", path, "./cmd/frond")
}

// run runs a command in the repository, for a platform where p names one.
func (r *release) run(p platform, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if p.os != "" {
		cmd.Env = append(cmd.Env, "GOOS="+p.os, "GOARCH="+p.arch)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// shells are the files of completions, by the names of shells.
var shells = map[string]string{"bash": "frond.bash", "zsh": "_frond", "fish": "frond.fish", "powershell": "frond.ps1"}

// paper returns the files beside the program: licenses, completions and man pages.
func (r *release) paper() (files []file, err error) {
	dir := filepath.Join(r.work, "papers")
	program := filepath.Join(r.work, "frond-man")
	if err := r.run(platform{}, "go", "build", "-trimpath", "-buildvcs=false", "-tags", "man", "-o", program, "./cmd/frond"); err != nil {
		return nil, err
	}
	pages := filepath.Join(dir, "man", "man1")
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return nil, err
	}
	if err := r.run(platform{}, program, "man", pages, r.version, r.date.Format(time.RFC3339)); err != nil {
		return nil, err
	}
	completions := filepath.Join(dir, "completions")
	if err := os.MkdirAll(completions, 0o755); err != nil {
		return nil, err
	}
	for shell, name := range shells {
		out, err := exec.Command(program, "completion", shell).Output()
		if err == nil {
			err = os.WriteFile(filepath.Join(completions, name), out, 0o644)
		}
		if err != nil {
			return nil, fmt.Errorf("the completions of %s: %w", shell, err)
		}
	}
	for from, to := range map[string]string{"LICENSE": "LICENSE", "cmd/frond/THIRD_PARTY_LICENSES": "THIRD_PARTY_LICENSES"} {
		text, err := os.ReadFile(filepath.Join(r.root, from))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), text, 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	return below(dir)
}
