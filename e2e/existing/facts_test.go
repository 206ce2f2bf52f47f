package existing_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/frondhost/frond/gateway"
)

// triggerOfThePage matches the statements that docs/existing-database.md prints.
var triggerOfThePage = regexp.MustCompile("(?s)<!-- run: trigger -->\n```sql\n(.*?)```")

// TestWritesOfOtherProgramsAreAnnounced runs the trigger of docs/existing-database.md: a row that
// another program writes arrives once, and so does one that the gateway writes.
func TestWritesOfOtherProgramsAreAnnounced(t *testing.T) {
	page, err := os.ReadFile("../../docs/existing-database.md")
	if err != nil {
		t.Fatal(err)
	}
	statements := triggerOfThePage.FindSubmatch(page)
	if statements == nil {
		t.Fatal("docs/existing-database.md has no trigger")
	}
	db := openPostgres(t, `CREATE TABLE artist (artist_id integer PRIMARY KEY, name text NOT NULL)`)
	p, _ := project(t, db, nil, func(files map[string]string) {
		files["fronds/app/frond.yaml"] += "changes: [artist]\n"
	})
	gw, err := gateway.New(p, settings(db))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gw.Handler())
	defer func() {
		server.Close()
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/app/facts/artistChanged?after=start", nil)
	r.Header.Set("Accept", "text/event-stream")
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	lines := bufio.NewScanner(stream.Body)
	lines.Scan() // the position where the stream begins: the log is there
	other, err := pgconn.Connect(t.Context(), db.store)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(context.Background()) }()
	exec := func(sql string) {
		t.Helper()
		if _, err := other.Exec(t.Context(), sql).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	exec(string(statements[1]))
	exec(`INSERT INTO artist VALUES (1, 'Nina'); UPDATE artist SET name = 'Nina Simone' WHERE artist_id = 1`)
	resp, err := http.Post(server.URL+"/api/app/artists", "application/json", strings.NewReader(`{"artistId": 2, "name": "Odetta"}`))
	if err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatal(resp, err)
	}
	_ = resp.Body.Close()
	exec(`DELETE FROM artist WHERE artist_id = 1`)

	want := []string{`"change":"created"`, `"name":"Nina"`, `"change":"updated"`, `"name":"Nina Simone"`, `"change":"created"`, `"name":"Odetta"`, `"change":"deleted"`}
	var seen []string
	for len(want) > 0 && lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		seen = append(seen, data)
		for len(want) > 0 && strings.Contains(data, want[0]) {
			want = want[1:]
		}
	}
	if len(want) > 0 || len(seen) != 4 {
		t.Errorf("%d events arrived, want 4 with %q next:\n%s", len(seen), want, strings.Join(seen, "\n"))
	}
}
