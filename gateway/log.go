package gateway

import (
	"io"
	"log"
	"log/slog"
	"os"
)

// NewLogger writes what the gateway has to say to w: text on a terminal, a JSON
// object a line otherwise, unless the format is given.
func NewLogger(w io.Writer, c Log) *slog.Logger {
	opts := &slog.HandlerOptions{Level: c.Level}
	if c.Format == "text" || c.Format != "json" && terminal(w) {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}

// terminal says whether someone is likely to be reading along.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// serverLog is where net/http says what went wrong below any request: mostly what
// strangers do to a port, a handshake that ends early for one.
func serverLog(l *slog.Logger) *log.Logger { return slog.NewLogLogger(l.Handler(), slog.LevelDebug) }
