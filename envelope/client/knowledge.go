package client

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// forgetAfter is how long it is believed that a host lacks something: hosts are replaced
// by newer ones. A changed discovery document ends it at once.
const forgetAfter = 5 * time.Minute

// knowledge is the knowledge about a host: from its discovery document, and from its answers so
// far. A new document clears the latter: another version of the host may differ.
type knowledge struct {
	mu       sync.RWMutex
	document [sha256.Size]byte
	methods  map[string]*method // by envelope.MethodKey; nil: no document yet
	took     bool               // a batch was answered as one
	refused  time.Time          // when a batch was refused; zero: it was not, or one was taken since
	missing  map[string]time.Time
	lists    map[string]listForm // by envelope.MethodKey
}

// method is an operation as the host's discovery document describes it.
type method struct {
	name   string // as the host spells it
	kind   catalog.Kind
	query  []string // the keys of its query; nil: it names none
	fields []string // of the rows of its door, computed ones among them; nil: no card
	limit  int      // the maximum of limit in its card; 0: none
}

// listForm is how a host answers a list.
type listForm uint8

const (
	listUnknown listForm = iota // not called yet
	listPage                    // a list result (spec 2.7)
	listBare                    // a bare array: a row more than the limit shows that there are more
	listBounded                 // a bare array, and the host refuses a higher limit
)

// learn reads a discovery document. One that cannot be read is ignored: the gateway, which
// reads it too, reports it. It is called after each discovery, mostly with the same text, which
// takes the read lock only.
func (k *knowledge) learn(document json.RawMessage) {
	sum := sha256.Sum256(document)
	k.mu.RLock()
	known := k.methods != nil && k.document == sum
	k.mu.RUnlock()
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
				methods[envelope.MethodKey(d.Name, op.Name)] = methodOf(&d, &op)
			}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.document, k.methods = sum, methods
	k.took, k.refused = false, time.Time{}
	clear(k.missing)
	clear(k.lists)
}

// methodOf reads an operation of a discovery document. Where the document gives no kind,
// the name decides, as on every host (docs/calls.md).
func methodOf(d *schema.DiscoveredDoor, op *schema.DiscoveredOp) *method {
	m := &method{name: d.Name + "." + op.Name, kind: catalog.Kind(op.Kind)}
	if m.kind == "" {
		m.kind = catalog.KindOf(op.Name)
	}
	if op.Query != nil {
		m.query = fieldNames(op.Query)
	}
	if op.Input != nil && m.kind == catalog.Query { // a built-in query's input is its query (docs/calls.md)
		m.query = append(m.query, fieldNames(op.Input)...)
		m.limit = maximum(op.Input.Field("limit"))
	}
	if d.Schema != nil {
		m.fields = fieldNames(d.Schema)
		if d.Computed != nil {
			m.fields = append(m.fields, fieldNames(d.Computed)...)
		}
	}
	return m
}

// maximum is the value of that keyword, or 0 without it.
func maximum(f *schema.Field) int {
	if f == nil {
		return 0
	}
	return count(f.Shape.Extra.Get("maximum"), 1, 0)
}

// count is a whole number from least to [envelope.MaxOffset], or otherwise for any other text.
func count(text json.RawMessage, least int64, otherwise int) int {
	n, ok := schema.Integer(text)
	if !ok || n < least || n > envelope.MaxOffset {
		return otherwise
	}
	return int(n)
}

// fieldNames are the names of a card's fields.
func fieldNames(c *schema.Card) []string {
	names := make([]string, 0, len(c.Fields))
	for _, f := range c.Fields {
		names = append(names, f.Name)
	}
	return names
}

// method is the host's description of an operation; known is false before the first document.
// nil and known: the host does not have it.
func (k *knowledge) method(entity, operation string) (m *method, known bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.methods[envelope.MethodKey(entity, operation)], k.methods != nil
}

// listForm is how the host answered the last list of this key.
func (k *knowledge) listForm(key string) listForm {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.lists[key]
}

// setListForm remembers how the host answered a list.
func (k *knowledge) setListForm(key string, form listForm) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lists[key] = form
}

// batches says whether to try a batch, and whether the host has taken one before.
func (k *knowledge) batches() (try, sure bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.refused.IsZero() || time.Since(k.refused) > forgetAfter, k.took
}

// batchTaken remembers that the host answered a batch as one. The usual case takes the
// read lock only.
func (k *knowledge) batchTaken() {
	k.mu.RLock()
	took := k.took
	k.mu.RUnlock()
	if took {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.took, k.refused = true, time.Time{}
}

// batchRefused remembers that the host takes no batches, for forgetAfter.
func (k *knowledge) batchRefused() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.took, k.refused = false, time.Now()
}

// lacks says whether the host was found not to serve a method.
func (k *knowledge) lacks(key string) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return time.Since(k.missing[key]) <= forgetAfter
}

// setMissing remembers that the host does not serve a method, for forgetAfter.
func (k *knowledge) setMissing(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.missing[key] = time.Now()
}

// read adds the knowledge from the host's answers to a status.
func (k *knowledge) read(s *Status) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	switch {
	case k.took:
		s.Batches = "taken"
	case !k.refused.IsZero() && time.Since(k.refused) <= forgetAfter:
		s.Batches = "refused"
	}
	for key, at := range k.missing {
		if time.Since(at) <= forgetAfter {
			s.NoFindByIDs = append(s.NoFindByIDs, key)
		}
	}
	slices.Sort(s.NoFindByIDs)
}
