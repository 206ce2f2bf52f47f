package e2e_test

import (
	"flag"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// killFor is how long gateways are killed under load.
var killFor = flag.Duration("kill-for", 6*time.Second, "how long TestSeveralGateways kills gateways")

// withPatroni runs the test that needs Patroni and etcd.
var withPatroni = flag.Bool("patroni", false, "run TestPatroni")

// reachedAgain finds how long the database could not be reached.
var reachedAgain = regexp.MustCompile(`"msg":"the database is reached again".*"after":"([^"]+)`)

// severalProject is what the gateways of these tests serve, with seeds.
func severalProject(t *testing.T) string {
	t.Helper()
	return folder(t, map[string]string{
		"fronds/a/entities/thing.yaml": card("size: {type: integer}"), "fronds/a/frond.yaml": everybody,
		"fronds/a/entities/place.yaml": card(), "fronds/a/seeds/place.yaml": "- {name: One}\n- {name: Two}\n",
	})
}

// freeAddresses are n addresses of this machine, so that a gateway can be started again at its own.
func freeAddresses(t *testing.T, n int) (all []string) {
	t.Helper()
	for range n {
		all = append(all, freeport.Address(t))
	}
	return all
}

// startSeveral starts a gateway at each address, all at the same time, over one store.
func startSeveral(t *testing.T, dir, store string, at []string) []*program {
	t.Helper()
	all := make([]*program, len(at))
	binary(t)
	var started sync.WaitGroup
	for i, address := range at {
		started.Go(func() { all[i] = startAt(t, dir, store, address) })
	}
	started.Wait()
	for _, p := range all {
		if p == nil {
			t.FailNow()
		}
	}
	return all
}

func startAt(t *testing.T, dir, store, address string) *program {
	return start(t, exec.Command(binary(t), "gateway", dir, "--listen", address, "--store", store))
}

// TestSeveralGateways: three gateways over one database start at the same time, take a load,
// and are killed one after another with SIGKILL and started again. No request fails that could
// be sent again, nothing that was acknowledged is lost, and nothing runs twice.
func TestSeveralGateways(t *testing.T) {
	t.Parallel()
	store := pgtest.Database(t)
	dir, at := severalProject(t), freeAddresses(t, 3)
	gateways := startSeveral(t, dir, store, at)
	load := &severalLoad{patience: 2 * time.Minute}
	for _, p := range gateways {
		load.gateways = append(load.gateways, p.URL)
	}
	stopped := load.run(8)
	kills := 0
	for end := time.Now().Add(time.Duration(inShort(int(*killFor), 0))); time.Now().Before(end) || kills < 3; {
		before := load.done()
		waitFor(t, "forty operations between two kills", func() bool { return load.done() >= before+40 || load.failed() })
		i := kills % len(gateways)
		gateways[i].kill()
		kills++
		gateways[i] = startAt(t, dir, store, at[i])
	}
	stopped()
	load.verify(t)
	if load.resent.Load() == 0 {
		t.Errorf("%d kills, %d requests sent again: the test shows nothing", kills, load.resent.Load())
	}
	if res := send(t, "GET", gateways[0].URL+"/api/a/places?fields=name&sort=name", ""); !strings.HasPrefix(string(res.Body), `{"items":[{"name":"One"},{"name":"Two"}],"total":2,`) {
		t.Errorf("the seeds: %s", res.Body)
	}
	t.Logf("%d kills", kills)
}

// TestFailover: the primary of a synchronous pair is killed with SIGKILL under load, and its
// replica becomes the primary. Every acknowledged row is there, and gateways that name both
// servers go on by themselves.
func TestFailover(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{Durable: true, Replicas: 1, Synchronous: true})
	name := cluster.Database(t)
	first, second := cluster.Primary.URL(name), cluster.Replicas[0].URL(name)
	store := first[:strings.LastIndexByte(first, '/')] + "," + second[strings.LastIndexByte(second, '@')+1:] + "&target_session_attrs=read-write"
	gateways := startSeveral(t, severalProject(t), store, freeAddresses(t, 2))
	load := &severalLoad{patience: 2 * time.Minute}
	for _, p := range gateways {
		load.gateways = append(load.gateways, p.URL)
	}
	stopped := load.run(8)
	waitFor(t, "a hundred operations", func() bool { return load.done() >= 100 || load.failed() })
	began := time.Now()
	if err := cluster.Primary.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Promote(cluster.Replicas[0]); err != nil {
		t.Fatal(err)
	}
	promoted := time.Since(began)
	before := load.done()
	waitFor(t, "a hundred operations on the new primary", func() bool { return load.done() >= before+100 || load.failed() })
	stopped()
	load.verify(t)
	noticed := false
	for _, p := range gateways {
		if back := reachedAgain.FindStringSubmatch(p.stderr()); back != nil { // the others sent no statement in between
			noticed = true
			t.Logf("promoted after %s, the gateway was back after %s", promoted.Round(time.Millisecond), back[1])
		}
	}
	if !noticed {
		t.Errorf("no log says how long it took:\n%s", gateways[0].stderr())
	}
}

