package installed_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"

	"example.com/contracts/press"
)

// fixed answers every call with one text, as a test of somebody's own does.
func fixed(t *testing.T, method, sent, text string) facade.Caller {
	return facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		if got := c.Entity + "." + c.Operation; got != method {
			t.Errorf("%s was called, want %s", got, method)
		}
		if string(c.Invocation.Body) != sent {
			t.Errorf("sent %s, want %s", c.Invocation.Body, sent)
		}
		return &facade.Result{Value: json.RawMessage(text)}, nil
	})
}

func TestPatch(t *testing.T) {
	for name, c := range map[string]struct {
		patch press.BookPatch
		sent  string
	}{
		"nothing":        {press.BookPatch{}, `{}`},
		"null":           {press.BookPatch{Bound: press.Set[*bool](nil)}, `{"bound":null}`},
		"a value":        {press.BookPatch{Bound: press.Set(new(false)), Title: press.Set("Oak")}, `{"title":"Oak","bound":false}`},
		"an empty list":  {press.BookPatch{SeeAlso: press.Set([]string(nil))}, `{"seeAlso":[]}`},
		"an enumeration": {press.BookPatch{Language: press.Set(press.BookLanguageEnGb)}, `{"language":"en-GB"}`},
	} {
		t.Run(name, func(t *testing.T) {
			row := `{"id":"b1","title":"OAK","bound":null,"printedAt":"2026-05-01T10:00:00Z"}`
			book, err := press.NewClient(fixed(t, "book.update", c.sent, row)).Book.Update(t.Context(), "b1", c.patch)
			if err != nil || book.Title != "OAK" || book.Bound != nil || book.PrintedAt.Year() != 2026 {
				t.Fatal(book, err)
			}
		})
	}
}

func TestAnswersThatDoNotFit(t *testing.T) {
	client := press.NewClient(facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
		return &facade.Result{Value: json.RawMessage(`[1]`)}, nil
	}))
	if _, err := client.Book.FindByID(t.Context(), "b1"); kiterror.CodeOf(err) != kiterror.BadGateway {
		t.Errorf("a list where a row has to be: %v", err)
	}
}

// TestInThisProcess calls a façade without a network between.
func TestInThisProcess(t *testing.T) {
	project, err := facade.Read(os.DirFS(os.Getenv("PRESS_CARDS")))
	if err != nil {
		t.Fatal(err)
	}
	facade.HandleCommand(project.Door("book"), "shelve", func(ctx context.Context, in struct {
		Shelf string
		Row   *int
	}) (string, error) {
		return in.Shelf + " for " + facade.StateFrom(ctx).User()["id"].(string), nil
	})
	host, err := facade.New(storetest.Compiled(t, project), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ada := press.NewClient(host).As(access.State{"user": map[string]any{"id": "ada"}})
	if text, err := ada.Book.Shelve(t.Context(), press.BookShelveIn{Shelf: "A"}); err != nil || string(text) != `"A for ada"` {
		t.Error(string(text), err)
	}
	empty := press.BookShelveIn{}
	_, err = ada.Book.Shelve(t.Context(), empty)
	judged := empty.Validate()
	if kiterror.CodeOf(err) != kiterror.ValidationFailed || judged == nil || kiterror.AsError(err).Message != kiterror.AsError(judged).Message {
		t.Errorf("refused by the host: %v, before: %v", err, judged)
	}
}

func TestAgainstAHost(t *testing.T) {
	page, err := press.NewClient(client.New(os.Getenv("PRESS"), nil)).Book.List(t.Context(), press.ListQuery{Limit: press.Set(1)})
	if err != nil || len(page.Items) != 1 {
		t.Fatal(page, err)
	}
	// A write that holds the row to the version it was read in.
	books := press.NewClient(client.New(os.Getenv("PRESS"), nil)).Book
	book, err := books.FindByID(t.Context(), page.Items[0].ID, press.Fields("*", "etag"))
	if err != nil || book.ETag == "" || book.Title != page.Items[0].Title {
		t.Fatal(book, err)
	}
	changed, err := books.Update(t.Context(), book.ID, press.BookPatch{Pages: press.Set(book.Pages + 1)}, press.IfMatch(book.ETag), press.Fields("*", "etag"))
	if err != nil || changed.Pages != book.Pages+1 || changed.ETag == book.ETag {
		t.Fatal(changed, err)
	}
	if _, err := books.Update(t.Context(), book.ID, press.BookPatch{Pages: press.Set(book.Pages)}, press.IfMatch(book.ETag)); kiterror.CodeOf(err) != kiterror.PreconditionFailed {
		t.Error(err)
	}
	if _, err := books.Delete(t.Context(), book.ID, press.IfMatch(book.ETag)); kiterror.CodeOf(err) != kiterror.PreconditionFailed {
		t.Error(err)
	}
	if _, err := books.Update(t.Context(), book.ID, press.BookPatch{Pages: press.Set(book.Pages)}, press.IfMatch(book.ETag, changed.ETag)); err != nil {
		t.Error(err)
	}
	// Writes under a filter: the first holds once.
	for i, want := range []kiterror.Code{"", kiterror.PreconditionFailed} {
		_, err := books.Update(t.Context(), book.ID, press.BookPatch{Pages: press.Set(book.Pages + 5)}, press.Where(press.Filter{"pages": press.Filter{"eq": book.Pages}}))
		if kiterror.CodeOf(err) != want {
			t.Errorf("the %d. write under a filter: %v", i+1, err)
		}
	}
	if _, err := books.Delete(t.Context(), book.ID, press.Where(press.Filter{"pages": press.Filter{"lt": 0}})); kiterror.CodeOf(err) != kiterror.PreconditionFailed {
		t.Error(err)
	}
	if press.Version != "1.4.0" {
		t.Error(press.Version)
	}
}
