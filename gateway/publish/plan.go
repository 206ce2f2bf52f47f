package publish

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// Options of [Config.Plan].
type Options struct {
	Dir    string // the project's folder
	Shared bool   // other processes may have the same store
	Writer delivery.CloudEvents
	Log    *slog.Logger
	// Broker publishes to NATS; nil: the program does not link it.
	Broker Broker
	// Retention is how long a stream that is made keeps events.
	Retention time.Duration
	// Dry leaves out the machine: variables and files are not read, and the plan is
	// not started. The settings are checked as far as that goes.
	Dry bool
	// Listening, if not nil, is called with the address of an embedded server.
	Listening func(url string)
	// Frond is the only Frond that a receiver serves and whose facts it sends; "": all of them
	// are served.
	Frond string
}

// IsMine reports whether facts, as FROND.FACT, are for this process to send; an empty list means
// all facts. A webhook of several Fronds is sent whole: hosts that share a store share its
// position.
func (o *Options) IsMine(names []string) bool {
	return o.Frond == "" || len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, o.Frond+".") })
}

// Plan reads variables and files and checks the settings against the declared facts, without a
// connection. c has its defaults ([Config.WithDefaults]). The result is nil if the settings publish to
// no place.
func (c *Config) Plan(served *catalog.Catalog, o Options) (*Publisher, schema.Faults) {
	if len(c.Webhooks) == 0 && c.NATS.URL == "" {
		return nil, nil
	}
	p := &Publisher{shared: o.Shared, log: o.Log}
	var faults schema.Faults
	for i := range c.Webhooks {
		w, at := &c.Webhooks[i], fmt.Sprint("/webhooks/", i)
		names, unknown := factsOf(served, o.Frond, w.Facts, at+"/facts")
		if !o.IsMine(names) && len(unknown) == 0 {
			o.Log.Info("a webhook is for facts of other Fronds, and is not sent from here", "webhook", w.Name)
			continue
		}
		config, bad := w.config(at, o.Dry)
		faults = append(append(faults, bad...), unknown...)
		if o.Dry || len(bad)+len(unknown) > 0 {
			continue
		}
		writer := o.Writer
		writer.Actor = w.Actor
		hook, err := newHook(config, hookOptions{Writer: writer, Log: o.Log})
		if err != nil {
			faults = append(faults, schema.Fault{File: setting.File, Pointer: at, Message: "the webhook cannot be used", Remedy: err.Error()})
			continue
		}
		p.ways = append(p.ways, &way{consumer: &delivery.Consumer{Name: "webhook:" + w.Name, Facts: names, Retention: o.Retention, Log: o.Log}, run: hook.Run})
	}
	if c.NATS.URL != "" {
		faults = append(faults, p.planNATS(&c.NATS, served, &o)...)
	}
	return p, faults
}

// planNATS adds the way out to NATS, or returns the faults of its settings.
func (p *Publisher) planNATS(n *NATS, served *catalog.Catalog, o *Options) schema.Faults {
	names, unknown := factsOf(served, o.Frond, n.Facts, "/facts/nats/facts")
	if o.Broker == nil {
		return append(unknown, extra.NATS.Missing(setting.File, "/facts/nats", "facts.nats"))
	}
	connection, faults := o.Broker.Plan(n, names, unknown, o)
	if connection != nil && len(faults) == 0 {
		p.ways = append(p.ways, &way{
			consumer: &delivery.Consumer{Name: "nats", Facts: names, Retention: o.Retention, Log: o.Log}, problem: connection.Problem, run: connection.Run,
		})
	}
	return faults
}

// factsOf finds the named facts, as FROND.FACT; without names it returns nil, which means all. A
// fault names the declared facts. frond is the Frond of a receiver, which passes over the facts of
// others; "": of a gateway.
func factsOf(served *catalog.Catalog, frond string, names []string, at string) (found []string, faults schema.Faults) {
	for i, name := range names {
		fault := func(message, remedy string) {
			faults = append(faults, schema.Fault{File: setting.File, Pointer: fmt.Sprint(at, "/", i), Message: message, Remedy: remedy})
		}
		switch meant, declared := served.FactsNamed(name); {
		case len(meant) > 1:
			fault("several Fronds have a fact "+name, "write one of "+meant[0].FullName()+", "+meant[1].FullName())
		case len(meant) == 1 && frond == "" && meant[0].Frond.Remote != "":
			fault(meant[0].FullName()+" is a fact of a Frond that runs elsewhere", "leave it out here, and write it in the settings of the host that "+meant[0].Frond.Name+" runs in, a gateway or frond serve")
		case len(meant) == 1:
			found = append(found, meant[0].FullName())
		case len(declared) == 0:
			fault("there is no fact "+name, "declare it in a frond.yaml; no fact is declared in this project")
		default:
			fault("there is no fact "+name, "write one of "+strings.Join(declared, ", "))
		}
	}
	return found, faults
}
