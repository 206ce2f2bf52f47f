//go:build !nonats

package nats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// hasEmbedded reports whether the program has a server.
const hasEmbedded = true

// readyTime is how long a start may take, the recovery of the files included.
const readyTime = 30 * time.Second

// embedded is a NATS server in this process, for hosts of one machine.
type embedded struct{ server *server.Server }

// startEmbedded starts a server with JetStream and waits until it accepts connections. An acknowledged
// event is on disk: the server syncs its file first. The caller closes the server.
func startEmbedded(o embeddedOptions) (*embedded, error) {
	options := &server.Options{
		ServerName: "frond", StoreDir: o.Dir, JetStream: true, SyncAlways: true,
		DontListen: true, NoSigs: true, NoSystemAccount: false, Authorization: o.Token,
	}
	if o.Listen != "" {
		host, port, err := net.SplitHostPort(o.Listen)
		if err != nil {
			return nil, errors.New("write host:port such as 127.0.0.1:4222")
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, errors.New("write host:port such as 127.0.0.1:4222")
		}
		options.DontListen, options.Host, options.Port = false, host, int(number)
		if number == 0 {
			options.Port = server.RANDOM_PORT
		}
		// The server only logs that it cannot listen.
		var config net.ListenConfig
		l, err := config.Listen(context.Background(), "tcp", o.Listen)
		if err != nil {
			return nil, fmt.Errorf("cannot listen on %s: another program may have it; write another one as facts.nats.listen", o.Listen)
		}
		_ = l.Close() // it was only tried
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder %s cannot be made; name a writable one in facts.nats.folder", o.Dir)
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("the embedded NATS server cannot be made: %w", err)
	}
	if o.Log != nil {
		s.SetLoggerV2(&logger{o.Log}, false, false, false)
	}
	s.Start()
	for by := time.Now().Add(readyTime); !s.ReadyForConnections(readyTime / 100); {
		if s.Running() && time.Now().Before(by) {
			continue
		}
		s.Shutdown()
		return nil, fmt.Errorf("the embedded NATS server does not start in %s; the log says more", o.Dir)
	}
	return &embedded{s}, nil
}

// InProcessConn connects within the process, without a port.
func (s *embedded) InProcessConn() (net.Conn, error) { return s.server.InProcessConn() }

// Address is where consumers connect to; "": nowhere.
func (s *embedded) Address() string {
	if a := s.server.Addr(); a != nil {
		return a.String()
	}
	return ""
}

// Close stops the server and waits until its files are closed.
func (s *embedded) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// logger takes the server's log: problems at their level, the rest at debug.
type logger struct{ log *slog.Logger }

func (l *logger) Noticef(f string, v ...any) { l.log.Debug("NATS: " + fmt.Sprintf(f, v...)) }
func (l *logger) Warnf(f string, v ...any)   { l.log.Warn("NATS: " + fmt.Sprintf(f, v...)) }
func (l *logger) Fatalf(f string, v ...any)  { l.log.Error("NATS: " + fmt.Sprintf(f, v...)) }
func (l *logger) Errorf(f string, v ...any)  { l.log.Error("NATS: " + fmt.Sprintf(f, v...)) }
func (l *logger) Debugf(string, ...any)      {}
func (l *logger) Tracef(string, ...any)      {}
