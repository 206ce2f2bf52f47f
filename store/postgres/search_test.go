package postgres_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/storetest"
)

// Words that are kept in columns, and made where they are not.

// ask returns the rows of a statement as text, their columns parted by spaces.
func ask(t testing.TB, address, sql string, values ...string) string {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	var args [][]byte
	for _, v := range values {
		args = append(args, []byte(v))
	}
	result := c.ExecParams(t.Context(), sql, args, nil, nil, nil).Read()
	if result.Err != nil {
		t.Fatalf("%v\n%s", result.Err, sql)
	}
	var lines []string
	for _, row := range result.Rows {
		lines = append(lines, string(bytes.Join(row, []byte(" "))))
	}
	return strings.Join(lines, "\n")
}

// keptOf are the columns with the words of the memos.
func keptOf(t testing.TB, address string) []string {
	t.Helper()
	return strings.Fields(ask(t, address, `SELECT replace(quote_ident(attname), ' ', '_') FROM pg_attribute WHERE attrelid = 'memo'::regclass AND attname LIKE '~search %' ORDER BY attname`))
}

// forget returns the SQL that forgets the words of the memos that meet a condition.
func forget(t testing.TB, address, where string) string {
	t.Helper()
	var set []string
	for _, name := range keptOf(t, address) {
		set = append(set, strings.ReplaceAll(name, "_", " ")+" = NULL")
	}
	if len(set) == 0 {
		t.Fatal("no words are kept")
	}
	return "ALTER TABLE memo DISABLE TRIGGER USER; UPDATE memo SET " + strings.Join(set, ", ") + " WHERE " + where + "; ALTER TABLE memo ENABLE TRIGGER USER"
}

// memosBy searches memos, the best first, with their number.
func memosBy(t testing.TB, s *postgres.Store, e *schema.Entity, text string) string {
	t.Helper()
	q, _ := search.Parse(text, e.Search.Language)
	for _, f := range e.Search.Fields {
		q.Fields = append(q.Fields, f.Name)
	}
	found, err := s.Find(t.Context(), &facade.Find{
		Entity: e, Select: rows.NewLayout([]string{"id"}), Where: &filter.Filter{Op: filter.Search, Search: q}, Rank: q, Limit: 1000, Count: true,
		Sort: []facade.SortKey{{Field: e.Search.Rank, Desc: true}, {Field: e.Primary}},
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return fmt.Sprintf("%d: %s", found.Total, found.Rows.AppendJSON(nil))
}

// someSearches finds memos in several ways.
func someSearches(t testing.TB, s *postgres.Store, e *schema.Entity) string {
	t.Helper()
	var all []string
	for _, text := range []string{"tea", "tea or cup", "cup -green", `"green tea"`, "gr*", "-tea green"} {
		all = append(all, text+" "+memosBy(t, s, e, text))
	}
	return strings.Join(all, "\n")
}

// someMemos is the SQL of memos that somebody writes by hand.
const someMemos = `INSERT INTO memo (id, title, body) SELECT i::text, (array['Green tea', 'tea', 'cup of tea', 'cups'])[i % 4 + 1], (array['green cup', NULL, 'a cup, the best tea: tea'])[i % 3 + 1] FROM generate_series(1, 40) AS i`

func TestWordsKeptOrNot(t *testing.T) {
	memory := storetest.Harness{Open: func(testing.TB, []*schema.Entity) facade.Store { return storetest.NewStore() }}
	for what, when := range map[string]string{"all": "", "some": "WHEN (length(NEW.id) = 1)", "none": "WHEN (false)"} {
		t.Run(what, func(t *testing.T) {
			storetest.CompareSearches(t, memory, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
				address := pgtest.Database(t)
				store := open(t, postgres.Options{URL: address, Statement: -1}, entities)
				for trigger := range strings.Lines(ask(t, address, `SELECT format('DROP TRIGGER %1$I ON %2$s; CREATE TRIGGER %1$I BEFORE INSERT OR UPDATE ON %2$s FOR EACH ROW `+when+` EXECUTE FUNCTION %3$s', tgname, tgrelid::regclass, tgfoid::regprocedure)
					FROM pg_trigger WHERE NOT tgisinternal`)) {
					run(t.(*testing.T), address, trigger)
				}
				return store
			}}, 100)
		})
	}
}

