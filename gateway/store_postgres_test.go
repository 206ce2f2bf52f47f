package gateway_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

const noteSeeds = `[{"id": "n1", "title": "one"}]`

// A gateway whose server is down at the start serves what it can, and takes the server up when
// it comes: the tables are made and the seeds written then.
func TestPostgresThatComesLate(t *testing.T) {
	cluster := pgtest.New(t, pgtest.Options{})
	store := cluster.Primary.URL(cluster.Database(t))
	if err := cluster.Primary.Kill(); err != nil {
		t.Fatal(err)
	}
	url, stop := run(t, notes(t, "seeds/note.yaml", noteSeeds), gateway.Options{Config: gateway.Config{Extras: all.Extras(), Store: store}})
	defer func() { _ = stop() }() // before its server ends
	if status, body := send(t, "GET", url+"/readyz", ""); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz with the server down: %d %s", status, body)
	}
	if status, body := send(t, "GET", url+"/livez", ""); status != http.StatusOK {
		t.Errorf("/livez with the server down: %d %s", status, body)
	}
	note := url + "/api/app/notes/n1"
	if status, body := send(t, "GET", note, ""); status != http.StatusServiceUnavailable || !strings.Contains(body, "SERVICE_UNAVAILABLE") || strings.Contains(body, "127.0.0.1") {
		t.Errorf("a row with the server down: %d %s", status, body)
	}
	if err := cluster.Primary.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		status, body := send(t, "GET", note, "")
		if ready, _ := send(t, "GET", url+"/readyz", ""); status == http.StatusOK && ready == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after 30 s: %d %s", status, body)
		}
	}
}

// Several gateways that start at once over one empty database make its tables once, and write
// the seeds once.
func TestGatewaysThatStartTogether(t *testing.T) {
	store := pgtest.Database(t)
	urls := make(chan string)
	for range 3 {
		project := notes(t, "seeds/note.yaml", noteSeeds)
		go func() {
			gw, err := gateway.New(project, quiet(gateway.Options{Config: gateway.Config{Extras: all.Extras(), Store: store}}))
			if err != nil {
				t.Error(err)
				urls <- ""
				return
			}
			_, err = gw.Caller().Call(t.Context(), &facade.Call{Entity: "note", Operation: "findById", Invocation: facade.Invocation{Params: []byte(`{"id": "n1"}`)}})
			if err != nil {
				t.Error("the seed:", err)
			}
			if err := gw.Close(); err != nil {
				t.Error(err)
			}
			urls <- ""
		}()
	}
	for range 3 {
		<-urls
	}
}

// What is wrong with the setting store is said without its password.
func TestPostgresSettings(t *testing.T) {
	t.Setenv("STORE_OF_A_FILE", "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	for _, c := range []struct{ name, store, says string }{
		{"a typing error", "postgres://shop:secret@db/shop?poool=x", `"poool"`},
		{"another database", "mysql://shop:secret@db/shop", "write sqlite:PATH"},
		{"a variable that is not set", "env:NO_SUCH_STORE", "env:NO_SUCH_STORE, which is not set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var config gateway.Config
			err := config.Set("store", c.store)
			if err == nil {
				_, err = gateway.New(notes(t), quiet(gateway.Options{Config: config}))
			}
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("the error is %v", err)
			}
		})
	}
	for name, says := range map[string]string{
		"NO_SUCH_REPLICA": "replica 1 of the store is env:NO_SUCH_REPLICA, which is not set",
		"STORE_OF_A_FILE": "the variable STORE_OF_A_FILE does not hold the URL of a replica",
	} {
		_, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Extras: all.Extras(), Store: "postgres://db/shop", Replicas: gateway.Replicas{URLs: []string{"env:" + name}}}}))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("a replica from %s: %v", name, err)
		}
	}
	gw, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Store: "env:STORE_OF_A_FILE"}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := gw.Close(); err != nil {
		t.Error(err)
	}
	_, err = gateway.Backup(t.Context(), &gateway.Config{Extras: all.Extras(), Store: "postgres://shop:secret@db/shop"}, t.TempDir()+"/b")
	if err == nil || !strings.Contains(err.Error(), "pg_dump") || strings.Contains(err.Error(), "secret") {
		t.Errorf("backup: %v", err)
	}
}
