package facade

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// maxKeys is how many keys a condition through a relation comes to at most where the rows on its sides are kept in different
// places.
const maxKeys = 20_000

// keysAnywhere returns the distinct values of a field in the rows that meet a condition, wherever they are kept. The items of
// lists are values too. It ends early with more than most values.
func keysAnywhere(ctx context.Context, x *viewer, field *schema.Property, where *filter.Filter, most int) ([]any, error) {
	if x.host.catalog.RemoteOf(field.Owner) == "" {
		return keysIn(ctx, x, field, where, most)
	}
	text := fmt.Sprintf("%s.%s %d %t %s", field.Owner.Key, field.Name, most, x.inside, where.AppendJSON(nil))
	return askElsewhere(ctx, x, text, func(ctx context.Context, x *viewer) ([]any, error) { return keysIn(ctx, x, field, where, most) })
}

func keysIn(ctx context.Context, x *viewer, field *schema.Property, where *filter.Filter, most int) ([]any, error) {
	keys := newKeys(field)
	err := x.host.rows(ctx, x, field.Owner, []string{field.Name}, where, most+1, func(row rows.Row) bool {
		keys.add(row.Get(field.Name))
		return len(keys.values) <= most
	})
	return keys.values, err
}

// keys are the distinct values of a key, or of a list of keys.
type keys struct {
	values []any

	field *schema.Property
	seen  map[any]bool
}

func newKeys(field *schema.Property) *keys { return &keys{field: field, seen: map[any]bool{}} }

// add adds the value of a row. A null leads nowhere.
func (k *keys) add(text json.RawMessage) {
	item, list := filter.ItemKind(k.field)
	if !list {
		k.addOne(k.field.Kind, text)
		return
	}
	for _, v := range jsontext.Elements(text) {
		k.addOne(item, v)
	}
}

func (k *keys) addOne(kind schema.Kind, text json.RawMessage) {
	if key, why := kind.Value(text); why == "" && !k.seen[key] {
		k.seen[key] = true
		k.values = append(k.values, key)
	}
}

// allKeys returns the distinct values of a field in the rows that meet a condition, wherever they are kept. More than [maxKeys] are
// NOT_IMPLEMENTED.
func allKeys(ctx context.Context, x *viewer, field *schema.Property, where *filter.Filter) ([]any, error) {
	keys, err := keysAnywhere(ctx, x, field, where, maxKeys)
	if err == nil && len(keys) > maxKeys {
		err = errManyKeys(field.Owner)
	}
	return keys, err
}

func errManyKeys(e *schema.Entity) error {
	return kiterror.Errorf(kiterror.NotImplemented, "the condition concerns more than %d remote rows of %s; narrow the condition", maxKeys, e.Name)
}

// asHost is the viewer as this host asks by itself, from which access rules hide no rows.
func asHost(x *viewer) *viewer {
	own := *x
	own.inside, own.state = true, x.state.OfHost()
	return &own
}

// seenBy is the viewer for rows behind a relation: the caller, or for an access rule the host. The author's own code asks its
// hosts as its caller.
func seenBy(x *viewer, rule bool) *viewer {
	if rule && !x.inside {
		return asHost(x)
	}
	return x
}
