package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
)

// newJobs is frond jobs. With --json stdout is a list of {job, schedule, next, running, runs}. Exit
// code 3: the store or the gateway cannot be reached.
func newJobs(s *shell) *cobra.Command {
	return newListing(s, "jobs", "/jobs", gateway.Jobs, s.writeJobs)
}

// newListing makes a command that lists values which gateways write into the store of a project:
// stored reads them there, and the admin listener at --url answers them at path.
func newListing[T any](s *shell, name, path string, stored func(context.Context, *facade.Project, *gateway.Options) ([]T, error), write func([]T) error) *cobra.Command {
	cmd := newCommand(name, 0, 0, "no arguments")
	settings := addProject(s, cmd, "store", "remotes", "vendor", "mode")
	url := cmd.Flags().String("url", "", "the address of a gateway's admin listener to ask instead")
	cmd.MarkFlagsMutuallyExclusive("url", "dir")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		list, err := []T{}, error(nil)
		if *url != "" {
			err = askAdmin(cmd.Context(), *url, path, &list)
		} else if project, opts, failed := settings.tables(); failed == nil {
			list, err = stored(cmd.Context(), project, opts)
		} else {
			err = failed
		}
		switch {
		case err != nil:
			return err
		case s.json:
			return s.writeValue(list)
		}
		return write(list)
	}
	return cmd
}

// writeJobs writes jobs for a reader: the job, its schedule and next time, then its last runs.
func (s *shell) writeJobs(states []gateway.JobState) error {
	if len(states) == 0 {
		fmt.Fprintln(s.stderr, "no command is scheduled; write schedule: in a frond.yaml")
	}
	var b strings.Builder
	at := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	for _, state := range states {
		fmt.Fprintf(&b, "%s  %s  next %s\n", state.Job, state.Schedule, at(state.Next))
		if run := state.Running; run != nil {
			fmt.Fprintf(&b, "  %s  running since %s\n", at(run.Due), at(run.Start))
		}
		for _, run := range state.Runs {
			fmt.Fprintf(&b, "  %s  %s", at(run.Due), run.Outcome)
			if run.Code != "" {
				fmt.Fprintf(&b, " %s", run.Code)
			}
			if run.Times > 1 {
				fmt.Fprintf(&b, " %d times", run.Times)
			}
			if run.Start != nil && run.End != nil {
				fmt.Fprintf(&b, " in %s", run.End.Sub(*run.Start).Round(time.Millisecond))
			}
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

// askAdmin reads the JSON of a path of the admin listener of a gateway.
func askAdmin(ctx context.Context, base, path string, into any) error {
	if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
		return fmt.Errorf("--url cannot be %q; write the address of an admin listener such as http://127.0.0.1:9090", base)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(base, "/")+path, nil)
	if err != nil {
		return errors.New("--url is no address; write one such as http://127.0.0.1:9090")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return kiterror.Errorf(kiterror.ServiceUnavailable, "%s cannot be reached; is admin.listen set there?", base).WithCause(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, 16<<20)).Decode(into) != nil {
		return kiterror.Errorf(kiterror.BadGateway, "%s answers %s with status %d; write the address of admin.listen in gateway.yaml", base, path, resp.StatusCode)
	}
	return nil
}