// TestWordsByHand writes with SQL by hand, and forgets words: the answers do not change by it. Where a searched column is
// dropped by hand, rows can be written as before.
func TestWordsByHand(t *testing.T) {
	address, e := pgtest.Database(t), storetest.SearchCards(t).Entity("memo")
	s := open(t, postgres.Options{URL: address, Statement: -1}, []*schema.Entity{e})
	run(t, address, someMemos)
	want := someSearches(t, s, e)
	if !strings.Contains(want, `tea 33: [{"id":"`) {
		t.Error(want)
	}
	for _, where := range []string{"id::int % 2 = 0", "true"} {
		run(t, address, forget(t, address, where))
		if got := someSearches(t, s, e); got != want {
			t.Errorf("without words where %s:\n%s\nwant\n%s", where, got, want)
		}
	}
	run(t, address, `UPDATE memo SET title = title; UPDATE memo SET title = 'coffee' WHERE id = '7'; INSERT INTO memo VALUES ('x', 'old coffee') ON CONFLICT (id) DO NOTHING;
		INSERT INTO memo VALUES ('x', 'new coffee') ON CONFLICT (id) DO UPDATE SET title = excluded.title`)
	if got := memosBy(t, s, e, "coffee -old"); got != `2: [{"id":"7"},{"id":"x"}]` {
		t.Error("changed by hand:", got)
	}
	if names := keptOf(t, address); ask(t, address, "SELECT count(*) FROM memo WHERE "+strings.ReplaceAll(names[0], "_", " ")+" IS NULL") != "0" {
		t.Error("the trigger writes no words")
	}
	described, err := postgres.Describe(t.Context(), postgres.Options{URL: address})
	if err != nil || len(described.Table("", "memo").Columns) != 3 {
		t.Error("columns of words are described", err)
	}
	run(t, address, `ALTER TABLE memo DROP COLUMN body; INSERT INTO memo (id, title) VALUES ('y', 'y'); UPDATE memo SET title = 'z' WHERE id = 'y'`)
}

