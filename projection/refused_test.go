package projection

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// TestRefused: what graphql-go refuses is a fault of the card whose type it names, or of the code that
// registered one; and no panic.
func TestRefused(t *testing.T) {
	card := []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n")
	p, err := facade.Read(fstest.MapFS{"fronds/shop/entities/order.yaml": {Data: card}, "fronds/shop/entities/orderLine.yaml": {Data: card}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, p), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, file := range map[string]string{
		"OrderLine.id field type must be Output Type": "fronds/shop/entities/orderLine.yaml",
		"Order fields must be an object":              "fronds/shop/entities/order.yaml",
		"Weather fields must be an object":            "Go code",
	} {
		fault := schema.Fault{}
		if !errors.As(refused(errors.New(text), f.Catalog()), &fault) || fault.File != file || fault.Remedy == "" {
			t.Errorf("%s: %+v", text, fault)
		}
	}
}
