package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// Savings are a project whose command writes three rows: the test binary is its program when
// savingsVariable says where the cards are.

const savingsVariable = "FROND_E2E_SAVINGS"

const accountCount = 10

// savingsFiles are accounts of 100 each, and the transfers between them.
func savingsFiles() map[string]string {
	files := map[string]string{
		"entities/account.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  balance: {type: integer}
required: [id, balance]
`,
		"entities/transfer.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  from: {type: string}
  to: {type: string}
required: [id, from, to]
`,
		"frond.yaml": `
name: savings
doors:
  transfer:
    operations:
      make: {kind: command, params: {type: object, properties: {id: {type: string}, from: {type: string}, to: {type: string}}, required: [id, from, to]}}
      abort: {kind: command, params: {type: object, properties: {id: {type: string}, from: {type: string}, to: {type: string}}, required: [id, from, to]}}
collectors: {'*': open}
`,
	}
	var seeds strings.Builder
	for i := range accountCount {
		fmt.Fprintf(&seeds, "- {id: a%d, balance: 100}\n", i)
	}
	files["seeds/account.yaml"] = seeds.String()
	return files
}

// savingsProject is the project with its commands: make takes 1 from an account, gives it to
// another, and writes the transfer; abort fails behind its first write.
func savingsProject(dir string) (*facade.Project, error) {
	project, err := facade.Read(os.DirFS(dir))
	if err != nil {
		return nil, err
	}
	type order struct{ ID, From, To string }
	add := func(ctx context.Context, account string, amount int) error {
		params, _ := json.Marshal(map[string]string{"id": account})
		row, err := facade.Do[*struct{ Balance int }](ctx, facade.Inside(ctx), "account.findById", facade.Invocation{Params: params})
		if err != nil {
			return err
		}
		body, _ := json.Marshal(map[string]int{"balance": row.Balance + amount})
		_, err = facade.Do[any](ctx, facade.Inside(ctx), "account.update", facade.Invocation{Params: params, Body: body})
		return err
	}
	door := project.Door("transfer")
	facade.HandleCommand(door, "make", func(ctx context.Context, in order) (any, error) {
		body, _ := json.Marshal(map[string]string{"id": in.ID, "from": in.From, "to": in.To})
		if _, err := facade.Do[any](ctx, facade.Inside(ctx), "transfer.create", facade.Invocation{Body: body}); err != nil {
			return nil, err
		}
		if err := add(ctx, in.From, -1); err != nil {
			return nil, err
		}
		return nil, add(ctx, in.To, 1)
	})
	facade.HandleCommand(door, "abort", func(ctx context.Context, in order) (any, error) {
		if err := add(ctx, in.From, -1); err != nil {
			return nil, err
		}
		return nil, kiterror.Errorf(kiterror.UnprocessableEntity, "the other account refuses")
	})
	return project, nil
}

// onBothStores runs a test over a file of SQLite and over PostgreSQL.
func onBothStores(t *testing.T, test func(t *testing.T, store string)) {
	for name, store := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "rows.db") },
		"postgres": func(t *testing.T) string { return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, store(t))
		})
	}
}

// startSavings starts the project over a store.
func startSavings(t *testing.T, dir, store string) *program {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = environment(savingsVariable+"="+dir, "FROND_LISTEN=127.0.0.1:0", "FROND_STORE="+store, "FROND_ADMIN_LISTEN=127.0.0.1:0")
	return start(t, cmd)
}

// transfer makes one transfer between two accounts and answers the status; 0 where the
// program is gone.
func transfer(p *program, operation, id string) int {
	from := rand.IntN(accountCount)
	to := (from + 1 + rand.IntN(accountCount-1)) % accountCount
	url := fmt.Sprintf("%s/api/savings/transfers/%s/%s?from=a%d&to=a%d", p.URL, id, operation, from, to)
	res, err := http.Post(url, "application/json", nil)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0
	}
	return res.StatusCode
}

