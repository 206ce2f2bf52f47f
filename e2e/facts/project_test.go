package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// ledger has facts of all kinds: of the three built-in commands, with and without a condition, of
// all changes of a door, and one that Go code emits by its name.
var ledger = fstest.MapFS{
	"entities/account.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  count: {type: integer}
required: [id, count]
`)},
	"entities/transfer.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: uuidv7}}}}
  from: {type: string}
  to: {type: string}
required: [from, to]
`)},
	"entities/effect.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  of: {type: string}
required: [id, of]
`)},
	"frond.yaml": {Data: []byte(`
facts:
  - {name: opened, schema: account, on: account.create}
  - {name: even, schema: account, on: account.update, when: after.count % 2 == 0}
  - {name: closed, schema: account, on: account.delete}
  - {name: moved, schema: {type: object, properties: {transfer: {type: string}, count: {type: integer}}, required: [transfer, count]}}
changes: [account]
doors:
  account:
    operations: {transfer: {kind: command}, bump: {kind: command}, regret: {kind: command}}
collectors: {account: open, transfer: open, effect: open}
`)},
}

// accounts is how many ids there are: few, so that commands meet.
const accounts = 24

// someone is an account's id.
func someone() string { return fmt.Sprintf("a%d", rand.IntN(accounts)) }

// errRegret is the error of a command that has written and emitted before it fails.
var errRegret = errors.New("on second thought")

// project is the ledger with its commands.
func project() (*facade.Project, error) {
	p, err := facade.Read(ledger)
	if err != nil {
		return nil, err
	}
	door := p.Door("account")
	facade.HandleCommand(door, "bump", func(ctx context.Context, _ struct{}) (any, error) {
		return nil, count(ctx, facade.Inside(ctx), someone(), 1)
	})
	transfer := func(ctx context.Context) error {
		inside := facade.Inside(ctx)
		from, to := someone(), someone()
		made, err := call(ctx, inside, "transfer", "create", facade.Invocation{Body: object("from", from, "to", to)})
		if err != nil {
			return err
		}
		for _, id := range []string{from, to} {
			if err := count(ctx, inside, id, 1); err != nil {
				return err
			}
		}
		return facade.Emit(ctx, "moved", map[string]any{"transfer": json.RawMessage(made.Rows.Row(0).Get("id")), "count": 1})
	}
	facade.HandleCommand(door, "transfer", func(ctx context.Context, _ struct{}) (any, error) { return nil, transfer(ctx) })
	// regret fails when all is written; its events would be seen by their count.
	facade.HandleCommand(door, "regret", func(ctx context.Context, _ struct{}) (any, error) {
		if err := facade.Emit(ctx, "moved", map[string]any{"transfer": "regretted", "count": -1}); err != nil {
			return nil, err
		}
		if err := count(ctx, facade.Inside(ctx), someone(), 100); err != nil {
			return nil, err
		}
		return nil, errRegret
	})
	return p, nil
}

// object is a JSON object of texts.
func object(members ...string) json.RawMessage {
	m := map[string]string{}
	for i := 0; i < len(members); i += 2 {
		m[members[i]] = members[i+1]
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return text
}

// call makes one call.
func call(ctx context.Context, c facade.Caller, entity, operation string, in facade.Invocation) (*facade.Result, error) {
	return c.Call(ctx, &facade.Call{Entity: entity, Operation: operation, Invocation: in})
}

// read is how often an account was written.
func read(ctx context.Context, c facade.Caller, id string) (n int, err error) {
	res, err := call(ctx, c, "account", "findById", facade.Invocation{ID: quoted(id)})
	if err != nil {
		return 0, err
	}
	if res.Rows.Len() == 0 {
		return 0, kiterror.Errorf(kiterror.NotFound, "there is no account %s", id)
	}
	return n, json.Unmarshal(res.Rows.Row(0).Get("count"), &n)
}

func quoted(id string) json.RawMessage { return json.RawMessage(`"` + id + `"`) }

// count reads an account and writes it again, with its count higher by n.
func count(ctx context.Context, c facade.Caller, id string, n int) error {
	was, err := read(ctx, c, id)
	if err != nil {
		return err
	}
	_, err = call(ctx, c, "account", "update", facade.Invocation{ID: quoted(id), Body: json.RawMessage(fmt.Sprintf(`{"count":%d}`, was+n))})
	return err
}

// command runs one command at random. The error is one that should not happen.
func command(ctx context.Context, f facade.Caller) error {
	id := someone()
	err := error(nil)
	switch n := rand.IntN(100); {
	case n < 25:
		_, err = call(ctx, f, "account", "create", facade.Invocation{Body: json.RawMessage(`{"id":"` + id + `","count":1}`)})
	case n < 50: // a single write that holds only where nobody came between
		var was int
		if was, err = read(ctx, f, id); err == nil {
			_, err = call(ctx, f, "account", "update", facade.Invocation{
				ID: quoted(id), Body: json.RawMessage(fmt.Sprintf(`{"count":%d}`, was+1)),
				Query: json.RawMessage(fmt.Sprintf(`{"where":{"count":{"eq":%d}}}`, was)),
			})
		}
	case n < 60:
		_, err = call(ctx, f, "account", "delete", facade.Invocation{ID: quoted(id)})
	case n < 75:
		_, err = call(ctx, f, "account", "bump", facade.Invocation{})
	case n < 88:
		_, err = call(ctx, f, "account", "transfer", facade.Invocation{})
	case n < 94:
		_, err = call(ctx, f, "account", "regret", facade.Invocation{})
		if err == nil {
			return errors.New("a command that fails was answered as done")
		}
	default:
		_, err = call(facade.DryRun(ctx), f, "account", "update", facade.Invocation{ID: quoted(id), Body: json.RawMessage(`{"count":-1}`)})
	}
	switch kiterror.CodeOf(err) {
	case "", kiterror.NotFound, kiterror.Conflict, kiterror.PreconditionFailed, kiterror.ServiceUnavailable:
		return nil
	}
	if err == nil || errors.Is(err, errRegret) {
		return nil
	}
	return err
}

// entityOf is an entity of the ledger's catalogue.
func entityOf(f *facade.Facade, name string) *schema.Entity { return f.Catalog().Set.Entity(name) }
