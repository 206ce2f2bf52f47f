package facade

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// outward encodes a kept value by the field's named conversion (spec 2.2: boundary.out). A
// conversion that is missing, fails or gives no JSON is INTERNAL_ERROR.
func outward(registry *schema.Registry, p *schema.Property, value json.RawMessage) (json.RawMessage, error) {
	convert := registry.Conversions[p.Axes.Out.Name].Encode
	if convert == nil {
		return nil, kiterror.Internal(fmt.Errorf("unknown generator: no conversion called %q encodes %s.%s", p.Axes.Out.Name, p.Owner.Name, p.Name))
	}
	out, err := convert(value)
	if err != nil {
		return nil, kiterror.Internal(fmt.Errorf("conversion %q of %s.%s: %w", p.Axes.Out.Name, p.Owner.Name, p.Name, err))
	}
	if err := jsontext.Check(out); err != nil {
		return nil, kiterror.Internal(fmt.Errorf("conversion %q of %s.%s gave no JSON: %w", p.Axes.Out.Name, p.Owner.Name, p.Name, err))
	}
	return out, nil
}
