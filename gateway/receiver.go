package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rehearse"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// ReceiverOptions of [NewReceiver]; a nil pointer is fine.
type ReceiverOptions struct {
	Options
	// Addresses to listen on; empty means 127.0.0.1:4100 (spec 8.1).
	Addresses []string
	// AllowUnsigned lets it listen beyond loopback without verifying calls: then the
	// operator has to close access by other means (spec 5.3).
	AllowUnsigned bool
}

// Receiver serves one Frond to other processes. With Config.Signing.Keys it accepts only
// signed calls. Without, it believes the state of a frame, user included (spec 5.1), and
// listens on loopback only.
type Receiver struct {
	host      *Host
	addresses []string
	handler   http.Handler
	draining  atomic.Bool
}

// NewReceiver is [Open] with the envelope of one Frond, whose operations run in this process, and with the
// consumers, webhooks and NATS of its facts. It listens only after [Receiver.Run]. The caller closes the receiver,
// unless Run has returned.
func NewReceiver(project *facade.Project, frond string, opts *ReceiverOptions) (*Receiver, error) {
	return makeReceiver(context.Background(), project, frond, opts, false)
}

// StartReceiver is [NewReceiver] for a process of its own, which [Serve] runs then. It opens its ports as
// [Start] does.
func StartReceiver(ctx context.Context, project *facade.Project, frond string, opts *ReceiverOptions) (*Receiver, error) {
	r, err := makeReceiver(ctx, project, frond, opts, true)
	return r, stopped(ctx, err)
}

// makeReceiver makes a receiver; with listen its ports are open from before the store on.
func makeReceiver(ctx context.Context, project *facade.Project, frond string, opts *ReceiverOptions, listen bool) (*Receiver, error) {
	if opts == nil {
		opts = &ReceiverOptions{}
	}
	addresses := opts.Addresses
	if len(addresses) == 0 {
		addresses = []string{"127.0.0.1:4100"}
	}
	verifier, faults := opts.Config.Signing.WithDefaults().Verifier(opts.Config.Dir, frond)
	if err := append(exposed(addresses, opts), faults...).Err(); err != nil {
		return nil, err
	}
	here := opts.Options
	here.Config.Remotes = maps.Clone(here.Config.Remotes)
	delete(here.Config.Remotes, frond) // it runs here
	if len(here.Config.Remotes) == 0 {
		here.Config.Signing.Key = ""
	}
	as := opening{serves: true, frond: frond}
	if listen {
		as.listen = addresses
	}
	host, err := open(ctx, project, &here, as)
	if err != nil {
		return nil, err
	}
	host.follow(context.WithoutCancel(ctx), nil)
	served, caller, err := host.only(frond)
	if err != nil {
		host.port.close()
		return nil, errors.Join(err, host.Close())
	}
	served.GivesFiles, served.Atomic, served.Rehearses = host.files.Load() != nil, host.store.can.Transactor != nil, rehearse.Can(host.store.can)
	if verifier != nil {
		host.log.Info("calls are verified", "frond", frond, "kids", verifier.KeyIDs())
	}
	r := &Receiver{host: host, addresses: addresses}
	mux := http.NewServeMux()
	frames := envelope.NewHandler(served, caller, &envelope.Options{
		TrustState: verifier == nil, Verifier: verifier, Nonces: host.store.can.Nonces, MaxBody: host.config.Limits.Body, Budget: host.budget, Called: calledFrame, Log: host.log,
		Atomic: together(host.compiled.Load, served, caller),
	})
	surfaces := map[string]*guard.Path{envelope.Path: received(envelope.Path, host.counted(frames))}
	surfaces[envelope.Path].Consistent = host.copies()
	paths := []string{envelope.Path}
	for path, handler := range besideCalls(host, served, caller, verifier) { //nolint:contextcheck // the host ends it
		paths, surfaces[path] = append(paths, path), received(path, handler)
	}
	mux.HandleFunc("/livez", live)
	mux.HandleFunc("/readyz", host.ready(&r.draining, false))
	mux.Handle("/", notFound(append(paths, "/livez", "/readyz")))
	others := &guard.Path{Handler: mux}
	// Answers are not compressed (docs/decisions/http-guards.md).
	r.handler = host.around(func(r *http.Request) *guard.Path { return cmp.Or(surfaces[r.URL.Path], others) })
	host.start() //nolint:contextcheck // Close ends what it starts
	return r, nil
}

// exposed returns the faults of addresses beyond loopback of a receiver that does not verify calls.
func exposed(addresses []string, opts *ReceiverOptions) (faults schema.Faults) {
	for _, a := range addresses {
		if !opts.AllowUnsigned && !setting.Loopback(a) && len(opts.Config.Signing.Keys) == 0 {
			faults = append(faults, schema.Fault{
				File: "--hosts", Message: "a receiver that does not verify calls believes every caller and does not listen on " + a,
				Remedy: "listen on 127.0.0.1, verify calls with --verify-keys, or close access by other means and write --allow-unsigned",
			})
		}
	}
	return faults
}

// received is a path of the envelope behind the guards of a receiver.
func received(path string, h http.Handler) *guard.Path {
	return &guard.Path{
		Handler: h, Surface: string(catalog.OnEnvelope), Route: func(*http.Request) string { return path },
		Fail: formOf(catalog.OnEnvelope), Sites: &guard.CrossSite{},
	}
}

// Run listens on every address and serves until ctx is done; see [Gateway.Run].
func (r *Receiver) Run(ctx context.Context) error {
	return errors.Join(r.host.serve(ctx, r.handler, &r.draining, r.addresses...), r.Close())
}

// Close closes the store; calls under way fail. Closing twice is fine.
func (r *Receiver) Close() error { return r.host.Close() }

// Handler returns the surfaces of the receiver, for a server of the program's own.
func (r *Receiver) Handler() http.Handler { return r.handler }

// only is the catalog of one Frond and what answers its calls. The other Fronds are there
// for relations; their operations are not served.
func (h *Host) only(name string) (*catalog.Catalog, facade.Caller, error) {
	all := h.Catalog()
	var names []string
	for _, frond := range all.Fronds {
		names = append(names, frond.Name)
		if frond.Name != name {
			continue
		}
		served := facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			if door := all.Door(c.Entity); door != nil && door.Frond != frond {
				return nil, kiterror.Errorf(kiterror.NotFound, "%s is served by the Frond %s, and this is %s", door.Name, door.Frond.Name, name).At(c.Entity, c.Operation)
			}
			return h.Caller().Call(ctx, c)
		})
		return all.Only(frond), served, nil
	}
	return nil, nil, fmt.Errorf("there is no Frond %s in this project; write one of %s", name, strings.Join(names, ", "))
}
