package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
)

// Config is how a gateway runs. The zero value is the careful choice: loopback,
// a store under .frond/, no identity but anonymous.
type Config struct {
	// Dir is the project's folder: a relative path of the store begins there.
	// Empty means the working directory.
	Dir string

	Vendor   string // x-kit-vendor; "" leaves it to the project
	Listen   string // host:port; "" means 127.0.0.1:8080, port 0 any free one
	Store    string // sqlite:PATH or memory; "" means sqlite:.frond/frond.db
	Limits   Limits
	Identity Identity
	Log      Log
	Shutdown Shutdown
}

// Limits bound what one request may ask.
type Limits struct {
	Body int64 // bytes of a request's body; 0 means 1 MiB (spec 8)
	List ListLimits
}

// ListLimits bound the rows of one list.
type ListLimits struct {
	Default int // rows where the caller names no limit; 0 means 50
	Max     int // what a greater limit is clamped to; 0 means 500
}

// Identity says how the surfaces learn who is calling. Without any, every caller is anonymous.
type Identity struct {
	// Dev believes the header X-Frond-User (a JSON object). Whoever reaches the
	// port can claim to be anyone, so it starts on loopback only.
	Dev bool
}

// Log says what is written to stderr.
type Log struct {
	Level  slog.Level // info by default; debug adds a line per request
	Format string     // text or json; "" or auto: text on a terminal, else json
}

// Shutdown says how a gateway stops.
type Shutdown struct {
	// Delay is how long it still serves with /readyz at 503, for a load balancer
	// to notice; 0 stops accepting at once.
	Delay time.Duration
	// Timeout is how long requests in flight may take to finish; 0 means 15 s.
	Timeout time.Duration
}

// ConfigFile is the name of the host's file in a project's folder.
const ConfigFile = "gateway.yaml"

const (
	defaultListen = "127.0.0.1:8080"
	defaultStore  = "sqlite:.frond/frond.db"
	memoryStore   = "memory"
)

// withDefaults is c with every empty setting filled in.
func (c Config) withDefaults() Config {
	c.Listen = cmp.Or(c.Listen, defaultListen)
	c.Store = cmp.Or(c.Store, defaultStore)
	c.Limits.Body = cmp.Or(c.Limits.Body, 1<<20)
	c.Limits.List.Default = cmp.Or(c.Limits.List.Default, 50)
	c.Limits.List.Max = cmp.Or(c.Limits.List.Max, 500)
	c.Log.Format = cmp.Or(c.Log.Format, "auto")
	c.Shutdown.Timeout = cmp.Or(c.Shutdown.Timeout, 15*time.Second)
	return c
}

// LoadConfig reads a project's gateway.yaml, where there is one, and the FROND_
// variables of environ (as [os.Environ] gives them). file names another file
// than DIR/gateway.yaml; one that is named has to exist. The error is
// schema.Faults: everything wrong at once.
func LoadConfig(dir, file string, environ []string) (*Config, error) {
	c := &Config{Dir: dir}
	var faults schema.Faults
	name := cmp.Or(file, filepath.Join(dir, ConfigFile))
	switch text, err := os.ReadFile(name); {
	case err == nil:
		faults = append(faults, c.readFile(filepath.ToSlash(name), text)...)
	case file == "" && errors.Is(err, os.ErrNotExist): // every key has a default
	default:
		faults = append(faults, schema.Fault{File: name, Message: "cannot be read: " + pathless(err), Remedy: "name a file that can be, or leave it out"})
	}
	faults = append(faults, c.readEnviron(environ)...)
	return c, faults.Err()
}

// pathless is the reason a file operation failed, without the name the fault already says.
func pathless(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// check finds what is wrong between settings that are each right.
func (c Config) check() schema.Faults {
	var faults schema.Faults
	if c.Identity.Dev && !loopback(c.Listen) {
		faults = append(faults, schema.Fault{
			File: ConfigFile, Pointer: "/identity/dev",
			Message: fmt.Sprintf("dev identity believes every caller and may not listen on %s", c.Listen),
			Remedy:  "set identity.dev to false, or listen on 127.0.0.1",
		})
	}
	if c.Limits.List.Default > c.Limits.List.Max {
		faults = append(faults, schema.Fault{
			File: ConfigFile, Pointer: "/limits/list/default",
			Message: fmt.Sprintf("the default of %d rows is more than the maximum of %d", c.Limits.List.Default, c.Limits.List.Max),
			Remedy:  "lower limits.list.default or raise limits.list.max",
		})
	}
	return faults
}

// loopback says whether listening on address can be reached from this machine alone.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// The readers of one setting's text. Their errors say what to write.

func readAddress(text string) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", errors.New("write host:port such as 127.0.0.1:8080; port 0 takes any free one")
	}
	return text, nil
}

func readStore(text string) (string, error) {
	if path, ok := strings.CutPrefix(text, "sqlite:"); text == memoryStore || ok && path != "" {
		return text, nil
	}
	return "", errors.New("write sqlite:PATH such as sqlite:.frond/frond.db, or memory")
}

func readSize(text string) (int64, error) {
	number, unit := strings.TrimSpace(text), int64(1)
	for suffix, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20} {
		if cut, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = strings.TrimSpace(cut), size
		}
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 1 {
		return 0, errors.New("write a number of bytes, such as 1048576, 512KiB or 1MiB")
	}
	return n * unit, nil
}

func readCount(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, errors.New("write a whole number of at least 1")
	}
	return int(n), nil
}

func readBool(text string) (bool, error) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, errors.New("write true or false")
}

func readDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("write a duration such as 500ms, 15s or 1m")
	}
	return d, nil
}

func readLevel(text string) (slog.Level, error) {
	switch text {
	case "debug":
		return slog.LevelDebug, nil
	case "info":
		return slog.LevelInfo, nil
	case "warn":
		return slog.LevelWarn, nil
	case "error":
		return slog.LevelError, nil
	}
	return 0, errors.New("write debug, info, warn or error")
}

func readFormat(text string) (string, error) {
	switch text {
	case "auto", "text", "json":
		return text, nil
	}
	return "", errors.New("write auto, text or json")
}