// TestPatroni is TestFailover with nobody but Patroni to promote the replica.
func TestPatroni(t *testing.T) {
	t.Parallel()
	if !*withPatroni {
		t.Skip("a minute long; make patroni runs it")
	}
	cluster := pgtest.NewPatroni(t)
	if err := cluster.Create("shop"); err != nil {
		t.Fatal(err)
	}
	gateways := startSeveral(t, severalProject(t), cluster.URL("shop"), freeAddresses(t, 2))
	load := &severalLoad{patience: 2 * time.Minute}
	for _, p := range gateways {
		load.gateways = append(load.gateways, p.URL)
	}
	stopped := load.run(8)
	waitFor(t, "a hundred operations", func() bool { return load.done() >= 100 || load.failed() })
	if err := cluster.KillPrimary(); err != nil {
		t.Fatal(err)
	}
	before := load.done()
	waitFor(t, "a hundred operations on the new primary", func() bool { return load.done() >= before+100 || load.failed() })
	stopped()
	load.verify(t)
	for _, p := range gateways {
		t.Log(reachedAgain.FindString(p.stderr()))
	}
}

// TestSignedCommandElsewhere: two receivers of one Frond over one database. A signed command
// that one of them has accepted is refused by the other.
func TestSignedCommandElsewhere(t *testing.T) {
	t.Parallel()
	dir, store := severalProject(t), pgtest.Database(t)
	private, public := pair(t, "shop")
	receiver := func() *program {
		return start(t, exec.Command(binary(t), "serve", "a", "--dir", dir, "--port", "0", "--store", store, "--verify-keys", public))
	}
	one, other := receiver(), receiver()
	sign := func(frame string) string {
		p, err := signer(t, private, "shop").Seal([]byte(frame), "a", []byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		return string(p.Post())
	}
	create := sign(`{"jsonrpc":"2.0","id":1,"method":"thing.create","params":{"body":{"name":"n","size":1}}}`)
	if status, _, answer := postFrames(t, one.URL, create); status != 200 || !strings.Contains(answer, `"result"`) {
		t.Fatalf("the first time: %d %s", status, answer)
	}
	for _, again := range []*program{one, other} {
		if status, challenge, answer := postFrames(t, again.URL, create); status != 401 || challenge != "Kit-Call" || !strings.Contains(answer, "has been used") {
			t.Errorf("replayed: %d %q %s", status, challenge, answer)
		}
	}
	_, _, answer := postFrames(t, other.URL, sign(`{"jsonrpc":"2.0","id":2,"method":"thing.list","params":{}}`))
	if n := total(t, answer); n != 1 {
		t.Errorf("%d rows, want 1: %s", n, answer)
	}
}

// waitFor waits for something that comes soon, unless the test fails before.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("there are no %s within five minutes", what)
		}
	}
}
