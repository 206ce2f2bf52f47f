package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step is one call of a story and what has to come of it, on every wire.
type step struct {
	name string
	call

	// want is the value as JSON. A member "*" stands for any value at all (an id
	// made here, a time), "=" for any that is the same on every wire.
	want string
	// fail is the failure instead: the code, and then each detail as pointer:code.
	fail string
	// says are words the failure's message has to contain.
	says string
	// graphql is what GraphQL says instead where its own language refuses the call
	// before there is one: the code of the error. "-" is a call it has no field for.
	graphql string
	// rest is the code that REST answers instead: it has verbs, not operations. "-" is
	// a call that a URL cannot say.
	rest string
	// at is where the failure happened, where that is not the operation called: one
	// that its handler called.
	at string
	// keep remembers members of the value for later steps of the story, which write
	// $name: "cursor=endCursor second=items.1.id".
	keep string
}

// story is some steps over the same rows. The stories of a host share its rows
// too, and run in order, so each works on rows of its own.
type story struct {
	name  string
	steps []step
	as    string // who calls where a step does not say; "" is nobody
}

// host is what the wires have to know of a project to address its doors: written
// down here, not asked of the code under test.
type host struct {
	doors   map[string]doorShape // by entity, in lower case
	types   map[string]bool      // GraphQL types that are rows, hence relations where a field has one
	queries map[string]bool      // named operations that read: GET on REST
	maybe   map[string]bool      // operations that answer a row or null: 404 on REST
	hidden  map[string][]string  // by entity: the fields that only staff can see
}

type doorShape struct {
	frond, plural string            // REST: /api/{frond}/{plural}
	one, many     string            // GraphQL: product(id), products(…)
	typ           string            // GraphQL: type Product, createProduct
	keys          map[string]string // GraphQL's raw key of a relation, where the card's name is another
}

// lane is one wire with what a story has kept on it.
type lane struct {
	name string
	wire wire
	kept map[string]string
	// slow says that each call starts a process. A short run has every twelfth story on such a lane.
	slow bool
}

// runMatrix runs every story on every lane; the first lane is the reference.
func runMatrix(t *testing.T, stories []story, lanes []*lane) {
	t.Helper()
	for n, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			lanes := slices.Clone(lanes)
			if testing.Short() && n%12 != 0 {
				lanes = slices.DeleteFunc(lanes, func(l *lane) bool { return l.slow })
			}
			for _, l := range lanes {
				l.kept = map[string]string{}
			}
			for _, st := range s.steps {
				if st.User == "" {
					st.User = s.as
				}
				t.Run(st.name, func(t *testing.T) { st.run(t, lanes) })
			}
		})
	}
}

func (s step) run(t *testing.T, lanes []*lane) {
	t.Helper()
	if s.want == "" && s.fail == "" {
		t.Fatal("the step expects nothing")
	}
	var measure answer
	for i, l := range lanes {
		got, ok := l.wire.do(t, s.on(l))
		if !ok {
			if i == 0 {
				t.Fatalf("%s cannot say the call", l.name)
			}
			if l.name == "graphql" && s.graphql != "-" {
				t.Errorf("graphql: there is no field for %s", s.call.Method)
			}
			continue
		}
		if l.name == "graphql" && s.graphql != "" {
			s.refused(t, got)
			continue
		}
		if l.name == "rest" && s.rest == "-" {
			continue
		}
		if l.name == "rest" && s.rest != "" {
			if got.Err == nil || got.Err.Code != s.rest {
				t.Errorf("rest: %s\nwant the error %s", show(got), s.rest)
			}
			continue
		}
		if i == 0 {
			measure = got
			if s.check(t, l, got); t.Failed() {
				return // nothing to measure the others by
			}
		}
		if i > 0 {
			got.Err = untraced(t, l, got.Err)
		}
		if diff := cmp.Diff(s.masked(t, l, measure), s.masked(t, l, got)); diff != "" && i > 0 {
			t.Errorf("%s differs from %s (-%[2]s +%[1]s):\n%[3]s", l.name, lanes[0].name, diff)
		}
		l.remember(t, s.keep, got.Value)
	}
}

// untraced is a failure of ours without the trace id that it leaves the process
// with, which is each call's own; it has to be there. Every other failure is itself.
func untraced(t *testing.T, l *lane, e *kitError) *kitError {
	t.Helper()
	if e == nil || e.Code != "INTERNAL_ERROR" {
		return e
	}
	details, _ := e.Details.(map[string]any)
	if id, _ := details["traceId"].(string); len(details) != 1 || len(id) != 32 {
		t.Errorf("%s: a failure of ours leaves with a trace id and nothing else; its details are %v", l.name, e.Details)
	}
	bare := *e
	bare.Details = nil
	return &bare
}

// refused checks what GraphQL's own language says of a call: a code of its own.
func (s step) refused(t *testing.T, got answer) {
	t.Helper()
	switch {
	case s.graphql == "-":
		t.Errorf("graphql: answered what it was to have no field for: %s", show(got))
	case got.Err == nil || got.Err.Code != s.graphql:
		t.Errorf("graphql: %s\nwant the error %s", show(got), s.graphql)
	}
}

// on is the call with what the lane has kept in place of $names.
func (s step) on(l *lane) call {
	c := s.call
	for name, v := range l.kept {
		for _, place := range []*string{&c.Params, &c.Query, &c.Body} {
			*place = strings.ReplaceAll(*place, "$"+name, v)
		}
	}
	return c
}

