package gateway_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
)

// jobTime is a clock of jobs that a test moves: a wait ends when its time has come.
type jobTime struct {
	mu    sync.Mutex
	now   time.Time
	moved chan struct{}
}

func newJobTime(t *testing.T) *jobTime {
	c := &jobTime{now: time.Date(2026, 11, 27, 2, 59, 30, 0, time.UTC), moved: make(chan struct{})}
	gateway.SetJobClock(t, c)
	return c
}

func (c *jobTime) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *jobTime) Wait(ctx context.Context, d time.Duration) bool {
	c.mu.Lock()
	until := c.now.Add(d)
	c.mu.Unlock()
	for {
		c.mu.Lock()
		now, moved := c.now, c.moved
		c.mu.Unlock()
		if !now.Before(until) {
			return true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}

func (c *jobTime) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	close(c.moved)
	c.moved = make(chan struct{})
}

// scheduled is a project whose orders are closed at three o'clock in the night.
func scheduled(t *testing.T, schedule string, closed chan<- error) *facade.Project {
	t.Helper()
	p := folderOf(t, map[string]string{
		"fronds/shop/entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  open: {type: boolean, x-kit: {boundary: {in: closed}}}
required: [id]
`,
		"fronds/shop/frond.yaml": `
doors: {order: {operations: {closeStale: {kind: command}, ring: {kind: command}}}}
changes: [order]
collectors: {order: [{when: '"staff" in user.roles', allow: all}, {deny: all}]}
schedule:
` + schedule,
	})
	facade.HandleCommand(p.Door("order"), "closeStale", func(ctx context.Context, _ struct{}) (any, error) {
		caller := facade.From(ctx)
		if facade.StateFrom(ctx) == nil {
			caller = facade.Inside(ctx)
		}
		_, err := caller.Call(ctx, &facade.Call{Entity: "order", Operation: "create", Invocation: facade.Invocation{Body: json.RawMessage(`{"id":"` + time.Now().Format(time.RFC3339Nano) + `"}`)}})
		closed <- err
		return nil, err
	})
	return p
}

// jobsOf are the jobs of a gateway as its admin listener lists them.
func jobsOf(t *testing.T, gw *gateway.Gateway) (all []gateway.JobState) {
	t.Helper()
	w := askHandler(gw.AdminHandler(), "GET", "/jobs", "")
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil || w.Code != 200 {
		t.Fatalf("/jobs: %d %s", w.Code, w.Body)
	}
	return all
}

// outcomes are those of the last runs, the newest first, once there is none under way.
func outcomes(t *testing.T, gw *gateway.Gateway, n int) (words []string) {
	t.Helper()
	for by := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		all := jobsOf(t, gw)
		if len(all) == 1 && all[0].Running == nil && len(all[0].Runs) >= n {
			for _, run := range all[0].Runs {
				words = append(words, strings.TrimSuffix(string(run.Outcome)+" "+string(run.Code), " "))
			}
			return words
		}
		if time.Now().After(by) {
			t.Fatalf("the jobs are %+v", all)
		}
	}
}

// TestJob: a command runs at its time, as the host or as the state of the schedule; a caller's rules
// hold for the state.
func TestJob(t *testing.T) {
	for name, test := range map[string]struct{ schedule, want, actor string }{
		"as the host":         {`  order.closeStale: {cron: "0 3 * * *"}`, "done", `{"call":"order.closeStale","by":"job"}`},
		"as a state":          {`  order.closeStale: {cron: "0 4 * * *", zone: Europe/Paris, state: {user: {id: cron, roles: [staff]}}}`, "done", `{"user":"cron","call":"order.closeStale","by":"job"}`},
		"as a state, refused": {`  order.closeStale: {cron: "0 3 * * *", state: {user: {id: cron}}}`, "failed FORBIDDEN", ""},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newJobTime(t)
			closed := make(chan error, 9)
			store, err := sqlite.Open(t.Context(), sqlite.Options{Memory: true, Logger: silence})
			if err != nil {
				t.Fatal(err)
			}
			gw, err := gateway.New(scheduled(t, test.schedule, closed), &gateway.Options{Store: store, Logger: silence, Config: gateway.Config{Extras: all.Extras(), Admin: gateway.Admin{Listen: "127.0.0.1:0"}}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = gw.Close() })
			all := jobsOf(t, gw)
			if len(all) != 1 || all[0].Job != "order.closeStale" || all[0].Next.UTC() != clock.Now().Add(30*time.Second) || len(all[0].Runs) != 0 {
				t.Fatalf("the jobs are %+v", all)
			}
			eventually(t, func() string { return askHandler(gw.AdminHandler(), "GET", "/metrics", "").Body.String() }, `frond_jobs_running{job="order.closeStale"} 0`)
			clock.advance(30 * time.Second)
			if got := outcomes(t, gw, 1); strings.Join(got, ", ") != test.want {
				t.Errorf("the runs are %v, want %s", got, test.want)
			}
			outcome, _, _ := strings.Cut(test.want, " ")
			eventually(t, func() string { return askHandler(gw.AdminHandler(), "GET", "/metrics", "").Body.String() }, `frond_jobs_total{job="order.closeStale",outcome="`+outcome+`"} 1`)
			if events, _, err := store.Abilities().Outbox.Log(t.Context(), 0, nil, 9); err != nil || test.actor == "" && len(events) > 0 || test.actor != "" && (len(events) != 1 || string(events[0].Actor.AppendJSON(nil)) != test.actor) {
				t.Errorf("the log has %d events, %v; want the actor %s", len(events), err, test.actor)
			}
			if hidden := askHandler(gw.Handler(), "GET", "/jobs", ""); hidden.Code != 404 {
				t.Errorf("callers get %d %s", hidden.Code, hidden.Body)
			}
		})
	}
}

// TestJobWithoutHandler: a job whose code another program has does not run here, and takes no time from
// that program.
func TestJobWithoutHandler(t *testing.T) {
	clock := newJobTime(t)
	gw, err := gateway.New(scheduled(t, `  order.ring: {cron: "0 3 * * *"}`, nil), &gateway.Options{Logger: silence, Config: gateway.Config{Extras: all.Extras(), Store: "memory", Admin: gateway.Admin{Listen: "127.0.0.1:0"}}})
	if err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Minute)
	if err := gw.Close(); err != nil {
		t.Fatal(err)
	}
	if all, err := gw.Host().JobRecords(t.Context()); err == nil && len(all) > 0 {
		t.Errorf("the store has %v", all)
	}
}

// TestJobOfSeveralGateways: of two gateways over one database one runs a command at its time.
func TestJobOfSeveralGateways(t *testing.T) {
	clock := newJobTime(t)
	closed := make(chan error, 9)
	var gateways []*gateway.Gateway
	store := pgtest.Database(t)
	for range 2 {
		gw, err := gateway.New(scheduled(t, `  order.closeStale: {cron: "0 3 * * *"}`, closed), &gateway.Options{Logger: silence, Config: gateway.Config{Extras: all.Extras(), Store: store, Admin: gateway.Admin{Listen: "127.0.0.1:0"}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = gw.Close() })
		gateways = append(gateways, gw)
	}
	for _, gw := range gateways { // both have looked, so that the time is not missed
		eventually(t, func() string { return askHandler(gw.AdminHandler(), "GET", "/metrics", "").Body.String() }, `frond_jobs_running{job="order.closeStale"} 0`)
	}
	clock.advance(30 * time.Second)
	for _, gw := range gateways {
		if got := outcomes(t, gw, 1); strings.Join(got, ", ") != "done" {
			t.Errorf("the runs are %v", got)
		}
	}
	for _, gw := range gateways { // a loop that is late finds the time dealt with
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(closed) != 1 {
		t.Errorf("the command ran %d times", len(closed))
	}
}

// TestJobOfARemote: the schedule of a Frond that runs elsewhere runs there alone.
func TestJobOfARemote(t *testing.T) {
	clock := newJobTime(t)
	closed := make(chan error, 9)
	shop := newElsewhere(t)
	receiver, err := gateway.NewReceiver(scheduled(t, `  order.closeStale: {cron: "0 3 * * *"}`, closed), "shop", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: silence}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = receiver.Close() })
	shop.stand(receiver.Handler())
	here := scheduled(t, `  order.closeStale: {cron: "0 3 * * *"}`, closed)
	gw, err := gateway.New(here, &gateway.Options{Logger: silence, Config: gateway.Config{Extras: all.Extras(), Store: "memory", Remotes: map[string]gateway.Remote{"shop": {URL: shop.url()}}, Admin: gateway.Admin{Listen: "127.0.0.1:0"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	if all := jobsOf(t, gw); len(all) != 0 {
		t.Errorf("the gateway has %+v", all)
	}
	eventually(t, func() string {
		all, _ := receiver.Host().JobRecords(t.Context())
		return strings.Join(all, "")
	}, `"handled"`)
	clock.advance(30 * time.Second)
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestJobsWithoutAStore: where no store keeps the runs of jobs, the start says so.
func TestJobsWithoutAStore(t *testing.T) {
	dir := t.TempDir()
	files := fstest.MapFS{
		"entities/note.yaml": {Data: []byte(noteCard)},
		"frond.yaml":         {Data: []byte("collectors: {note: open}\ntables: {note: {table: notes}}\ndoors: {note: {operations: {tidy: {kind: command}}}}\nschedule: {note.tidy: {cron: '* * * * *'}}\n")},
	}
	_, err := gateway.New(read(t, files), &gateway.Options{Config: gateway.Config{Dir: dir, Store: "sqlite:" + filepath.Join(dir, "theirs.db"), Migrate: gateway.MigrateOff}})
	if err == nil || !strings.Contains(err.Error(), "frond.yaml#/schedule/note.tidy: note.tidy cannot be scheduled: its rows are in another program's SQLite database") {
		t.Errorf("the start says %v", err)
	}
}

// TestJobsAreListed: frond jobs reads the store beside the gateway.
func TestJobsAreListed(t *testing.T) {
	clock := newJobTime(t)
	dir := t.TempDir()
	opts := &gateway.Options{Logger: silence, Config: gateway.Config{Extras: all.Extras(), Dir: dir, Store: "sqlite:shop.db", Admin: gateway.Admin{Listen: "127.0.0.1:0"}}}
	closed := make(chan error, 9)
	project := func() *facade.Project { return scheduled(t, `  order.closeStale: {cron: "0 3 * * *"}`, closed) }
	if _, err := gateway.Jobs(t.Context(), project(), opts); err == nil || !strings.Contains(err.Error(), "there is no store at") {
		t.Errorf("without a store: %v", err)
	}
	gw, err := gateway.New(project(), opts)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string { return askHandler(gw.AdminHandler(), "GET", "/metrics", "").Body.String() }, `frond_jobs_running{job="order.closeStale"} 0`)
	clock.advance(time.Minute)
	outcomes(t, gw, 1)
	all, err := gateway.Jobs(t.Context(), project(), opts)
	if err != nil || len(all) != 1 || len(all[0].Runs) != 1 || all[0].Runs[0].Outcome != "done" {
		t.Errorf("beside the gateway: %+v, %v", all, err)
	}
	if err := gw.Close(); err != nil {
		t.Fatal(err)
	}
	// The gateway is down for a night.
	clock.advance(47 * time.Hour)
	if gw, err = gateway.New(project(), opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	if got := outcomes(t, gw, 2); strings.Join(got, ", ") != "missed, done" {
		t.Errorf("the runs are %v", got)
	}
	// A new project has another time.
	if err := gw.Replace(t.Context(), scheduled(t, `  order.closeStale: {cron: "30 3 * * *"}`, closed)); err != nil {
		t.Fatal(err)
	}
	if all := jobsOf(t, gw); len(all) != 1 || all[0].Schedule != "30 3 * * * UTC" {
		t.Errorf("after a change the jobs are %+v", all)
	}
}
