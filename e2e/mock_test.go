package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// startMock starts `frond mock FROND` on a free port.
func startMock(t *testing.T, frond string, args ...string) *program {
	t.Helper()
	return start(t, exec.Command(binary(t), append([]string{"mock", frond, "--port", "0"}, args...)...))
}

// TestMocksBehindAGateway: two mocks that were started apart, with seeds of their
// own, are one schema, and what points across finds its row. One of them is made from
// a folder, the other from what a host in another language answers to rpc.discover.
func TestMocksBehindAGateway(t *testing.T) {
	t.Parallel()
	cards := t.TempDir()
	for name, text := range map[string]string{
		"fronds/sales/entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  reference: {type: string}
required: [reference]
`,
	} {
		file := filepath.Join(cards, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	python := startShipping(t, "0")
	shipping := startMock(t, "shipping", "--from", python.URL, "--seed", "5", "--rows", "20")
	python.kill() // it is not there yet, or not any more
	sales := startMock(t, "sales", "--dir", cards, "--rows", "20")
	gateway := startGateway(t, t.TempDir(), "--mode", "development", "--remote", "shipping="+shipping.URL, "--remote", "sales="+sales.URL)

	body := ask(t, gateway.URL, `{ parcels(first: 20) { items { carrier weight order { id reference } } } rateQuote(input: {carrier: post, weight: 3000}) { cents days } }`)
	var answer struct {
		Data struct {
			Parcels struct {
				Items []struct {
					Company string `json:"carrier"`
					Weight  int
					Order   *struct{ ID, Reference string }
				}
			}
			RateQuote struct{ Cents, Days *int }
		}
		Errors []json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Errors) > 0 {
		t.Fatalf("%s (%v)", body, err)
	}
	if n := len(answer.Data.Parcels.Items); n != 20 {
		t.Errorf("there are %d parcels, want 20", n)
	}
	for _, p := range answer.Data.Parcels.Items {
		if p.Order == nil || p.Order.Reference == "" || p.Weight < 1 || p.Company == "" {
			t.Errorf("a parcel is %+v, want one with an order that is there", p)
		}
	}
	if q := answer.Data.RateQuote; q.Cents == nil || q.Days == nil {
		t.Errorf("the quote is %s", body)
	}
}
