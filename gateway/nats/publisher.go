package nats

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync/atomic"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/gateway/publish"
)

// How the publisher waits.
const (
	connectTime   = 5 * time.Second
	reconnectWait = 500 * time.Millisecond
	ackTime       = 5 * time.Second // for the acknowledgement of one wave
	retryWait     = 250 * time.Millisecond
	maxRetryWait  = 5 * time.Second
	maxWave       = 256 // events that wait for their acknowledgement at once

)

// lookEvery is how often a publisher that is busy looks for events that a replay has revived. Tests
// shorten it.
var lookEvery = 30 * time.Second

// publisher publishes events to one stream.
type publisher struct {
	config  clientConfig
	options publisherOptions
	log     *slog.Logger
	connect []client.Option

	problem atomic.Pointer[string]      // of the connection; nil: connected
	conn    atomic.Pointer[client.Conn] // while Run runs
}

// newPublisher makes a publisher. It does not connect before [publisher.Run]. The error is about the
// files of c, a [fileError], or its URL.
func newPublisher(c clientConfig, opts publisherOptions) (*publisher, error) {
	c = c.withDefaults()
	if opts.InProcess == nil {
		if err := publish.CheckNATSURL(c.URL); err != nil {
			return nil, err
		}
	}
	options, err := c.connection(&opts)
	if err != nil {
		return nil, err
	}
	p := &publisher{config: c, options: opts, log: opts.Log, connect: options}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.set(unreachable)
	return p, nil
}

// The problems of a publisher without a connection.
const (
	unreachable = "NATS cannot be reached; facts wait in the outbox"
	refused     = "NATS refuses the token, the user and password, or the credentials (facts.nats); facts wait in the outbox"
	noTLS       = "the certificate of NATS is not accepted; write the authority's as facts.nats.ca; facts wait in the outbox"
	clientTLS   = "NATS does not accept this client's TLS; it may want facts.nats.certificate and facts.nats.key; facts wait in the outbox"
	plainNATS   = "NATS has no TLS; write nats:// in place of tls://; facts wait in the outbox"
)

// unconnected is the problem that an attempt to connect came to.
func unconnected(err error) string {
	var embedded *delivery.Unavailable
	var op *net.OpError
	switch {
	case errors.As(err, &embedded):
		return embedded.Reason
	case errors.Is(err, client.ErrAuthorization), errors.Is(err, client.ErrAuthExpired), errors.Is(err, client.ErrAuthRevoked), errors.Is(err, client.ErrAccountAuthExpired):
		return refused
	case errors.Is(err, client.ErrSecureConnWanted):
		return plainNATS
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return noTLS
	case errors.As(err, &op) && op.Op == "remote error":
		return clientTLS
	}
	return unreachable
}

// report records why there is no connection, and logs it if the reason has changed.
func (p *publisher) report(err error) {
	if reason := unconnected(err); reason != p.Problem() {
		p.set(reason)
		p.log.Warn("NATS is not connected", "reason", reason, "error", err)
	}
}

func (p *publisher) set(problem string) {
	if problem == "" {
		p.problem.Store(nil)
	} else {
		p.problem.Store(&problem)
	}
}

// Problem says why no event can be published now; "": there is no problem.
func (p *publisher) Problem() string {
	text := p.problem.Load()
	if text == nil {
		return ""
	}
	// The client does not report every refusal after the first, but keeps the last one.
	if conn := p.conn.Load(); conn != nil && *text == unreachable && conn.LastError() != nil {
		return unconnected(conn.LastError())
	}
	return *text
}

// Run publishes the consumer's events until ctx is done; see [delivery.Consumer.Run]. It starts
// without a server and goes on by itself when there is one.
func (p *publisher) Run(ctx context.Context, c *delivery.Consumer) error {
	options := append([]client.Option{
		client.DisconnectErrHandler(func(_ *client.Conn, err error) {
			if ctx.Err() == nil {
				p.set(unreachable)
				p.log.Warn("the connection to NATS is gone; facts wait in the outbox", "error", err)
			}
		}),
		client.ReconnectErrHandler(func(_ *client.Conn, err error) { p.report(err) }),
		client.ConnectHandler(p.connected), client.ReconnectHandler(p.connected),
		client.ErrorHandler(func(_ *client.Conn, _ *client.Subscription, err error) {
			p.log.Warn("NATS reports an error", "error", err)
		}),
	}, p.connect...)
	conn, err := client.Connect(p.config.URL, options...)
	if err != nil { // of the options: a missing server is not an error
		return fmt.Errorf("the client of NATS cannot be made: %w", err)
	}
	defer conn.Close()
	p.conn.Store(conn)
	defer p.conn.Store(nil)
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(4*maxWave), jetstream.WithPublishAsyncTimeout(ackTime))
	if err != nil {
		return fmt.Errorf("the client of JetStream cannot be made: %w", err)
	}
	return c.Run(ctx, func(ctx context.Context, s *delivery.Session) error {
		return p.publish(ctx, conn, js, c, s)
	})
}

// connected records an established connection.
func (p *publisher) connected(conn *client.Conn) {
	p.set("")
	p.log.Info("NATS is connected", "server", conn.ConnectedServerName())
}

