package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/diff"
	"github.com/frondhost/frond/gateway"
)

// newDiff is frond diff.
//
//	stdout   the findings: text, JSON {"findings": […]} or Markdown
//	stderr   the parts that were not compared
//	0        no finding at or above --fail-on
//	1        one or more
//	2        wrong usage, or a version that cannot be read
//	3        a host that does not answer
func newDiff(s *shell) *cobra.Command {
	cmd := newCommand("diff", 2, 2, "two versions, the old one and the new one")
	format := cmd.Flags().String("format", "text", "text, json or markdown")
	failOn := cmd.Flags().String("fail-on", "breaking", "the least level that makes the exit code 1: breaking, dangerous, or none for never")
	headers := cmd.Flags().StringArray("header", nil, `a header for a host, such as "Authorization: Bearer …"`)
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
