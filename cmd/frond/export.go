package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/facade/kiterror"
)

// newExport is frond export. FILE is written under another name and renamed when it is whole. With
// --json stdout is {"file": …, "bytes": …}; with FILE - it is the rows.
func newExport(s *shell) *cobra.Command {
	cmd := newCommand("export", 2, -1, "an entity, a file and values of its list")
	c := addTarget(s, cmd)
	format := cmd.Flags().String("format", "", "csv or ndjson; without it the ending of FILE")
	escape := cmd.Flags().String("escape", "", "formulas: a text that a spreadsheet takes for a formula begins with an apostrophe (csv)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		as, err := fileFormat(*format, args[1])
		if err != nil {
			return err
		}
		if *escape != "" && (*escape != "formulas" || as != bulk.CSV) {
			return errors.New("--escape cannot be this; write --escape formulas, for a file of type csv")
		}
		prepared, target, err := c.prepare(cmd.Context(), s, append([]string{args[0] + ".list"}, args[2:]...))
		if err != nil {
			return err
		}
		defer target.close()
		run := func(to io.Writer) error {
			if c.url != "" {
				return c.exportFrom(cmd.Context(), target, prepared, to, as, *escape)
			}
			export := bulk.Export{Caller: target, Call: prepared}
			return export.Run(cmd.Context(), bulk.NewWriter(to, as, prepared, *escape != "").Rows)
		}
		if args[1] == "-" {
			return run(s.out)
		}
		size, err := writeWhole(args[1], run)
		if err != nil {
			return err
		}
		return s.say(map[string]any{"file": args[1], "bytes": size}, fmt.Sprintf("%s has the rows, %d bytes", args[1], size))
	}
	return cmd
}

// fileFormat returns the format of a file. flag is --format.
func fileFormat(flag, file string) (bulk.Format, error) {
	switch as := bulk.Format(flag); {
	case as == bulk.CSV, as == bulk.NDJSON:
		return as, nil
	case flag != "":
		return "", errors.New("--format is csv or ndjson")
	}
	if as := bulk.FormatOf(file); as != "" {
		return as, nil
	}
	return "", fmt.Errorf("the format of %s is unknown; name it .csv or .ndjson, or add --format", file)
}

// exportFrom writes the rows of a gateway.
func (c *pendingCall) exportFrom(ctx context.Context, target *target, prepared *facade.Call, to io.Writer, as bulk.Format, escape string) error {
	door, err := c.door(ctx, target, prepared.Entity)
	if err != nil {
		return err
	}
	query := queryValues(prepared.Invocation.Query)
	if escape != "" {
		query.Set("escape", escape)
	}
	answer, err := door.send(ctx, http.MethodGet, "", query, as.MediaType(), "", nil)
	if err != nil {
		return err
	}
	defer answer.Close()
	if _, err := io.Copy(to, answer); err != nil {
		return kiterror.Errorf(kiterror.BadGateway, "the gateway stopped before the last row: %w; its log has the cause", err)
	}
	return nil
}

// door returns the REST paths of an entity at --url.
func (c *pendingCall) door(ctx context.Context, target *target, entity string) (*restDoor, error) {
	if c.state != "" {
		return nil, errors.New("--state is for a project in --dir; a gateway takes --header")
	}
	headers, err := readHeaders(c.headers)
	if err != nil {
		return nil, err
	}
	return restDoorOf(ctx, target, c.url, headers, entity)
}

// writeWhole has write fill a file, which takes its name when it is whole. size is its length.
func writeWhole(name string, write func(io.Writer) error) (size int64, err error) {
	part := name + ".partial"
	file, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o666)
	if err != nil {
		return 0, err
	}
	if err = write(file); err == nil {
		size, err = file.Seek(0, io.SeekCurrent)
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		_ = os.Remove(part)
		return 0, err
	}
	return size, nil
}
