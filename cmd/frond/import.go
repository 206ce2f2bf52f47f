package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/bulk"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/telemetry"
)

// newImport is frond import. stdout is the report, with --json as the host answers it. The exit code is 1
// if rows were left out.
func newImport(s *shell) *cobra.Command {
	cmd := newCommand("import", 2, 2, "an entity and a file")
	c := addTarget(s, cmd)
	format := cmd.Flags().String("format", "", "csv or ndjson; without it the ending of FILE")
	by := cmd.Flags().String("by", "", "the unique key that rows are known by: a field, or fields with commas")
	dry := cmd.Flags().Bool("dry-run", false, "judge and write the rows of each batch, and undo it")
	faults := cmd.Flags().Int("faults", 0, "the number of faulty rows after which the import ends; 100 unless set")
	delimiter := cmd.Flags().String("delimiter", "", "between cells of csv: comma, semicolon, tab or pipe; without it the first line shows it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *by == "" {
			return errors.New("--by is missing; name the unique key of the rows, such as --by sku")
		}
		as, err := fileFormat(*format, args[1])
		if err != nil {
			return err
		}
		between, ok := bulk.ReadDelimiter(*delimiter)
		if *delimiter != "" && (!ok || as != bulk.CSV) {
			return errors.New("--delimiter cannot be this; it " + bulk.DelimiterRule + ", for a file of type csv")
		}
		file, size, err := openFile(s, args[1])
		if err != nil {
			return err
		}
		defer file.Close()
		query := map[string]any{"by": *by}
		if *dry {
			query["dryRun"] = true
		}
		if *faults > 0 {
			query["faults"] = *faults
		}
		p := &fileProgress{from: file, to: s.stderr, size: size}
		answer, err := c.importFile(cmd.Context(), s, args[0], query, rowsOfFile{as, between, p})
		p.end()
		if err != nil {
			return err
		}
		return s.reportImport(args[1], answer)
	}
	return cmd
}

// openFile opens a file, or stdin for the name -. size is its length, 0 if it is not known.
func openFile(s *shell, name string) (file io.ReadCloser, size int64, err error) {
	if name == "-" {
		return io.NopCloser(s.in), 0, nil
	}
	opened, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	if info, err := opened.Stat(); err == nil {
		size = info.Size()
	}
	return opened, size, nil
}

// rowsOfFile is a file of rows to send.
type rowsOfFile struct {
	format    bulk.Format
	delimiter byte // between cells of CSV; 0: the file shows it
	progress  *fileProgress
}

// importFile imports a file here or at --url, and returns the answer.
func (c *pendingCall) importFile(ctx context.Context, s *shell, entity string, query map[string]any, file rowsOfFile) (json.RawMessage, error) {
	text, err := json.Marshal(query)
	if err != nil {
		return nil, err
	}
	prepared := &facade.Call{Entity: entity, Operation: "import", Invocation: facade.Invocation{Query: text}}
	if prepared.Invocation.State, err = readState(c.state); err != nil {
		return nil, err
	}
	target, err := c.open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer target.close()
	if c.url == "" {
		card := target.card(entity)
		i := bulk.Import{Caller: target, Call: prepared, Card: card, Progress: file.progress.batch}
		rows := bulk.NewReader(file.progress, file.format, card)
		rows.Delimiter = file.delimiter
		report, err := i.Run(ctx, rows)
		if err != nil {
			return nil, kiterror.AsError(err)
		}
		return report.AppendJSON(nil), nil
	}
	door, err := c.door(ctx, target, entity)
	if err != nil {
		return nil, err
	}
	values := queryValues(text)
	if file.delimiter != 0 {
		values.Set("delimiter", string(rune(file.delimiter)))
	}
	answer, err := door.send(ctx, http.MethodPost, "/import", values, "application/json", file.format.MediaType(), file.progress)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	return io.ReadAll(answer)
}

// reportImport writes the report of an import. The error says that rows were left out.
func (s *shell) reportImport(file string, answer json.RawMessage) error {
	var report bulk.Report
	if err := json.Unmarshal(answer, &report); err != nil {
		return kiterror.Errorf(kiterror.BadGateway, "the host's report cannot be read: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s read, %d created, %d updated", file, count(report.Rows, "row"), report.Created, report.Updated)
	for _, f := range report.Faults {
		column := f.Column
		if column != "" {
			column = ", " + column
		}
		fmt.Fprintf(&b, "\n  line %d%s: %s (%s)", f.Line, column, f.Message, f.Code)
	}
	if err := s.say(answer, b.String()); err != nil {
		return err
	}
	switch {
	case !report.Complete:
		return kiterror.Errorf(kiterror.UnprocessableEntity, "the import ended after %s; correct the reported lines and run it again", count(report.Rows, "row"))
	case len(report.Faults) > 0:
		return kiterror.Errorf(kiterror.UnprocessableEntity, "rows were left out; correct the reported lines and run it again")
	}
	return nil
}

// fileProgress reads a file, and says on a terminal how far it is read.
type fileProgress struct {
	from  io.Reader
	to    io.Writer
	size  int64 // of the file; 0: not known
	read  int64
	shown int64 // of the bytes that are read
	text  string
}

// progressStep is how many bytes are read between two lines of progress.
const progressStep = 1 << 20

// Read implements io.Reader.
func (p *fileProgress) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	if p.read += int64(n); p.read-p.shown >= progressStep {
		p.show()
	}
	return n, err
}

// batch shows the report after a batch.
func (p *fileProgress) batch(r *bulk.Report) {
	p.text = fmt.Sprintf(", %d created, %d updated, %d left out", r.Created, r.Updated, r.Faulty)
	p.show()
}

// show writes a line over the last one, if it is a terminal.
func (p *fileProgress) show() {
	if !telemetry.IsTerminal(p.to) {
		return
	}
	p.shown = p.read
	share := ""
	if p.size > 0 {
		share = fmt.Sprintf(" of %d", p.size>>10)
	}
	fmt.Fprintf(p.to, "\r\x1b[K%d%s KiB%s", p.read>>10, share, p.text)
}

// end removes the line.
func (p *fileProgress) end() {
	if p.shown > 0 || p.text != "" {
		if telemetry.IsTerminal(p.to) {
			fmt.Fprint(p.to, "\r\x1b[K")
		}
	}
}
