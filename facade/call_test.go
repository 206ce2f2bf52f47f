package facade_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

func TestCreate(t *testing.T) {
	f := storetest.Facade(t)
	for _, c := range []struct {
		name, method, body, want string // want: members of the answer, or what is refused
	}{
		{
			"what is left out is filled by its rule", "comment.create", `{"id":7,"postId":"p1","authorId":null,"text":"Hm."}`,
			`{"id":7,"authorId":null,"likes":0}`,
		},
		{"a default may be overridden", "comment.create", `{"id":8,"postId":"p1","authorId":"ada","text":"Hm.","likes":5}`, `{"likes":5}`},
		{
			"a missing, an unknown, a read-only and a null field are named in one answer", "post.create",
			`{"slug":"a","title":null,"colour":"red","views":7,"authorId":"ada","body":null}`,
			"/body/colour unknown_key: is not part of the card; leave it out\n" +
				"/body/title type: must be a string, not null\n" +
				"/body/views read_only: is written by the host alone; leave it out",
		},
		{
			"a nullable field may not be omitted, only null (spec 2.3.1)", "comment.create", `{"id":9,"postId":"p1","text":"x"}`,
			"/body/authorId required: is required",
		},
		{
			"no body at all is an empty one", "tag.create", ``,
			"/body/topic required: is required\n/body/label required: is required",
		},
		{
			"null is an empty body", "tag.create", `null`,
			"/body/topic required: is required\n/body/label required: is required",
		},
		{"a list is no body", "tag.create", `[]`, "/body type: must be an object"},
		{
			"the other side of a relation is not written", "post.create",
			`{"slug":"b","title":"B","body":null,"authorId":"ada","comments":["1"]}`,
			"/body/comments read_only: is the other side of a relation; set postId of comment instead",
		},
		{
			"a value that is taken", "author.create", `{"name":"A","email":"ADA@example.org","password":"12345678"}`,
			"/body/email unique: is already taken; send another",
		},
		{
			"values that are taken together", "tag.create", `{"topic":"science","label":"logic"}`,
			"/body/topic unique: is already taken together with the others of topic, label; change one of them\n" +
				"/body/label unique: is already taken together with the others of topic, label; change one of them",
		},
		{
			"a decimal that is none", "post.create", `{"slug":"c","title":"C","body":null,"authorId":"ada","price":"1e5"}`,
			`/body/price format: must be a decimal such as 12.50`,
		},
		{
			"a moment past the last year", "comment.create", `{"id":12,"postId":"p1","authorId":null,"text":"x","at":"9999-12-31T23:59:59-01:00"}`,
			"/body/at format: must be a date-time such as 2026-05-01T10:30:00Z",
		},
		{
			"a relation to nothing", "comment.create", `{"id":10,"postId":"p9","authorId":null,"text":"x"}`,
			"/body/postId reference: names a post that does not exist; send the id of one that does",
		},
		{
			"decoded inward, never given outward", "author.create", `{"name":"B","email":"B@Example.org","password":"12345678"}`,
			`{"email":"b@example.org","password":null,"karma":0}`,
		},
		{"encoded outward", "tag.create", `{"topic":"x","label":"small"}`, `{"label":"SMALL"}`},
		{
			"a date-time becomes UTC with milliseconds", "comment.create",
			`{"id":11,"postId":"p1","authorId":null,"text":"x","at":"2024-05-01T10:00:00.1234567+02:00"}`, `{"at":"2024-05-01T08:00:00.123456Z"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := do(t, f, c.method, "", "", c.body)
			if !strings.HasPrefix(c.want, "{") {
				if got := refusals(err); got != c.want {
					t.Errorf("got\n%s\nwant\n%s", got, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			holds(t, text, c.want)
		})
	}
}

// holds says whether the members of want stand in an object; null stands for absent too.
func holds(t *testing.T, object, want string) {
	t.Helper()
	var got, members map[string]any
	if err := json.Unmarshal([]byte(object), &got); err != nil {
		t.Fatalf("%v in %s", err, object)
	}
	if err := json.Unmarshal([]byte(want), &members); err != nil {
		t.Fatal(err)
	}
	for name, value := range members {
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Errorf("%s of %s: -want +got\n%s", name, object, diff)
		}
	}
}

func TestUpdate(t *testing.T) {
	for _, c := range []struct{ name, method, params, body, want string }{
		{"what is absent stays", "post.update", `{"id":"p1"}`, `{"title":"New"}`, `{"title":"New","body":"The Analytical Engine weaves algebraical patterns."}`},
		{"null clears", "post.update", `{"id":"p1"}`, `{"body":null,"rating":null}`, `{"body":null,"rating":null,"slug":"notes-on-the-engine"}`},
		{"an empty patch reads the row", "post.update", `{"id":"p1"}`, `{}`, `{"id":"p1"}`},
		{"so does none", "post.update", `{"id":"p1"}`, ``, `{"id":"p1"}`},
		{"null where it may not be", "post.update", `{"id":"p1"}`, `{"title":null}`, "/body/title type: must be a string, not null"},
		{"what is set once", "post.update", `{"id":"p1"}`, `{"createdAt":"2024-01-01T00:00:00Z"}`, "/body/createdAt immutable: cannot be changed once it is set; send only what changes"},
		{"the key it has is no change", "post.update", `{"id":"p1"}`, `{"id":"p1","title":"Same"}`, `{"id":"p1","title":"Same"}`},
		{"another key is", "post.update", `{"id":"p1"}`, `{"id":"p2"}`, "/body/id immutable: cannot be changed once it is set; send only what changes"},
		{
			"a nested object is merged", "author.update", `{"id":"ada"}`, `{"address":{"zip":null,"city":"Marylebone"}}`,
			`{"address":{"street":"12 St James's Square","city":"Marylebone","zip":null}}`,
		},
		{
			"null is no value of a member that may not be null", "author.update", `{"id":"ada"}`, `{"address":{"street":null}}`,
			"/body/address/street type: must be a string, not null",
		},
		{"nor of one that is required", "author.update", `{"id":"ada"}`, `{"address":{"city":null}}`, "/body/address/city type: must be a string, not null"},
		{"a nested object that is not there yet is judged whole", "author.update", `{"id":"grace"}`, `{"address":{"street":"x"}}`, "/body/address/city required: is required"},
		{"an unknown key at depth", "author.update", `{"id":"ada"}`, `{"address":{"planet":"Earth"}}`, "/body/address/planet unknown_key: is not part of the card; leave it out"},
		{"a bare object is one value", "post.update", `{"id":"p1"}`, `{"meta":{"new":null}}`, `{"meta":{"new":null}}`},
		{"a nested object is cleared", "author.update", `{"id":"ada"}`, `{"address":null}`, `{"address":null}`},
		{"a row that is not there", "post.update", `{"id":"p9"}`, `{"title":"x"}`, "post.update: NOT_FOUND: there is no post with this id"},
		{"no id", "post.update", ``, `{}`, "/params/id required: is required; send the id of a row in params"},
		{"an id of another type", "comment.update", `{"id":"1"}`, `{}`, "/params/id type: must be a whole number"},
		{"an unknown param", "post.update", `{"id":"p1","x":1}`, `{}`, "/params/x unknown_key: is not a key of post.update; there is id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := storetest.Facade(t)
			text, err := do(t, f, c.method, c.params, "", c.body)
			if !strings.HasPrefix(c.want, "{") {
				if got := refusals(err); got != c.want {
					t.Errorf("got\n%s\nwant\n%s", got, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			holds(t, text, c.want)
		})
	}
}

// A patch writes the moment of lifecycle.update; reading a row by an empty one does not.
func TestUpdateNow(t *testing.T) {
	clock := time.Date(2026, 1, 2, 3, 4, 5, 6_789_000, time.FixedZone("", 3600))
	f := storetest.New(t, storetest.Project(t), storetest.NewStore(), &facade.Options{Now: func() time.Time { return clock }})
	holds(t, must(t, f, "post.findById", `{"id":"p1"}`, "", ""), `{"updatedAt":"2026-01-02T02:04:05.006Z"}`)
	clock = clock.Add(time.Hour)
	holds(t, must(t, f, "post.update", `{"id":"p1"}`, "", `{}`), `{"updatedAt":"2026-01-02T02:04:05.006Z"}`)
	holds(t, must(t, f, "post.update", `{"id":"p1"}`, "", `{"title":"T"}`), `{"updatedAt":"2026-01-02T03:04:05.006Z"}`)
}

func TestFindAndDelete(t *testing.T) {
	f := storetest.Facade(t)
	for _, c := range []struct{ name, method, params, query, want string }{
		{"a row", "tag.findById", `{"id":"t1"}`, ``, `{"id":"t1","topic":"science","label":"MATHEMATICS"}`},
		{"nothing is null", "tag.findById", `{"id":"t9"}`, ``, `null`},
		{"an id with escapes", "tag.findById", `{"id":"\u00741"}`, ``, `{"id":"t1","topic":"science","label":"MATHEMATICS"}`},
		{
			"rows in the order of ids, once each, without the missing", "tag.findByIds", ``, `{"ids":["t3","t9","t1","t3"]}`,
			`[{"id":"t3","topic":"history","label":"MACHINES"},{"id":"t1","topic":"science","label":"MATHEMATICS"}]`,
		},
		{"no ids", "tag.findByIds", ``, `{"ids":[]}`, `[]`},
		{"3.0 is an integer", "comment.findByIds", ``, `{"ids":[3.0]}`, `[{"id":3,`},
		{"ids are required", "tag.findByIds", ``, `{}`, "/query/ids required: must be a list of ids"},
		{"an id of another type", "comment.findByIds", ``, `{"ids":[1,"2",null]}`, "/query/ids/1 type: must be a whole number\n/query/ids/2 type: must be a whole number"},
		{"too many", "comment.findByIds", ``, `{"ids":[` + strings.Repeat("1,", 500) + `1]}`, "/query/ids maxItems: must have at most 500 items; ask for fewer at once"},
		{"what was there is deleted", "comment.delete", `{"id":3}`, ``, `true`},
		{"what was not is not", "comment.delete", `{"id":3}`, ``, `false`},
		{"what others hold on to stays", "author.delete", `{"id":"alan"}`, ``, "/params/id restrict: is still pointed at by rows of post, in authorId; remove or change them first"},
		{"a query where there is none", "comment.delete", `{"id":3}`, `{"x":1}`, "/query/x unknown_key: is not a key of comment.delete; there is ifMatch, where"},
		{"an operation its author left out", "tag.delete", `{"id":"t1"}`, ``, "tag.delete: NOT_FOUND: tag has no operation called delete; there is list, findById, findByIds, aggregate, create"},
		{"an entity without a door", "audit.list", ``, ``, "audit.list: NOT_FOUND: no entity is called audit here; there is comment, post, tag, health, author"},
		{"an entity nearly named", "Pots.list", ``, ``, "Pots.list: NOT_FOUND: no entity is called Pots here; did you mean post?; there is comment, post, tag, health, author"},
		{"declared and unanswered", "post.archive", `{"id":"p1"}`, ``, "post.archive: NOT_IMPLEMENTED: post.archive is declared and nothing answers it; attach a handler to it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := do(t, f, c.method, c.params, c.query, "")
			if err != nil {
				text = refusals(err)
			}
			if text != c.want && (!strings.HasSuffix(c.want, ",") || !strings.HasPrefix(text, c.want)) {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

func TestNamesMatchInAnySpelling(t *testing.T) {
	f := storetest.Facade(t)
	if got := must(t, f, "TAG.findById", `{"id":"t9"}`, "", ""); got != "null" {
		t.Error(got)
	}
}

func TestContextEnds(t *testing.T) {
	f := storetest.Facade(t)
	call := &facade.Call{Entity: "tag", Operation: "list"}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	for _, c := range []struct {
		ctx  context.Context
		want kiterror.Code
	}{{gone, kiterror.RequestTimeout}, {late, kiterror.GatewayTimeout}} {
		if _, err := f.Call(c.ctx, call); kiterror.CodeOf(err) != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// failing fails every read in its own way.
type failing struct {
	facade.Store
	fail func() error
}

func (failing) Abilities() facade.Abilities { return facade.Abilities{} }

func (s failing) Find(context.Context, *facade.Find) (*facade.Found, error) {
	return nil, s.fail()
}

func TestFailuresLeaveAsOneType(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func() error
		want kiterror.Error
	}{
		{
			"an error nobody coded", func() error { return errors.New("secret: disk on fire") },
			kiterror.Error{Code: kiterror.InternalError, Message: "something went wrong on our side", Entity: "tag", Operation: "list"},
		},
		{
			"one coded as ours", func() error { return kiterror.Errorf(kiterror.InternalError, "secret: %w", errors.New("disk")) },
			kiterror.Error{Code: kiterror.InternalError, Message: "something went wrong on our side", Entity: "tag", Operation: "list"},
		},
		{
			"a panic", func() error { panic("secret") },
			kiterror.Error{Code: kiterror.InternalError, Message: "something went wrong on our side", Entity: "tag", Operation: "list"},
		},
		{
			"a coded one", func() error { return kiterror.Errorf(kiterror.ServiceUnavailable, "the store is away") },
			kiterror.Error{Code: kiterror.ServiceUnavailable, Message: "the store is away", Entity: "tag", Operation: "list"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := facade.New(storetest.Compiled(t, storetest.Project(t)), failing{fail: c.fail}, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, got := f.Call(context.Background(), &facade.Call{Entity: "tag", Operation: "list"})
			var e *kiterror.Error
			if !errors.As(got, &e) {
				t.Fatalf("%T is no *Error", got)
			}
			if string(e.AppendJSON(nil)) != string(c.want.AppendJSON(nil)) {
				t.Errorf("got %s want %s", e.AppendJSON(nil), c.want.AppendJSON(nil))
			}
			if e.Code == kiterror.InternalError && !strings.Contains(e.Error(), "secret") {
				t.Errorf("the cause is lost to the log: %v", e)
			}
		})
	}
}

func TestWithoutAStore(t *testing.T) {
	f, err := facade.New(storetest.Compiled(t, storetest.Project(t)), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := do(t, f, "tag.list", "", "", ""); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("%v", err)
	}
	if got := must(t, f, "health.check", "", "", ""); got != `"well"` {
		t.Error(got)
	}
}

func TestMiddlewareOrder(t *testing.T) {
	var trail []string
	wrap := func(name string) facade.Middleware {
		return func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				trail = append(trail, name)
				return next.Call(ctx, c)
			})
		}
	}
	f, err := facade.New(storetest.Compiled(t, storetest.Project(t)), nil, &facade.Options{Middleware: []facade.Middleware{wrap("outer"), wrap("inner")}})
	if err != nil {
		t.Fatal(err)
	}
	must(t, f, "health.check", "", "", "")
	if got := strings.Join(trail, " "); got != "outer inner" {
		t.Error(got)
	}
}
