package gateway_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway"
)

const cupCard = "properties: {id: {type: string, x-kit: {role: {primary: true}}}}"

// cups is a Frond of two doors, cup and plate, and what its frond.yaml says.
func cups(t *testing.T, said string) *facade.Project {
	t.Helper()
	return folderOf(t, map[string]string{
		"fronds/kitchen/entities/cup.yaml": cupCard, "fronds/kitchen/entities/plate.yaml": cupCard, "fronds/kitchen/frond.yaml": said,
	})
}

// TestClosedUntilSaid: production starts once somebody has said of every door that is
// shown who may do what.
func TestClosedUntilSaid(t *testing.T) {
	const cup, plate = "fronds/kitchen/frond.yaml#/collectors/cup", "fronds/kitchen/frond.yaml#/collectors/plate"
	collect := func(p *facade.Project) {
		facade.Collect(p.Door("plate"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
			return access.Scope{}, nil
		}))
	}
	for _, c := range []struct {
		name, said string
		attach     func(*facade.Project)
		missing    []string
	}{
		{"nothing is said", "{}", nil, []string{cup, plate}},
		{"one is open", "collectors: {cup: open}", nil, []string{plate}},
		{"one has rules", "collectors: {plate: [{deny: all}]}", nil, []string{cup}},
		{"both are", "collectors: {cup: open, plate: [{}]}", nil, nil},
		{"all are", "collectors: {'*': open}", nil, nil},
		{"Go code collects one", "collectors: {cup: open}", collect, nil},
		{"one is shown nowhere", "collectors: {cup: open}\nsurfaces: {graphql: {only: [cup]}, rest: {only: [cup]}, envelope: {only: [cup]}}", nil, nil},
		{"one is shown to an audience alone", "collectors: {cup: open}\nsurfaces: {graphql: false, rest: false, envelope: false, audiences: {partner: {rest: {only: [plate.list]}}}}", nil, []string{plate}},
		{"one has no door", "collectors: {cup: open}\ndoors: {plate: false}", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			build := func() *facade.Project {
				p := cups(t, c.said)
				if c.attach != nil {
					c.attach(p)
				}
				return p
			}
			opts := func(mode string) *gateway.Options {
				return &gateway.Options{Config: gateway.Config{Store: "memory", Mode: mode}, Logger: slog.New(slog.DiscardHandler)}
			}
			for name, start := range map[string]func() (*gateway.Host, error){
				"New": func() (*gateway.Host, error) {
					gw, err := gateway.New(build(), opts(""))
					if err != nil {
						return nil, err
					}
					return gw.Host(), nil
				},
				"Open": func() (*gateway.Host, error) { return gateway.Open(t.Context(), build(), opts("")) },
				"development": func() (*gateway.Host, error) {
					return gateway.Open(t.Context(), build(), opts(gateway.Development))
				},
			} {
				h, err := start()
				if err == nil {
					_ = h.Close()
				}
				refused := name != "development" && len(c.missing) > 0
				if (err != nil) != refused {
					t.Errorf("%s: %v", name, err)
				}
				if refused && (strings.Count(err.Error(), "\n")+1 != len(c.missing) || !strings.Contains(err.Error(), c.missing[0])) {
					t.Errorf("%s: %v, want it to name %v", name, err, c.missing)
				}
			}
		})
	}
}

// TestDevelopmentWarnsOnce: of each such door, when it starts and not with every project
// that is taken over.
func TestDevelopmentWarnsOnce(t *testing.T) {
	var log bytes.Buffer
	h, err := gateway.Open(t.Context(), cups(t, "{}"), &gateway.Options{
		Config: gateway.Config{Store: "memory", Mode: gateway.Development}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.Replace(t.Context(), cups(t, "{}")); err != nil {
		t.Fatal(err)
	}
	for _, door := range []string{"cup", "plate"} {
		if n := strings.Count(log.String(), "everybody may do everything with "+door); n != 1 {
			t.Errorf("it warned %d times of %s:\n%s", n, door, log.String())
		}
	}
}

// TestAnonymousProductionWarns: a production gateway without identity settings says once that it
// knows no caller.
func TestAnonymousProductionWarns(t *testing.T) {
	session := func(*http.Request) (access.State, error) { return nil, nil }
	for _, c := range []struct {
		name    string
		mode    string
		session gateway.Session
		want    int
	}{
		{"production", gateway.Production, nil, 1},
		{"development", gateway.Development, nil, 0},
		{"production with a session of the program", gateway.Production, session, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			g, err := gateway.New(cups(t, "collectors: {'*': open}"), &gateway.Options{
				Config: gateway.Config{Store: "memory", Mode: c.mode}, Session: c.session, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			if n := strings.Count(log.String(), "every caller is anonymous"); n != c.want {
				t.Errorf("the warning is logged %d times, want %d:\n%s", n, c.want, log.String())
			}
		})
	}
}

// TestReplaceStaysClosed: a project with a door that nobody called open is not taken over.
func TestReplaceStaysClosed(t *testing.T) {
	h, err := gateway.Open(t.Context(), cups(t, "collectors: {'*': open}"), &gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.Replace(t.Context(), cups(t, "collectors: {cup: [{deny: all}]}")); err == nil || !strings.Contains(err.Error(), "plate") {
		t.Errorf("it was taken over: %v", err)
	}
	if _, err := h.Caller().Call(t.Context(), &facade.Call{Entity: "cup", Operation: "list"}); err != nil {
		t.Errorf("what ran runs no more: %v", err)
	}
}

// TestReceiversAreClosed: a receiver asks of all doors of its own Frond, whatever surfaces
// a gateway would show; a gateway in front asks of a remote's doors too, once they are known.
func TestReceiversAreClosed(t *testing.T) {
	project := func(kitchen string) *facade.Project {
		return folderOf(t, map[string]string{
			"fronds/kitchen/entities/cup.yaml": cupCard, "fronds/kitchen/frond.yaml": kitchen, "fronds/hall/entities/coat.yaml": cupCard,
		})
	}
	quietly := gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: slog.New(slog.DiscardHandler)}
	for said, starts := range map[string]bool{"{}": false, "surfaces: {envelope: false, rest: false, graphql: false}": false, "collectors: {cup: open}": true} {
		r, err := gateway.NewReceiver(project(said), "kitchen", &gateway.ReceiverOptions{Options: quietly})
		if err == nil {
			_ = r.Close()
		}
		if (err == nil) != starts || err != nil && strings.Contains(err.Error(), "coat") {
			t.Errorf("%s: %v", said, err)
		}
	}
	front := quietly
	front.Config.Remotes = map[string]gateway.Remote{"hall": {URL: newElsewhere(t).url()}}
	if _, err := gateway.New(project("collectors: {cup: open}"), &front); err == nil || !strings.Contains(err.Error(), `everybody may do everything with coat at its host`) || !strings.Contains(err.Error(), `remotes: {hall: {url: http://…, open: true}}`) {
		t.Errorf("the doors of a remote: %v", err)
	}
	front.Config.Remotes = map[string]gateway.Remote{"hall": {URL: newElsewhere(t).url(), Open: true}}
	gw, err := gateway.New(project("collectors: {cup: open}"), &front)
	if err != nil {
		t.Fatalf("the doors of a remote that is called open: %v", err)
	}
	defer gw.Close()
	for _, a := range gw.Catalog().Access {
		if want := map[string]catalog.Authority{"cup": catalog.ByWord, "coat": catalog.ByHost}[a.Door]; a.By != want {
			t.Errorf("%s is decided by %s, want %s", a.Door, a.By, want)
		}
	}
}
