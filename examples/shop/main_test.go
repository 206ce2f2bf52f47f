package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/e2e/testprogram"
)

// TestRights makes the checks of the rights.yaml files.
func TestRights(t *testing.T) { frond.TestRights(t, site) }

// TestMail: an order is a mail, also where the event is handed over twice.
func TestMail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mails.txt")
	ctx := frond.Test(t, newApp(file))
	order := frond.Set{"customerId": "u-tom-okafor", "subtotal": 1260, "giftNote": nil, "shipTo": map[string]any{"name": "T", "street": "S 1", "postalCode": "10115", "city": "Berlin", "country": "DE"}}
	if _, err := frond.Call[Order](frond.As(ctx, frond.SignedIn("ada", "staff")), "order.create", order); err != nil {
		t.Fatal(err)
	}
	if err := frond.Deliver(ctx); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	id, mail, _ := strings.Cut(string(text), " ")
	if !strings.HasPrefix(mail, "to=") || !strings.HasSuffix(mail, "total=17.50\n") {
		t.Errorf("the mail is %q", text)
	}
	// A process died while it wrote the next one.
	if err := os.WriteFile(file, append(text, "torn"...), 0o600); err != nil {
		t.Fatal(err)
	}
	m := &mailbox{path: file}
	for _, one := range []string{id, "other", "other"} {
		if err := m.send(one, "again"); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := os.ReadFile(file); err != nil || string(again) != string(text)+"other again\n" {
		t.Errorf("the file is now %q, %v", again, err)
	}
}

// TestMailsSurviveKills: the shop is killed while it takes orders and sends mails; in the end
// each order that was answered has one mail, and no mail is of no order.
func TestMailsSurviveKills(t *testing.T) {
	dir := t.TempDir()
	binary, mails := testprogram.Build(t, "examples/shop"), filepath.Join(dir, "mails.txt")
	t.Cleanup(testprogram.Clean)
	if err := os.CopyFS(filepath.Join(dir, "queries"), os.DirFS("queries")); err != nil {
		t.Fatal(err)
	}
	begin := func() (url string, kill func()) {
		t.Helper()
		cmd := exec.Command(binary, "--listen", "127.0.0.1:0", "--log-level", "warn")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "MAIL_FILE="+mails)
		stderr, err := cmd.StderrPipe()
		if err == nil {
			err = testprogram.Start(cmd)
		}
		if err != nil {
			t.Fatal(err)
		}
		kill = sync.OnceFunc(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		t.Cleanup(kill)
		lines := bufio.NewScanner(stderr)
		var said strings.Builder
		for lines.Scan() {
			if address, is := strings.CutPrefix(lines.Text(), "listening on "); is {
				go func() {
					for lines.Scan() { // the pipe must not fill up
					}
				}()
				return address, kill
			}
			said.WriteString(lines.Text() + "\n")
		}
		t.Fatalf("the shop does not start:\n%s", &said)
		return "", nil
	}
	answered := map[string]bool{} // ids of orders
	place := func(url string, n int) bool {
		id := fmt.Sprintf("0190d7a0-0000-7000-8000-%012d", n)
		body := fmt.Sprintf(`{"id":%q,"customerId":"u-tom-okafor","subtotal":%d,"giftNote":null,"shipTo":{"name":"T","street":"S 1","postalCode":"10115","city":"Berlin","country":"DE"}}`, id, n*100)
		r, err := http.NewRequest(http.MethodPost, url+"/api/sales/orders", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Frond-User", `{"id":"ada","roles":["staff"]}`)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return false // it was killed; nobody knows whether the order is there
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Fatalf("order %d: status %d", n, resp.StatusCode)
		}
		answered[fmt.Sprintf("total=%d.90", n+4)] = true
		return true
	}
	n := 0
	for round := range 5 {
		url, kill := begin()
		if round == 0 {
			for first := n; n < first+10; n++ {
				place(url, n)
			}
		}
		time.AfterFunc(time.Duration(30+round*37)*time.Millisecond, kill)
		for place(url, n) {
			n++
		}
		n++ // the one that was not answered may be there
		kill()
	}
	_, kill := begin()
	defer kill()
	for by := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(mails)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		missing, ids := len(answered), map[string]bool{}
		for line := range strings.Lines(string(text)) {
			id, mail, _ := strings.Cut(strings.TrimSpace(line), " ")
			if ids[id] {
				t.Fatalf("%s was sent twice", line)
			}
			ids[id] = true
			if answered[mail[strings.LastIndexByte(mail, ' ')+1:]] {
				missing--
			}
		}
		if missing == 0 {
			t.Logf("%d orders, %d mails, 5 kills", len(answered), len(ids))
			return
		}
		if time.Now().After(by) {
			t.Fatalf("%d of %d orders have no mail", missing, len(answered))
		}
	}
}
