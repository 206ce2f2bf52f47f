package envelope

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// forget is how long what a host was found not to do is believed: hosts are
// replaced by better ones. Another discovery document ends it at once.
const forget = 5 * time.Minute

// peer is what is known of a host: what its discovery document says, and what was
// found out by asking.
type peer struct {
	mu       sync.RWMutex
	document [sha256.Size]byte
	methods  map[string]*method // by entity key, a dot, the operation's name; nil: no document yet
	took     bool               // a batch was answered as one
	refused  time.Time          // a batch was refused then, and since then none was taken
	missing  map[string]time.Time
	listings map[string]listing // by entity key, a dot, the operation's name
}

// method is an operation as the host's discovery document has it.
type method struct {
	name   string // as the host spells it
	kind   facade.Kind
	query  []string // the keys of its query; nil: it names none
	fields []string // of the rows of its door, computed ones among them; nil: no card
	limit  int      // the maximum of limit in its card; 0: none
}

// learn takes a discovery document in. One that cannot be read teaches nothing: to
// say so is the affair of who reads it for the gateway.
func (p *peer) learn(document json.RawMessage) {
	sum := sha256.Sum256(document)
	p.mu.RLock()
	known := p.methods != nil && p.document == sum
	p.mu.RUnlock()
	if known {
		return
	}
	read, err := schema.ReadDiscovery(document)
	if err != nil {
		return
	}
	methods := map[string]*method{}
	for _, f := range read.Fronds {
		for _, d := range f.Doors {
			for _, op := range d.Ops {
				m := &method{name: d.Name + "." + op.Name, kind: facade.Kind(op.Kind)}
				if m.kind == "" {
					m.kind = facade.KindOf(op.Name)
				}
				if op.Query != nil {
					m.query = cardKeys(op.Query)
				}
				if op.Input != nil && m.kind == facade.Query { // a built-in query's input is its query (DESIGN 5)
					m.query = append(m.query, cardKeys(op.Input)...)
					m.limit = maximum(op.Input.Field("limit"))
				}
				if d.Schema != nil {
					m.fields = cardKeys(d.Schema)
					if d.Computed != nil {
						m.fields = append(m.fields, cardKeys(d.Computed)...)
					}
				}
				methods[methodKey(d.Name, op.Name)] = m
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.document, p.methods = sum, methods
	p.took, p.refused, p.missing, p.listings = false, time.Time{}, nil, nil
}

// maximum is the keyword of a field, or 0.
func maximum(f *schema.Field) int {
	if f != nil {
		if n, ok := schema.Integer(f.Shape.Extra.Get("maximum")); ok && n > 0 && n < maxSkipped {
			return int(n)
		}
	}
	return 0
}

func (p *peer) listing(key string) listing {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.listings[key]
}

func (p *peer) lists(key string, l listing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listings == nil {
		p.listings = map[string]listing{}
	}
	p.listings[key] = l
}

func cardKeys(c *schema.Card) []string {
	names := make([]string, 0, len(c.Fields))
	for _, f := range c.Fields {
		names = append(names, f.Name)
	}
	return names
}

// method is what the host says of an operation; known is false before the first document.
func (p *peer) method(entity, operation string) (m *method, known bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.methods[methodKey(entity, operation)], p.methods != nil
}

// batches says whether to try a batch, and whether the host has taken one before.
func (p *peer) batches() (try, sure bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.refused.IsZero() || time.Since(p.refused) > forget, p.took
}

func (p *peer) batchTaken() {
	p.mu.RLock()
	took := p.took
	p.mu.RUnlock()
	if took {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took, p.refused = true, time.Time{}
}

func (p *peer) batchRefused() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took, p.refused = false, time.Now()
}

// lacks says whether a method was found not to be served.
func (p *peer) lacks(key string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	at, found := p.missing[key]
	return found && time.Since(at) <= forget
}

func (p *peer) found(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.missing == nil {
		p.missing = map[string]time.Time{}
	}
	p.missing[key] = time.Now()
}

// learned is what was found out by asking, for a status.
func (p *peer) learned() (batches string, missing []string) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	switch {
	case p.took:
		batches = "taken"
	case !p.refused.IsZero() && time.Since(p.refused) <= forget:
		batches = "refused"
	}
	for key, at := range p.missing {
		if time.Since(at) <= forget {
			missing = append(missing, key)
		}
	}
	slices.Sort(missing)
	return batches, missing
}
