package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond"
)

// blog starts the program over a store in memory.
func blog(t *testing.T) func(method, path, body, token string) (int, map[string]any) {
	t.Helper()
	t.Setenv("FROND_STORE", "memory")
	handler, closeApp, err := newApp().Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.Close()
		if err := closeApp(); err != nil {
			t.Error(err)
		}
	})
	return func(method, path, body, token string) (int, map[string]any) {
		t.Helper()
		var text io.Reader
		if body != "" {
			text = strings.NewReader(body)
		}
		req, err := http.NewRequest(method, server.URL+path, text)
		if err != nil {
			t.Fatal(err)
		}
		if body != "" || method == http.MethodPost {
			req.Header.Set("Content-Type", "application/json")
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		got := map[string]any{}
		if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
			t.Fatalf("%s %s: %d, no object: %v", method, path, res.StatusCode, err)
		}
		return res.StatusCode, got
	}
}

func codeOf(problem map[string]any) any {
	data, _ := problem["data"].(map[string]any)
	return data["code"]
}

func TestPublish(t *testing.T) {
	call := blog(t)
	for _, c := range []struct {
		name, id, token string
		status          int
		code            any
	}{
		{"a reader may not", "glue", "", 401, "UNAUTHORIZED"},
		{"nobody has this token", "glue", "guess", 401, "UNAUTHORIZED"},
		{"there is nothing to publish", "nothing", "hot-glue", 404, "NOT_FOUND"},
		{"it is out already", "ice-in-the-harbour", "hot-glue", 409, "CONFLICT"},
		{"a writer may", "glue", "hot-glue", 200, nil},
		{"and not twice", "glue", "hot-glue", 409, "CONFLICT"},
	} {
		status, got := call("POST", "/api/journal/posts/publish?id="+c.id, "", c.token)
		if status != c.status || codeOf(got) != c.code {
			t.Errorf("%s: %d %v, want %d and code %v", c.name, status, got, c.status, c.code)
		}
		if status == 200 && (got["status"] != "published" || got["publishedAt"] == nil || got["title"] != "Glue") {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if _, got := call("GET", "/api/journal/posts/glue", "", ""); got["status"] != "published" {
		t.Errorf("the row afterwards: %v", got)
	}
}

// TestPublishWithoutHTTP calls the command as the program's own tests would.
func TestPublishWithoutHTTP(t *testing.T) {
	ctx := frond.As(frond.Test(t, newApp()), frond.SignedIn("a-samir"))
	post, err := frond.Call[Post](ctx, "post.publish", frond.Set{"id": "glue"})
	if err != nil || post.Status != "published" || post.PublishedAt == nil {
		t.Errorf("%+v, %v", post, err)
	}
	if _, err := frond.Call[Post](ctx, "post.publish", frond.Set{"id": "glue"}); frond.CodeOf(err) != frond.Conflict {
		t.Errorf("a second time: %v", err)
	}
}

// TestPublishAtOnce: of many callers at once one publishes, and the others are answered a
// CONFLICT.
func TestPublishAtOnce(t *testing.T) {
	ctx := frond.As(frond.Test(t, newApp()), frond.SignedIn("a-samir"))
	codes := make(chan frond.Code, 20)
	for range cap(codes) {
		go func() {
			_, err := frond.Call[Post](ctx, "post.publish", frond.Set{"id": "glue"})
			codes <- frond.CodeOf(err)
		}()
	}
	count := map[frond.Code]int{}
	for range cap(codes) {
		count[<-codes]++
	}
	if count[""] != 1 || count[frond.Conflict] != cap(codes)-1 {
		t.Errorf("they are answered %v", count)
	}
}

// TestReadingMinutesCountsWords: words stand between line breaks too, which are not spaces
// in JSON.
func TestReadingMinutesCountsWords(t *testing.T) {
	ctx := frond.Test(t, newApp())
	post, err := frond.Inside[Post](ctx).Create(ctx, Post{Title: "Rope", Body: strings.Repeat("strand\n", 360), AuthorID: "a-samir"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := frond.Call[struct{ ReadingMinutes int }](ctx, "post.findById", frond.Set{"id": post.ID})
	if err != nil || got.ReadingMinutes != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNobodyElseWritesTheStatus(t *testing.T) {
	status, got := blog(t)("PATCH", "/api/journal/posts/glue", `{"status":"published"}`, "hot-glue")
	if text, _ := json.Marshal(got); status != 400 || !strings.Contains(string(text), "read_only") {
		t.Errorf("%d %s", status, text)
	}
}

func TestSlug(t *testing.T) {
	call := blog(t)
	status, post := call("POST", "/api/journal/posts", `{"title":" Rope ","body":"Three strands.","authorId":"a-samir"}`, "")
	slug, _ := post["slug"].(string)
	if status != 201 || !regexp.MustCompile(`^[a-z]+-[a-z]+-[0-9]{4}$`).MatchString(slug) {
		t.Fatalf("%d %v", status, post)
	}
	if post["title"] != "Rope" || post["status"] != "draft" {
		t.Errorf("%v", post)
	}
	if status, got := call("GET", "/api/journal/posts/by-slug?slug="+slug, "", ""); status != 200 || got["id"] != post["id"] {
		t.Errorf("by slug: %d %v", status, got)
	}
}

func TestReadingMinutes(t *testing.T) {
	call := blog(t)
	query := `{"query":"{ posts(orderBy: [{slug: ASC}], first: 2) { items { slug readingMinutes author { name } comments { total } } } }"}`
	_, got := call("POST", "/graphql", query, "")
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"data":{"posts":{"items":[` +
		`{"author":{"name":"Ottilie Brenner"},"comments":{"total":2},"readingMinutes":1,"slug":"a-short-list-of-winds"},` +
		`{"author":{"name":"Samir Haddad"},"comments":{"total":0},"readingMinutes":1,"slug":"glue"}]}}}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestEmailStaysInside(t *testing.T) {
	if _, got := blog(t)("GET", "/api/journal/authors/a-june", "", ""); got["name"] != "June Ekwall" || got["email"] != nil {
		t.Errorf("%v", got)
	}
}
