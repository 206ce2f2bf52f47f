package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/cmd/frond/diff"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// newDiff is frond diff.
//
//	stdout   the findings: text, JSON {"findings": […]} or Markdown
//	stderr   the parts left out of the comparison
//	0        no finding at or above --fail-on
//	1        one or more
//	2        wrong usage, or a version that cannot be read
//	3        a host that does not answer
func newDiff(s *shell) *cobra.Command {
	cmd := newCommand("diff", 2, 2, "two versions, the old one and the new one")
	format := cmd.Flags().String("format", "text", "text, json or markdown")
	failOn := cmd.Flags().String("fail-on", "breaking", "the least level that makes the exit code 1: breaking, dangerous, or none for never")
	headers := cmd.Flags().StringArray("header", nil, `a header for a host, such as "Authorization: Bearer …"`)
	store := cmd.Flags().String("store", "", "compare the rights of callers over the rows of this store: sqlite:FILE, postgres://… or env:NAME")
	as := cmd.Flags().StringArray("as", nil, "a caller beside those of rights.yaml, as JSON, or null for an anonymous caller; may be given again")
	var keys hostFlags
	keys.addKey(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		writers := map[string]func(io.Writer, *diff.Report) error{"text": diff.WriteText, "markdown": diff.WriteMarkdown, "json": nil}
		write, ok := writers[*format]
		if !ok {
			return fmt.Errorf("--format cannot be %q; write text, json or markdown", *format)
		}
		if !slices.Contains([]string{"breaking", "dangerous", "none"}, *failOn) {
			return fmt.Errorf("--fail-on cannot be %q; write breaking, dangerous or none", *failOn)
		}
		given, err := readCallers(*as, *store)
		if err != nil {
			return err
		}
		head, err := readHeaders(*headers)
		if err != nil {
			return err
		}
		signer, err := keys.signer()
		if err != nil {
			return err
		}
		r := &versionReader{shell: s, headers: head, signer: signer}
		defer r.close()
		was, wasErr := r.read(cmd.Context(), args[0], args[1])
		is, isErr := r.read(cmd.Context(), args[1], args[0])
		// Both are read before the first error ends the command, so that one run reports the
		// faults of both.
		if err := errors.Join(wasErr, isErr); err != nil {
			return err
		}
		report, err := diff.Compare(was, is)
		if err != nil {
			return err
		}
		if *store != "" {
			if err := r.effects(cmd.Context(), report, was, is, *store, given); err != nil {
				return err
			}
		}
		if err := s.writeReport(report, write); err != nil {
			return err
		}
		return failed(report, *failOn)
	}
	return cmd
}

// writeReport writes a report to stdout by write, or as JSON; its notes are lines on stderr.
func (s *shell) writeReport(report *diff.Report, write func(io.Writer, *diff.Report) error) error {
	for _, note := range report.Notes {
		fmt.Fprintln(s.stderr, note)
	}
	if s.json || write == nil {
		return s.writeValue(report)
	}
	return write(s.out, report)
}

// failed is the error of a report that does not pass, which leaves with exit code 1.
func failed(report *diff.Report, failOn string) error {
	n, what := report.Count(diff.Breaking), "breaking change"
	if failOn == "dangerous" && n == 0 {
		n, what = report.Count(diff.Dangerous), "dangerous change"
	}
	if failOn == "none" || n == 0 {
		return nil
	}
	return gateway.Broken(errors.New(count(n, what)))
}

// versionReader reads the versions that diff compares.
type versionReader struct {
	*shell
	headers  http.Header     // for hosts
	signer   *signing.Signer // of the requests to hosts; nil: they are not signed
	folders  []string        // temporary ones, of revisions
	projects []readFolder    // the versions that are folders
}

// readFolder is a version that is a folder, with its settings.
type readFolder struct {
	version *diff.Version
	source  *facade.Project
	config  *gateway.Config
}

// close removes the reader's files.
func (r *versionReader) close() {
	for _, dir := range r.folders {
		_ = os.RemoveAll(dir) // a temporary folder that stays is the system's to remove
	}
}

// read reads a version by how it is named; other is how the other one is.
func (r *versionReader) read(ctx context.Context, name, other string) (*diff.Version, error) {
	info, err := os.Stat(name)
	switch {
	case strings.HasPrefix(name, "git:"):
		dir, err := r.checkout(ctx, name, other)
		if err != nil {
			return nil, err
		}
		return r.folder(name, dir) //nolint:contextcheck // compiling a project waits for nothing
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		return r.host(ctx, name)
	case err != nil:
		return nil, fmt.Errorf("%s is not a version; write a folder, git:REV, git:REV:DIR, bundle.json or a URL", name)
	case info.IsDir():
		return r.folder(name, name) //nolint:contextcheck // compiling a project waits for nothing
	}
	return r.file(name) //nolint:contextcheck // compiling a project waits for nothing
}