// check compares an answer with what the step expects.
func (s step) check(t *testing.T, l *lane, got answer) {
	t.Helper()
	if s.fail == "" {
		if got.Err != nil {
			t.Errorf("%s: %s\nwant %s", l.name, show(got), s.want)
			return
		}
		want := l.loose(plainNumbers(decode(t, []byte(s.want))))
		if diff := cmp.Diff(want, wild(want, l.loose(plainNumbers(got.Value)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", l.name, diff)
		}
		return
	}
	if got.Err == nil {
		t.Errorf("%s: %s\nwant the failure %s", l.name, show(got), s.fail)
		return
	}
	words := strings.Fields(s.fail)
	if diff := cmp.Diff(words, failure(got.Err)); diff != "" {
		t.Errorf("%s (-want +got):\n%s\n%s", l.name, diff, show(got))
	}
	for _, word := range strings.Fields(s.says) {
		if !strings.Contains(got.Err.Message, word) {
			t.Errorf("%s: the message %q does not say %q", l.name, got.Err.Message, word)
		}
	}
	entity, op := s.call.entity(), s.call.op()
	if s.at != "" {
		entity, op, _ = strings.Cut(s.at, ".")
	}
	if !strings.EqualFold(got.Err.Entity, entity) || got.Err.Operation != op {
		t.Errorf("%s: the failure is at %s.%s, want %s.%s", l.name, got.Err.Entity, got.Err.Operation, entity, op)
	}
}

// failure is an error as step.fail writes it.
func failure(e *kitError) []string {
	words := []string{e.Code}
	details, _ := e.Details.([]any)
	for _, d := range details {
		m, _ := d.(map[string]any)
		words = append(words, fmt.Sprintf("%v:%v", m["pointer"], m["code"]))
	}
	return words
}

// masked is an answer ready for comparing wires: members that "*" stands for are gone.
func (s step) masked(t *testing.T, l *lane, a answer) any {
	switch {
	case a.Err != nil:
		return *a.Err
	case s.want == "":
		return l.loose(plainNumbers(a.Value))
	}
	return l.loose(unstar(decode(t, []byte(s.want)), plainNumbers(a.Value)))
}

// loose is a value as far as the lane can express it: see loosen.
func (l *lane) loose(v any) any {
	if l.name == "graphql" {
		return loosen(copied(v))
	}
	return v
}

// copied is v with objects and lists of its own.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, inner := range v {
			out[k] = copied(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copied(v[i])
		}
		return out
	}
	return v
}

func unstar(want, got any) any {
	switch w := want.(type) {
	case string:
		if w == "*" && got != nil {
			return "*"
		}
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			out := map[string]any{}
			for k, v := range g {
				out[k] = unstar(w[k], v)
			}
			return out
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(w) {
			out := make([]any, len(g))
			for i := range g {
				out[i] = unstar(w[i], g[i])
			}
			return out
		}
	}
	return got
}

// wild is got with the members that want writes as "*" or "=" replaced by that.
func wild(want, got any) any {
	switch w := want.(type) {
	case string:
		if (w == "*" || w == "=") && got != nil && got != "" {
			return w
		}
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			out := map[string]any{}
			for k, v := range g {
				out[k] = wild(w[k], v)
			}
			return out
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(w) {
			out := make([]any, len(g))
			for i := range g {
				out[i] = wild(w[i], g[i])
			}
			return out
		}
	}
	return got
}

// plainNumbers writes equal numbers alike: 5.0 is 5.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return json.Number(strconv.FormatInt(i, 10))
		}
		if f, err := v.Float64(); err == nil {
			return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
		}
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	}
	return v
}

// remember keeps members of a value: "cursor=endCursor second=items.1.id".
func (l *lane) remember(t *testing.T, keep string, value any) {
	t.Helper()
	for _, k := range strings.Fields(keep) {
		name, path, _ := strings.Cut(k, "=")
		v := value
		for part := range strings.SplitSeq(path, ".") {
			switch at := v.(type) {
			case map[string]any:
				v = at[part]
			case []any:
				i, _ := strconv.Atoi(part)
				if i < len(at) {
					v = at[i]
				}
			}
		}
		s, ok := v.(string)
		if !ok {
			t.Errorf("%s: there is no string at %s to keep", l.name, path)
		}
		l.kept[name] = s
	}
}

// show is an answer on a line.
func show(a answer) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if a.Err != nil {
		_ = enc.Encode(a.Err)
		return "the failure " + strings.TrimSpace(b.String())
	}
	_ = enc.Encode(a.Value)
	s := strings.TrimSpace(b.String())
	return "the value " + s[:min(len(s), 600)]
}

// TestWildcards: a matrix that lets everything pass would be a poor measure.
func TestWildcards(t *testing.T) {
	t.Parallel()
	want := decode(t, []byte(`{"id":"*","n":1,"list":[{"c":"="}]}`))
	for text, equal := range map[string]bool{
		`{"id":"x","n":1,"list":[{"c":"y"}]}`:          true,
		`{"id":"x","n":1.0,"list":[{"c":"y"}]}`:        true,
		`{"id":null,"n":1,"list":[{"c":"y"}]}`:         false,
		`{"id":"x","n":2,"list":[{"c":"y"}]}`:          false,
		`{"id":"x","n":1,"list":[{"c":""}]}`:           false,
		`{"id":"x","n":1,"list":[]}`:                   false,
		`{"id":"x","n":1,"list":[{"c":"y"}],"more":1}`: false,
		`{"n":1,"list":[{"c":"y"}]}`:                   false,
	} {
		if got := plainNumbers(decode(t, []byte(text))); cmp.Equal(plainNumbers(want), wild(want, got)) != equal {
			t.Errorf("%s: equal is %v, want %v", text, !equal, equal)
		}
	}
	e := &kitError{Code: "X", Details: []any{map[string]any{"pointer": "/body/a", "code": "type"}}}
	if got := failure(e); !slices.Equal(got, []string{"X", "/body/a:type"}) {
		t.Errorf("failure: %q", got)
	}
}
