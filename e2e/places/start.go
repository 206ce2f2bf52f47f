package places

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// A Process is one of a place. The zero value is the gateway in front.
type Process struct {
	Frond   string // the Frond that a host of its own serves
	Between bool   // the gateway in between
}

// World is a running place.
type World struct {
	Gateway *gateway.Gateway // in front
	URL     string           // of it
	closers []func()
	posts   atomic.Int64
}

// Posts is how many requests the hosts behind the gateway have had so far, apart from those for discovery and facts.
func (w *World) Posts() int { return int(w.posts.Load()) }

// counted counts the calls of a host.
func (w *World) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && r.Method == http.MethodPost && !bytes.Contains(body, []byte(`"rpc.discover"`)) {
			w.posts.Add(1)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(rw, r)
	})
}

// Close ends all processes.
func (w *World) Close() {
	for _, c := range slices.Backward(w.closers) {
		c()
	}
}

// Start starts the processes of a place. The function give returns the project and the options of each; Start adds their remotes
// and their keys.
func (p *Place) Start(give func(Process) (*facade.Project, *gateway.Options, error)) (*World, error) {
	w := &World{}
	if err := w.start(p, give); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *World) start(p *Place, give func(Process) (*facade.Project, *gateway.Options, error)) error {
	addresses := map[string]string{} // of the moved Fronds, of the front under "", and of the middle
	for _, name := range append([]string{"", "/between"}, p.Moved...) {
		port, release, err := freeport.Take()
		if err != nil {
			return err
		}
		w.closers = append(w.closers, release)
		addresses[name] = (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}).String()
	}
	// seen returns the remotes of a process that runs the Fronds own: any other is in the process that has it.
	seen := func(own ...string) map[string]gateway.Remote {
		remotes := map[string]gateway.Remote{}
		for _, f := range p.Fronds {
			if slices.Contains(own, f) {
				continue
			}
			at := addresses[""]
			if slices.Contains(p.Moved, f) {
				at = addresses[f]
			}
			remotes[f] = gateway.Remote{URL: "http://" + at}
		}
		return remotes
	}
	for _, f := range p.Moved {
		project, opts, err := give(Process{Frond: f})
		if err != nil {
			return err
		}
		p.complete(opts)
		if p.signed() {
			opts.Config.Remotes = seen(f)
		}
		r, err := gateway.NewReceiver(project, f, &gateway.ReceiverOptions{Options: *opts})
		if err != nil {
			return err
		}
		w.closers = append(w.closers, func() { _ = r.Close() })
		if err := w.serve(addresses[f], w.counted(r.Handler())); err != nil {
			return err
		}
	}
	open := func(of Process, address string, remotes map[string]gateway.Remote) (*gateway.Gateway, error) {
		project, opts, err := give(of)
		if err != nil {
			return nil, err
		}
		p.complete(opts)
		opts.Config.Remotes = remotes
		gw, err := gateway.New(project, opts)
		if err != nil {
			return nil, err
		}
		w.closers = append(w.closers, func() { _ = gw.Close() })
		return gw, w.serve(address, gw.Handler())
	}
	here := slices.DeleteFunc(slices.Clone(p.Fronds), func(f string) bool { return slices.Contains(p.Moved, f) })
	remotes := seen(here...)
	if p.Between {
		if !p.signed() {
			return errors.New("a gateway in between believes no caller without signatures")
		}
		if _, err := open(Process{Between: true}, addresses["/between"], seen()); err != nil {
			return err
		}
		for f := range remotes {
			remotes[f] = gateway.Remote{URL: "http://" + addresses["/between"]}
		}
	}
	gw, err := open(Process{}, addresses[""], remotes)
	w.Gateway, w.URL = gw, "http://"+addresses[""]
	return err
}

func (p *Place) signed() bool { return p.Signing.Key != "" }

// complete adds what all processes have.
func (p *Place) complete(opts *gateway.Options) {
	opts.Config.Signing = p.Signing
	if opts.Store == nil && opts.Config.Store == "" {
		opts.Config.Store = "memory"
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
}

// serve answers at an address.
func (w *World) serve(address string, h http.Handler) error {
	l, err := net.Listen("tcp", address) //nolint:noctx // it is at once
	if err != nil {
		return err
	}
	at := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}} //nolint:gosec // it serves this test
	at.Start()
	w.closers = append(w.closers, func() {
		at.CloseClientConnections()
		at.Close()
	})
	return nil
}