// TestSearchOfOlderProgram makes the words of rows that an older program has written, and goes on writing, by its
// statements: it finds all rows before, meanwhile and afterwards, and so does this one.
func TestSearchOfOlderProgram(t *testing.T) {
	text, err := os.ReadFile("testdata/search.sql")
	if err != nil {
		t.Fatal(err)
	}
	tables, rest, _ := strings.Cut(string(text), "-- write\n")
	write, read, _ := strings.Cut(rest, ";\n-- search\n")
	read = strings.TrimSuffix(read, ";\n")
	address, e := pgtest.Database(t), storetest.SearchCards(t).Entity("memo")
	run(t, address, tables)
	run(t, address, `INSERT INTO memo SELECT 'a' || i, 'tea ' || i, CASE WHEN i % 2 = 0 THEN 'green cup' END FROM generate_series(1, 3000) AS i`)
	number := func(word string) int {
		lines := strings.Split(ask(t, address, read, word, word, word, "0", word, word), "\n")
		n, err := strconv.Atoi(strings.TrimSpace(lines[len(lines)-1]))
		if err != nil {
			t.Error(err)
		}
		return n
	}
	var log bytes.Buffer
	off, err := postgres.Open(postgres.Options{URL: address, Logger: slog.New(slog.NewTextHandler(&log, nil)), Statement: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer off.Close()
	if _, err := off.Migrate(t.Context(), &migration.Task{Entities: []*schema.Entity{e}, Start: true, Unchanged: true}); err != nil {
		t.Fatal("a start that changes nothing:", err)
	}
	if got := memosBy(t, off, e, "tea 7"); got != `1: [{"id":"a7"}]` || !strings.Contains(log.String(), "migrate is off") {
		t.Error("a start that changes nothing:", got, log.String())
	}
	stop, written := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				written <- n
				return
			default:
				ask(t, address, write, fmt.Sprint("b", n), "black tea", "red")
				ask(t, address, "UPDATE memo SET title = 'coffee' WHERE id = $1", fmt.Sprint("a", n+1))
			}
			if tea, coffee := number("tea"), number("coffee"); tea != 3000 || coffee != n+1 {
				t.Errorf("the older program finds %d and %d rows, and has written %d", tea, coffee, n+1)
			}
		}
	}()
	s, err := postgres.Open(postgres.Options{URL: address, Logger: quiet, Statement: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	task := &migration.Task{Entities: []*schema.Entity{e}, Start: true}
	plan, err := s.Migrate(t.Context(), task)
	close(stop)
	n := <-written
	if err != nil || n == 0 || len(plan.Steps) != 2 || plan.Steps[0].Op != "add-index" || plan.Steps[1].Start != migration.Leaves {
		t.Fatal(n, plan, err)
	}
	kept := strings.ReplaceAll(strings.Join(keptOf(t, address), ","), "_", " ")
	words := "SELECT md5(string_agg(concat_ws('|', id, " + kept + "), ',' ORDER BY id)) FROM memo WHERE (" + kept + ") IS NOT NULL"
	was := ask(t, address, words)
	run(t, address, forget(t, address, "true")+"; UPDATE memo SET id = id")
	if is := ask(t, address, words); is != was {
		t.Error("not all words were those of their rows")
	}
	ask(t, address, write, "c", "white tea", "tea")
	if got := memosBy(t, s, e, "white"); got != `1: [{"id":"c"}]` || number("white") != 1 {
		t.Error("a row of the older program:", got)
	}
	indexes := func() string {
		return ask(t, address, "SELECT indexname FROM pg_indexes WHERE tablename = 'memo' AND indexname LIKE '%:search%' ORDER BY indexname = 'memo:search 0e2bdd0f' DESC")
	}
	if both := strings.Split(indexes(), "\n"); len(both) != 2 || both[0] != "memo:search 0e2bdd0f" {
		t.Error("the older program has an index no more:", both)
	}
	task.Start = false
	if _, err := s.Migrate(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	if one := indexes(); strings.Contains(one, "0e2bdd0f") || strings.Contains(one, "\n") {
		t.Error("the older index stays:", one)
	}
	if plan, err := s.Plan(t.Context(), task); err != nil || len(plan.Steps)+len(plan.Notices) > 0 {
		t.Error(plan, err)
	}
}

// TestSearchOfAnotherGateway drops the words that a gateway with older cards reads: it finds the same without them. What an
// interrupted change leaves behind goes with the search.
func TestSearchOfAnotherGateway(t *testing.T) {
	address, older, newer := pgtest.Database(t), storetest.SearchCards(t).Entity("memo"), storetest.SearchCards(t).Entity("memo")
	newer.SetSearch("english", []schema.SearchField{{Property: newer.Property("title"), Weight: 'A'}})
	s := open(t, postgres.Options{URL: address, Statement: -1}, []*schema.Entity{older})
	run(t, address, someMemos)
	want := someSearches(t, s, older)
	first := keptOf(t, address)
	other := open(t, postgres.Options{URL: address, Statement: -1}, []*schema.Entity{newer})
	if n := len(keptOf(t, address)); n != len(first)+1 {
		t.Errorf("%d columns of words", n)
	}
	if _, err := other.Migrate(t.Context(), &migration.Task{Entities: []*schema.Entity{newer}}); err != nil {
		t.Fatal(err)
	}
	if got := someSearches(t, s, older); got != want {
		t.Errorf("without the words:\n%s\nwant\n%s", got, want)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	second := keptOf(t, address)
	if len(second) != 1 || second[0] == first[0] {
		t.Error("the words of the older cards stay:", second)
	}
	run(t, address, `DO $$ BEGIN EXECUTE (SELECT format('DROP INDEX %I', indexname) FROM pg_indexes WHERE indexname LIKE 'memo:search %'); END $$`)
	newer.Search = nil
	if _, err := other.Migrate(t.Context(), &migration.Task{Entities: []*schema.Entity{newer}}); err != nil {
		t.Fatal(err)
	}
	if remains := keptOf(t, address); len(remains) > 0 || ask(t, address, "SELECT count(*) FROM pg_proc WHERE proname LIKE 'memo:%'") != "0" {
		t.Error("the remains stay:", remains)
	}
}

// TestWordsWithoutRights serves a search for a role that may not keep words: where another role owns the table, and where
// no trigger can be made.
func TestWordsWithoutRights(t *testing.T) {
	text, err := os.ReadFile("testdata/search.sql")
	if err != nil {
		t.Fatal(err)
	}
	tables, _, _ := strings.Cut(string(text), "-- write\n")
	other := pgtest.Database(t)
	open(t, postgres.Options{URL: other, Statement: -1}, []*schema.Entity{storetest.SearchCards(t).Entity("memo")})
	begun := ask(t, other, `SELECT string_agg(format('ALTER TABLE memo ADD COLUMN %I tsvector;', attname), '') FROM pg_attribute WHERE attrelid = 'memo'::regclass AND attname LIKE '~search %'`)
	cluster := pgtest.New(t, pgtest.Options{})
	if err := cluster.Primary.Exec("postgres", "CREATE ROLE plain LOGIN"); err != nil {
		t.Fatal(err)
	}
	for what, setup := range map[string]string{
		"a table of another role": tables + "GRANT SELECT, INSERT ON memo TO plain",
		"while another role adds": tables + begun + "GRANT SELECT, INSERT ON memo TO plain",
		"no language":             "REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC; GRANT CREATE ON SCHEMA public TO plain; CREATE SCHEMA frond AUTHORIZATION plain",
	} {
		t.Run(what, func(t *testing.T) {
			address, e := cluster.Primary.URL(cluster.Database(t)), storetest.SearchCards(t).Entity("memo")
			run(t, address, setup)
			var before []string
			if strings.HasPrefix(setup, tables) {
				before = keptOf(t, address)
			}
			var log bytes.Buffer
			s := open(t, postgres.Options{URL: as(t, address, "plain"), Statement: -1, Logger: slog.New(slog.NewTextHandler(&log, nil))}, []*schema.Entity{e})
			storetest.InsertRows(t, s, e, `{"id":"a","title":"green tea","body":null}`, `{"id":"b","title":"cups","body":"tea"}`)
			if got := memosBy(t, s, e, "tea"); got != `2: [{"id":"a"},{"id":"b"}]` {
				t.Error(got)
			}
			if len(keptOf(t, address)) != len(before) || !strings.Contains(log.String(), "searches of a table are slow by rank") || !strings.Contains(log.String(), "table=memo") {
				t.Error(log.String())
			}
			if e.Search.Fields[0].Weight = 'D'; memosBy(t, s, e, "tea") != `2: [{"id":"b"},{"id":"a"}]` {
				t.Error("weights do not count")
			}
		})
	}
}

// TestTotalsAlone reads a total without rows: whether there are more is known by it.
func TestTotalsAlone(t *testing.T) {
	address, e := pgtest.Database(t), storetest.Version{Entity: "memo", Fields: []string{"title: type: string", "body?: type: string", "size?: type: integer"}}.Compile(t).Set.Entity("memo")
	e.SetSearch("simple", []schema.SearchField{{Property: e.Property("title"), Weight: 'A'}, {Property: e.Property("body"), Weight: 'B'}})
	var read []string
	s := open(t, postgres.Options{URL: address, Statement: -1, Trace: func(sql string, _ ...any) { read = append(read, sql) }}, []*schema.Entity{e})
	run(t, address, someMemos)
	for word, n := range map[string]int64{"tea": 33, "nothing": 0} {
		q, _ := search.Parse(word, e.Search.Language)
		q.Fields, read = []string{"title", "body"}, nil
		find := &facade.Find{Entity: e, Select: rows.NewLayout([]string{"id", "size"}), Where: &filter.Filter{Op: filter.Search, Search: q}, Count: true, Sort: []facade.SortKey{{Field: e.Primary}}}
		found, err := s.Find(t.Context(), find)
		if err != nil || found.Total != n || found.More != (n > 0) || found.Rows.Len() != 0 {
			t.Error(word, found, err)
		}
		if all := strings.Join(read, "\n"); strings.Count(all, `FROM "public"."memo"`) != 1 {
			t.Error("the rows are read beside their number:", all)
		}
		find.From = []json.RawMessage{[]byte(`"zzz"`)}
		if found, err = s.Find(t.Context(), find); err != nil || found.Total != n || found.More {
			t.Error("behind the last row:", word, found, err)
		}
	}
}
