package nats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/gateway/publish"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// settingsPlan is the plan of the way out to NATS, and the faults of its settings.
type settingsPlan struct {
	settings   *publish.NATS
	options    *publish.Options
	config     clientConfig
	server     *lazyServer
	isEmbedded bool
	faults     schema.Faults
}

// Facts publishes facts to NATS, as facts.nats says.
var Facts broker

type broker struct{}

// Extra implements extra.Extra.
func (broker) Extra() string { return "nats.Facts" }

// Plan implements [publish.Broker].
func (broker) Plan(n *publish.NATS, facts []string, unknown schema.Faults, o *publish.Options) (publish.Connection, schema.Faults) {
	plan := settingsPlan{settings: n, options: o, server: &lazyServer{announce: o.Listening}, isEmbedded: n.URL == publish.EmbeddedURL}
	plan.configure()
	plan.faults = append(plan.faults, unknown...)
	switch {
	case len(plan.faults) > 0:
	case o.Frond != "" && plan.isEmbedded:
		o.Log.Info("the embedded NATS server is the gateway's: this receiver publishes nothing; write the address of a server as facts.nats where it should")
		return nil, nil
	case !o.IsMine(facts):
		o.Log.Info("NATS is for facts of other Fronds, and nothing is published from here")
		return nil, nil
	}
	plan.unused()
	options := publisherOptions{Writer: o.Writer, Log: o.Log}
	options.Writer.Actor = n.Actor
	if plan.isEmbedded {
		plan.embed()
		options.InProcess = plan.server
	} else if !o.Dry {
		plan.address()
	}
	if len(plan.faults) > 0 || o.Dry {
		return nil, plan.faults
	}
	made, err := newPublisher(plan.config, options)
	if file := (*fileError)(nil); errors.As(err, &file) {
		plan.fault("/"+file.Key, file.File+" cannot be used", fmt.Errorf("%s; name a file that can be", setting.Reason(file.Err)))
	} else if err != nil {
		plan.fault("", "NATS cannot be used", err)
	}
	if len(plan.faults) > 0 {
		return nil, plan.faults
	}
	return &connection{made, plan.server}, nil
}

// connection is a publisher with the embedded server that it may have.
type connection struct {
	*publisher
	server *lazyServer
}

// Run implements [publish.Connection].
func (c *connection) Run(ctx context.Context, events *delivery.Consumer) error {
	defer c.server.Close()
	return c.publisher.Run(ctx, events)
}

func (p *settingsPlan) fault(key, message string, remedy error) {
	p.faults = append(p.faults, schema.Fault{File: setting.File, Pointer: "/facts/nats" + key, Message: message, Remedy: remedy.Error()})
}

// below is a file of the settings below the project's folder, or "".
func (p *settingsPlan) below(file string) string {
	if file == "" {
		return ""
	}
	return setting.Below(p.options.Dir, file)
}

// configure makes the configuration of the client, without its address.
func (p *settingsPlan) configure() {
	n := p.settings
	p.config = clientConfig{
		Stream: n.Stream, Prefix: n.Prefix, Replicas: n.Replicas, Retention: p.options.Retention,
		Credentials: p.below(n.Credentials), CA: p.below(n.CA), Certificate: p.below(n.Certificate), Key: p.below(n.Key),
	}
	var err error
	if p.options.Dry {
		p.config.Token = n.Token
	} else if p.config.Token, err = publish.Resolved(n.Token); err != nil {
		p.fault("/token", "the token cannot be read", err)
	}
	if (n.Certificate == "") != (n.Key == "") {
		p.fault("/key", "a client certificate has two files", errors.New("write both facts.nats.certificate and facts.nats.key"))
	}
}

// unused faults settings of the other kind of server.
func (p *settingsPlan) unused() {
	n := p.settings
	for _, s := range []struct {
		key  string
		is   bool
		side string
	}{
		{"listen", !p.isEmbedded && n.Listen != publish.DefaultListen, "of the embedded server"},
		{"folder", !p.isEmbedded && n.Folder != publish.DefaultFolder, "of the embedded server"},
		{"credentials", p.isEmbedded && n.Credentials != "", "for servers of your own"},
		{"ca", p.isEmbedded && n.CA != "", "for servers of your own"},
		{"certificate", p.isEmbedded && n.Certificate != "", "for servers of your own"},
	} {
		if s.is {
			p.fault("/"+s.key, "facts.nats."+s.key+" is "+s.side+", and has no effect here", errors.New("leave it out"))
		}
	}
}

// embed plans the embedded server.
func (p *settingsPlan) embed() {
	n := p.settings
	p.server.options = embeddedOptions{Dir: p.below(n.Folder), Listen: n.Listen, Token: p.config.Token, Log: p.options.Log}
	if !hasEmbedded {
		p.fault("", "this program is built without the embedded NATS server (tag nonats)", errors.New("run a NATS server and write its address as facts.nats, or take a program with one"))
	}
	if p.options.Shared {
		p.fault("", "an embedded server belongs to one process, and several may have this store", errors.New("run a NATS server of your own and write its address as facts.nats"))
	}
	if !setting.Loopback(n.Listen) && p.config.Token == "" {
		p.fault("/listen", "everybody who reaches "+n.Listen+" could read every fact", errors.New("listen on 127.0.0.1, or write facts.nats.token"))
	}
	if n.Replicas > 1 {
		p.fault("/replicas", "an embedded server is one server", errors.New("leave facts.nats.replicas out, or run a cluster and write its address as facts.nats"))
	}
}

// address reads the address of the servers.
func (p *settingsPlan) address() {
	var err error
	if p.config.URL, err = publish.Resolved(p.settings.URL); err == nil {
		err = publish.CheckNATSURL(p.config.URL)
	}
	if err != nil {
		p.fault("", "the address cannot be used", err)
	}
}

// lazyServer is an embedded server that starts with the first connection to it, after the publisher
// was made over it. If it cannot start, because another process still has the port, the next
// attempt of the client tries again.
type lazyServer struct {
	options  embeddedOptions
	announce func(url string)

	mu     sync.Mutex
	server *embedded // nil: it does not run
}

// InProcessConn starts the server, unless it runs already, and connects to it.
func (s *lazyServer) InProcessConn() (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		server, err := startEmbedded(s.options)
		if err != nil {
			return nil, &delivery.Unavailable{Reason: err.Error()}
		}
		s.server = server
		if address := server.Address(); address != "" && s.announce != nil {
			s.announce("nats://" + address)
		}
	}
	return s.server.InProcessConn()
}

// Close stops the server.
func (s *lazyServer) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		s.server.Close()
		s.server = nil
	}
}