// publish is one session: every batch is acknowledged before the cursor moves.
func (p *publisher) publish(ctx context.Context, conn *client.Conn, js jetstream.JetStream, c *delivery.Consumer, s *delivery.Session) error {
	if !conn.IsConnected() {
		return &delivery.Unavailable{Reason: cmp.Or(p.Problem(), unreachable)}
	}
	if err := p.stream(ctx, js, c, s); err != nil {
		return err
	}
	var looked time.Time
	for {
		if time.Since(looked) >= lookEvery {
			if err := p.revived(ctx, js, c); err != nil {
				return err
			}
			looked = time.Now()
		}
		next, cancel := context.WithTimeout(ctx, s.IdleTime())
		events, behind, err := s.Next(next)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded):
			return s.Idle()
		case err != nil:
			return err
		}
		c.Stats.Change(func(state *delivery.State) { state.Waiting, state.Oldest = len(events), events[0].At })
		for wave := range waves(events) {
			if err := p.send(ctx, js, c, wave); err != nil {
				return err
			}
		}
		if err := s.Save(ctx, behind); err != nil {
			return err
		}
		c.Stats.Change(func(state *delivery.State) { state.Waiting, state.Oldest = 0, time.Time{} })
	}
}

// revived publishes what `frond facts replay` has taken from the dead or from the log, in the order
// of positions. One that is too large still is dead again.
func (p *publisher) revived(ctx context.Context, js jetstream.JetStream, c *delivery.Consumer) error {
	for {
		letters, err := c.Store.Dead(ctx, delivery.Retrying(c.Name), maxWave)
		if err != nil || len(letters) == 0 {
			return err
		}
		slices.SortFunc(letters, func(a, b *facade.DeadEvent) int { return cmp.Compare(a.Event.Position, b.Event.Position) })
		for _, letter := range letters {
			if err := p.send(ctx, js, c, []*facade.Event{&letter.Event}); err != nil {
				return err
			}
			if _, err := c.Store.Revive(ctx, delivery.Retrying(c.Name), letter.Event.ID); err != nil {
				return err
			}
		}
	}
}

// waves cuts events so that no wave has two events of one key.
func waves(events []*facade.Event) func(yield func([]*facade.Event) bool) {
	return func(yield func([]*facade.Event) bool) {
		for len(events) > 0 {
			n, seen := 0, map[string]bool{}
			for ; n < min(len(events), maxWave); n++ {
				e := events[n]
				if e.Entity == "" {
					continue
				}
				if key := e.Entity + "\x00" + string(e.Key); !seen[key] {
					seen[key] = true
					continue
				}
				break
			}
			if !yield(events[:n]) {
				return
			}
			events = events[n:]
		}
	}
}

// send publishes a wave until all of it is acknowledged. JetStream drops repeated messages by
// their id, if an acknowledgement was lost. Failures of the connection end the session, so that
// another process may publish, which may reach a server.
func (p *publisher) send(ctx context.Context, js jetstream.JetStream, c *delivery.Consumer, wave []*facade.Event) error {
	wait := retryWait
	for {
		failed, err := p.attempt(ctx, js, c, wave)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(failed) == 0 {
			return nil
		}
		c.Stats.Change(func(s *delivery.State) { s.Failed += uint64(len(failed)) })
		if wait > maxRetryWait {
			return &delivery.Unavailable{Reason: "NATS does not take facts: " + meaning(err), Err: err}
		}
		p.log.Debug("facts were not acknowledged by NATS and are sent again", "events", len(failed), "error", err)
		wave = failed
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		wait *= 2
	}
}

// attempt publishes a wave once, and returns the unacknowledged events with one of the errors.
func (p *publisher) attempt(ctx context.Context, js jetstream.JetStream, c *delivery.Consumer, wave []*facade.Event) (failed []*facade.Event, err error) {
	within, cancel := context.WithTimeout(ctx, ackTime)
	defer cancel()
	type pending struct {
		event *facade.Event
		ack   jetstream.PubAckFuture
	}
	var sent []pending
	fail := func(e *facade.Event, cause error) error {
		if !tooLarge(cause) {
			failed, err = append(failed, e), cause
			return nil
		}
		return p.bury(ctx, c, e, cause)
	}
	for _, e := range wave {
		m, bad := p.message(e)
		if bad == nil {
			var ack jetstream.PubAckFuture
			if ack, bad = js.PublishMsgAsync(m, jetstream.WithExpectStream(p.config.Stream), jetstream.WithRetryAttempts(0)); bad == nil {
				sent = append(sent, pending{e, ack})
				continue
			}
		}
		if bad = fail(e, bad); bad != nil {
			return wave, bad
		}
	}
	for _, one := range sent {
		var bad error
		select {
		case <-one.ack.Ok():
			c.Stats.Change(func(s *delivery.State) { s.Delivered++ })
			continue
		case bad = <-one.ack.Err():
		case <-within.Done():
			bad = errNoAck
		}
		if bad = fail(one.event, bad); bad != nil {
			return wave, bad
		}
	}
	return failed, err
}

// errNoAck is the failure of an event that the server did not acknowledge in time.
var errNoAck = errors.New("no acknowledgement came in time")

// message is the message of an event.
func (p *publisher) message(e *facade.Event) (*client.Msg, error) {
	body, err := p.options.Writer.Write(e)
	if err != nil {
		return nil, err
	}
	m := client.NewMsg(p.config.Prefix + "." + e.Frond + "." + e.Name)
	m.Data = body
	m.Header.Set(jetstream.MsgIDHeader, e.ID)
	m.Header.Set("Content-Type", delivery.CloudEventType)
	if e.Trace != "" {
		m.Header.Set("Traceparent", e.Trace)
	}
	return m, nil
}

// bury keeps an event that no server would take.
func (p *publisher) bury(ctx context.Context, c *delivery.Consumer, e *facade.Event, cause error) error {
	p.log.Error("an event is too large for NATS and is dead", "event", e.ID, "fact", e.Frond+"."+e.Name, "bytes", len(e.Data), "error", cause)
	c.Stats.Change(func(s *delivery.State) { s.Dead++ })
	return c.Store.Bury(ctx, &facade.DeadEvent{Consumer: c.Name, Event: *e, Tries: 1, Reason: "the message is larger than the server takes", At: time.Now().UTC()})
}