// folder reads a project's folder. Variables of the environment are not read: they are of this
// machine, and of neither version.
func (r *versionReader) folder(name, dir string) (*diff.Version, error) {
	config := &gateway.Config{Dir: dir, Extras: all.Extras()}
	settingsErr := config.Load("", nil)
	if settingsErr != nil {
		config = nil
	}
	source, err := readProject(dir, config)
	if err := errors.Join(settingsErr, err); err != nil {
		return nil, fmt.Errorf("%s cannot be compared:\n%w", name, err)
	}
	promises, err := config.Promises()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be compared:\n%w", name, err)
	}
	if config.Vendor != "" {
		source.Vendor = config.Vendor
	}
	v, err := diff.New(&diff.Source{
		Name: name, Project: source, List: project.ListLimits(promises.List), Audiences: promises.Audiences,
		Documents: promises.Documents, Enforced: promises.Enforced, Limits: promises.Limits, Remotes: promises.Remotes,
	})
	r.projects = append(r.projects, readFolder{v, source, config})
	return v, err
}

// file reads a bundle, or the discovery document that frond schema --surface envelope writes.
func (r *versionReader) file(name string) (*diff.Version, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	src := &diff.Source{Name: name, Form: diff.Bundle}
	if jsontext.Check(text) == nil && jsontext.Get(text, "fronds") != nil {
		document, err := schema.ReadDiscovery(text)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be compared:\n%w", name, err)
		}
		src.Form, src.Project = diff.Discovery, diff.OfDiscovery(document)
		return diff.New(src)
	}
	cards, err := schema.ReadBundle(text)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be compared:\n%w", name, err)
	}
	src.Project = diff.OfBundle(cards, nil)
	return diff.New(src)
}

// host reads the discovery document of a running host. A host that does not answer is exit
// code 3.
func (r *versionReader) host(ctx context.Context, url string) (*diff.Version, error) {
	document, err := contract.Discover(ctx, url, r.headers, r.signer)
	if err != nil {
		return nil, err
	}
	return diff.New(&diff.Source{Name: url, Form: diff.Discovery, Project: diff.OfDiscovery(document)}) //nolint:contextcheck // compiling a project waits for nothing
}

// checkout writes a folder as it was at a revision into a temporary one, and returns that. The
// work tree, the index and the branches of the repository are not touched.
//
//	git:main             the other version's folder at main, or the current one
//	git:main:sub/shop    sub/shop below the current folder
func (r *versionReader) checkout(ctx context.Context, name, other string) (string, error) {
	rev, dir, given := strings.Cut(strings.TrimPrefix(name, "git:"), ":")
	if rev == "" || strings.HasPrefix(rev, "-") {
		return "", fmt.Errorf("%s names no revision; write such as git:main or git:v1.4.0:%s", name, "sub/shop")
	}
	if info, err := os.Stat(other); !given && err == nil && info.IsDir() {
		dir = other
	}
	abs, err := filepath.Abs(filepath.FromSlash(dir))
	if err != nil {
		return "", err
	}
	// The folder itself may be gone from the work tree; one above it is there.
	from := abs
	for info, err := os.Stat(from); (err != nil || !info.IsDir()) && from != filepath.Dir(from); info, err = os.Stat(from) {
		from = filepath.Dir(from)
	}
	top, err := git(ctx, from, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, err)
	}
	root := strings.TrimRight(string(top), "\r\n")
	if resolved, err := filepath.EvalSymlinks(from); err == nil {
		abs = filepath.Join(resolved, strings.TrimPrefix(abs, from))
	}
	within, err := filepath.Rel(root, abs)
	if err != nil {
		return "", fmt.Errorf("%s is not in the repository %s", dir, root)
	}
	tree := rev + ":" + strings.TrimPrefix(filepath.ToSlash(within), ".")
	to, err := os.MkdirTemp("", "frond-diff-")
	if err != nil {
		return "", err
	}
	r.folders = append(r.folders, to)
	// The archive is read as a stream: a repository may have large files next to its cards.
	files, archive := io.Pipe()
	read := make(chan error, 1)
	go func() {
		err := untar(files, to)
		_, _ = io.Copy(io.Discard, files) // git waits until all is read
		read <- err
	}()
	err = runGit(ctx, root, archive, "archive", "--format=tar", tree)
	_ = archive.Close() // it ends the reading, and never fails
	if err := errors.Join(err, <-read); err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return to, nil
}

// git runs git in a folder and returns its output.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	err := runGit(ctx, dir, &stdout, args...)
	return stdout.Bytes(), err
}

// runGit runs git in a folder. The error is git's own message.
func runGit(ctx context.Context, dir string, stdout io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // a revision is checked not to be a flag
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = stdout, &stderr
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("git is not installed; install it, or name a folder")
	case err != nil:
		said, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(stderr.String(), "fatal: ")), "\n")
		return fmt.Errorf("git says %q", said)
	}
	return nil
}

// untar writes the files of an archive into a folder. Links are skipped: their targets may be
// outside of it.
func untar(archive io.Reader, to string) error {
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	files := tar.NewReader(archive)
	for {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		name := filepath.FromSlash(path.Clean(head.Name))
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, files) //nolint:gosec // git wrote the archive, of a repository that the user names
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
}
