package frond_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/gateway/extra/all"
)

// TestExtraThatIsNotLinked: a setting that needs an extra is a fault of the start, which names the import
// and hides what may be a password.
func TestExtraThatIsNotLinked(t *testing.T) {
	for name, c := range map[string]struct{ variable, value, want string }{
		"a store on PostgreSQL": {"FROND_STORE", "postgres://shop:hunter2@127.0.0.1:1/shop", `gateway.yaml#/store: a store on PostgreSQL needs postgres.Stores, which this program does not link; import "github.com/frondhost/frond/store/postgres" and write frond.New(site, frond.With(postgres.Stores))`},
		"one of a variable":     {"FROND_STORE", "env:DATABASE", `import "github.com/frondhost/frond/store/postgres"`},
		"NATS":                  {"FROND_FACTS_NATS", "nats://shop:hunter2@127.0.0.1:1", `gateway.yaml#/facts/nats: facts.nats needs nats.Facts, which this program does not link; import "github.com/frondhost/frond/gateway/nats"`},
		"a bucket":              {"FROND_FILES_STORE", "s3://shop", `gateway.yaml#/files/store: a bucket of S3 needs s3.Files, which this program does not link; import "github.com/frondhost/frond/gateway/s3"`},
		"metrics":               {"FROND_ADMIN_LISTEN", "127.0.0.1:0", `gateway.yaml#/admin/listen: /metrics on admin.listen needs prometheus.Metrics, which this program does not link; import "github.com/frondhost/frond/gateway/prometheus"`},
		"spans":                 {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", `OTEL_EXPORTER_OTLP_ENDPOINT: an exporter of spans needs otlp.Traces, which this program does not link; import "github.com/frondhost/frond/gateway/otlp"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("DATABASE", "postgres://shop:hunter2@127.0.0.1:1/shop")
			t.Setenv("FROND_STORE", "memory")
			t.Setenv(c.variable, c.value)
			open := func(options ...frond.Option) error {
				_, closeApp, err := frond.New(fstest.MapFS{
					"fronds/shop/frond.yaml":          {Data: []byte("collectors: {'*': open}\nfacts: [{name: sold, schema: order}]\nfiles: {order.bill: {types: [image/png]}}\n")},
					"fronds/shop/entities/order.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  bill: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\n")},
				}, options...).Handler()
				if err == nil {
					err = closeApp()
				}
				return err
			}
			if err := open(); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("without extras: %v", err)
			}
			if err := open(frond.With(all.Extras()...)); err != nil && strings.Contains(err.Error(), "does not link") {
				t.Errorf("with all: %v", err)
			}
		})
	}
}