// wholeBooks checks that the balances are what the transfers make of them, and returns the ids
// of those.
func wholeBooks(t *testing.T, p *program) map[string]bool {
	t.Helper()
	rows := func(path string) (all []map[string]any) {
		for after := ""; ; {
			res := send(t, "GET", p.URL+"/api/savings/"+path+"?limit=500"+after, "")
			page, _ := decode(t, res.Body).(map[string]any)
			items, ok := page["items"].([]any)
			if !ok {
				t.Fatalf("%s: %d %s", path, res.Status, res.Body)
			}
			for _, item := range items {
				all = append(all, item.(map[string]any))
			}
			if page["hasMore"] != true {
				return all
			}
			after = "&after=" + page["endCursor"].(string)
		}
	}
	ids, want := map[string]bool{}, map[string]int{}
	for _, one := range rows("transfers") {
		ids[one["id"].(string)] = true
		want[one["from"].(string)]--
		want[one["to"].(string)]++
	}
	sum := 0
	for _, account := range rows("accounts") {
		id := account["id"].(string)
		balance := 0
		fmt.Sscan(fmt.Sprint(account["balance"]), &balance)
		if sum += balance; balance != 100+want[id] {
			t.Errorf("the balance of %s is %d, and its transfers make %d", id, balance, 100+want[id])
		}
	}
	if sum != 100*accountCount {
		t.Errorf("the balances are %d together", sum)
	}
	return ids
}

// TestCommandsAreWhole makes transfers between ten accounts by 16 clients at once, some of
// which break down behind their first write: the balances are what the transfers say.
func TestCommandsAreWhole(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, store string) {
		const clients, each = 16, 25
		p := startSavings(t, folder(t, savingsFiles()), store)
		var made, aborted, conflicts atomic.Int64
		var wg sync.WaitGroup
		for c := range clients {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range each {
					id := fmt.Sprintf("t-%d-%d", c, i)
					if status := transfer(p, "abort", id); status != http.StatusUnprocessableEntity && status != http.StatusConflict {
						t.Errorf("a transfer that is aborted is %d", status)
					} else if status == http.StatusUnprocessableEntity {
						aborted.Add(1)
					}
					switch status := transfer(p, "make", id); status {
					case http.StatusOK:
						made.Add(1)
					case http.StatusConflict: // other transfers came between, eight times
						conflicts.Add(1)
					default:
						t.Errorf("a transfer is %d", status)
					}
				}
			}()
		}
		wg.Wait()
		if ids := wholeBooks(t, p); int64(len(ids)) != made.Load() {
			t.Errorf("%d transfers were acknowledged, and %d are there", made.Load(), len(ids))
		}
		t.Logf("%d made, %d aborted, %d refused after eight tries", made.Load(), aborted.Load(), conflicts.Load())
		if made.Load() < clients*each/2 || aborted.Load() == 0 {
			t.Error("too few for the test to show anything")
		}
	})
}

// TestKilledInACommand kills the program with SIGKILL in the middle of transfers: each is whole
// afterwards or not there, and those that were acknowledged are there.
func TestKilledInACommand(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, store string) {
		dir := folder(t, savingsFiles())
		var mu sync.Mutex
		acknowledged := map[string]bool{}
		for round := range 3 {
			p := startSavings(t, dir, store)
			var wg sync.WaitGroup
			enough := make(chan struct{})
			var done atomic.Int64
			for c := range 8 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for i := 0; ; i++ {
						id := fmt.Sprintf("t-%d-%d-%d", round, c, i)
						switch transfer(p, "make", id) {
						case 0:
							return
						case http.StatusOK:
							mu.Lock()
							acknowledged[id] = true
							mu.Unlock()
							if done.Add(1) == 40 {
								close(enough)
							}
						}
					}
				}()
			}
			select {
			case <-enough:
			case <-p.exited:
			case <-time.After(time.Minute):
				t.Error("there are no 40 transfers within a minute")
			}
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) // anywhere in a command
			p.kill()
			wg.Wait()
		}
		there := wholeBooks(t, startSavings(t, dir, store))
		for id := range acknowledged {
			if !there[id] {
				t.Errorf("the transfer %s was acknowledged and is lost", id)
			}
		}
		t.Logf("%d acknowledged, %d there", len(acknowledged), len(there))
	})
}
