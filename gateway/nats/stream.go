package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/frondhost/frond/facts/delivery"
)

// duplicateTime is how long the stream that is made remembers ids. An event is sent again after a
// lost acknowledgement, and after a process died before it saved its cursor.
const duplicateTime = 10 * time.Minute

// stream makes a missing stream, and checks an existing one: it has to take every subject. Its
// other settings are the operator's.
//
// A cursor of its own in the store says that there was a stream before. Its events are lost with
// it, and the log has the command that publishes them again.
func (p *publisher) stream(ctx context.Context, js jetstream.JetStream, c *delivery.Consumer, s *delivery.Session) error {
	ctx, cancel := context.WithTimeout(ctx, ackTime)
	defer cancel()
	wanted := p.config.Prefix + ".>"
	found, err := js.Stream(ctx, p.config.Stream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		found, err = js.CreateStream(ctx, jetstream.StreamConfig{
			Name: p.config.Stream, Subjects: []string{wanted}, Description: "facts of Fronds",
			Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld,
			MaxAge: p.config.Retention, Duplicates: duplicateTime, Replicas: p.config.Replicas,
		})
		if err == nil {
			err = p.made(ctx, c, s, wanted)
		}
	}
	if err == nil {
		err = p.remember(ctx, c, s)
	}
	if err != nil {
		return p.unavailable(err)
	}
	config := found.CachedInfo().Config
	switch {
	case !slices.ContainsFunc(config.Subjects, func(s string) bool { return covers(s, wanted) }):
		return &delivery.Unavailable{Reason: fmt.Sprintf("the stream %s of NATS has the subjects %s; add %s to them, or name another stream as facts.nats.stream",
			p.config.Stream, strings.Join(config.Subjects, ", "), wanted)}
	case config.NoAck:
		return &delivery.Unavailable{Reason: fmt.Sprintf("the stream %s of NATS does not acknowledge (no_ack); turn that off, or name another stream as facts.nats.stream", p.config.Stream)}
	case config.Sealed:
		return &delivery.Unavailable{Reason: fmt.Sprintf("the stream %s of NATS is sealed; name another one as facts.nats.stream", p.config.Stream)}
	}
	return nil
}

// marker is the cursor that says where a stream of this name began.
func (p *publisher) marker() string { return "nats:stream:" + p.config.Stream }

// made logs a new stream: as a loss if there was one before.
func (p *publisher) made(ctx context.Context, c *delivery.Consumer, s *delivery.Session, subjects string) error {
	began, known, err := c.Store.Cursor(ctx, p.marker())
	if err != nil {
		return err
	}
	if !known || began >= s.Cursor() {
		p.log.Info("a stream was made in NATS", "stream", p.config.Stream, "subjects", subjects, "replicas", p.config.Replicas)
		return nil
	}
	oldest, _, err := c.Store.Span(ctx)
	if err != nil {
		return err
	}
	p.log.Warn("the stream of NATS was gone and a new one was made; the events that were in it are lost there, and those that are kept here can be published again",
		"stream", p.config.Stream, "command", "frond facts replay "+c.Name+" --from "+max(began, oldest).String())
	return nil
}

// remember notes where the stream begins, at the first time.
func (p *publisher) remember(ctx context.Context, c *delivery.Consumer, s *delivery.Session) error {
	_, known, err := c.Store.Cursor(ctx, p.marker())
	if err == nil && !known && s.Cursor() != 0 {
		_, err = c.Store.Advance(ctx, p.marker(), 0, s.Cursor())
	}
	return err
}

// covers reports whether a subject of a stream includes all of another: > at the end matches
// one word or more, * one word.
func covers(subject, wanted string) bool {
	have, want := strings.Split(subject, "."), strings.Split(wanted, ".")
	for i, word := range have {
		switch {
		case word == ">":
			return i < len(want)
		case i >= len(want) || want[i] == ">" || word != "*" && word != want[i]:
			return false
		}
	}
	return len(have) == len(want)
}

// The numbers of errors that JetStream's server answers (errors.json of nats-server).
const (
	codeOverlap   jetstream.ErrorCode = 10065 // subjects of another stream
	codeTooLarge  jetstream.ErrorCode = 10054 // max_msg_size of the stream
	codeFull      jetstream.ErrorCode = 10077 // limits of the stream, with discard new
	codeReplicas  jetstream.ErrorCode = 10074 // more replicas than there are servers with room
	codeNoSystem  jetstream.ErrorCode = 10008 // the cluster has no leader
	codeNoStorage jetstream.ErrorCode = 10047 // the disk is full
)

// meaning describes a failure of NATS, without addresses.
func meaning(err error) string {
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api):
		switch api.ErrorCode {
		case codeOverlap:
			return "another stream has its subjects; name that stream as facts.nats.stream, or write another facts.nats.prefix"
		case codeFull:
			return "the stream is full; raise its limits"
		case codeReplicas:
			return "there are not enough servers for facts.nats.replicas"
		case codeNoSystem:
			return "the cluster has no leader"
		case codeNoStorage:
			return "the servers have no storage left"
		}
		return api.Description
	case errors.Is(err, errNoAck), errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, client.ErrNoResponders), errors.Is(err, context.DeadlineExceeded):
		return "no server acknowledges; JetStream may not be enabled (-js), or the cluster has no leader"
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return "JetStream is not enabled; start the server with -js, or allow the account to use it"
	case errors.Is(err, client.ErrAuthorization), errors.Is(err, client.ErrPermissionViolation):
		return "the user may not publish"
	}
	return "the connection is gone"
}

// unavailable is a failure that may end by itself, or by an action of the operator.
func (p *publisher) unavailable(err error) error {
	return &delivery.Unavailable{Reason: "NATS does not take facts: " + meaning(err), Err: err}
}

// tooLarge reports whether a message will never be taken.
func tooLarge(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, client.ErrMaxPayload) || errors.As(err, &api) && api.ErrorCode == codeTooLarge
}
