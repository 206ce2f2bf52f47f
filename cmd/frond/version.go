package main

import (
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// build describes the build of this program.
//
//	frond v1.4.0
//	commit 3f2c… 2026-11-20T10:00:00Z, with changes
//	go1.26.0 linux/amd64
type build struct {
	Version  string `json:"version"`            // of the module, or given to the build
	Revision string `json:"revision,omitempty"` // the commit; "" where the build did not know it
	Time     string `json:"time,omitempty"`     // of the commit
	Modified bool   `json:"modified"`           // with uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// licenses has the terms of each package that the program contains; its test writes it.
//
//go:embed THIRD_PARTY_LICENSES
var licenses string

// newVersion is frond version. With --json stdout is a build as one line, with --licenses the terms of
// the packages in the program.
func newVersion(s *shell) *cobra.Command {
	cmd := newCommand("version", 0, 0, "no argument")
	terms := cmd.Flags().Bool("licenses", false, "print the licenses of the packages in the program")
	cmd.RunE = func(*cobra.Command, []string) error {
		if *terms {
			_, err := io.WriteString(s.out, licenses)
			return err
		}
		b := readBuild()
		if s.json {
			return s.writeValue(b)
		}
		fmt.Fprintf(s.out, "frond %s\n", b.Version)
		if b.Revision != "" {
			changed := ""
			if b.Modified {
				changed = ", with changes"
			}
			fmt.Fprintf(s.out, "commit %s %s%s\n", b.Revision, b.Time, changed)
		}
		fmt.Fprintf(s.out, "%s %s\n", b.Go, b.Platform)
		return nil
	}
	return cmd
}

// readBuild reads the data that the build wrote into the program.
//
//	go install …@v1.2.3    Version v1.2.3, no revision
//	go build in a clone    Version devel or a pseudo-version, Revision, Time, Modified
//	the Dockerfile         Version stamped, no revision
//	make release           all stamped
func readBuild() build {
	b := build{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		// A build of a working copy has "(devel)" there, or an empty text.
		if b.Version = info.Main.Version; b.Version == "" || b.Version == "(devel)" {
			b.Version = "devel"
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Revision = s.Value
			case "vcs.time":
				b.Time = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	// The version given to the build has precedence: it knows the tag.
	if stamped != "" {
		b.Version = stamped
	}
	if commit != "" {
		b.Revision, b.Time = commit, date
	}
	return b
}

// stamped is the version that a build without the repository is given, as by the
// Dockerfile: -ldflags "-X main.stamped=…". A release has its commit and the commit's time too.
var stamped, commit, date string

// version is the build in one line: the given version, or the module's version and the commit
// it was built from. A pseudo-version has the commit in it already.
func version() string {
	b := readBuild()
	// As long as the commit in a pseudo-version.
	short := b.Revision[:min(12, len(b.Revision))]
	if stamped != "" || short == "" || strings.Contains(b.Version, short) {
		return b.Version
	}
	return b.Version + " " + short
}
