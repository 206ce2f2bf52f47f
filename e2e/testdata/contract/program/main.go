// Command program uses the press through the package that frond sync wrote.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"

	"example.com/program/press"
)

// asAda says who calls, as the press's gateway takes it.
type asAda struct{}

func (asAda) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Frond-User", `{"id":"ada"}`)
	return http.DefaultTransport.RoundTrip(r)
}

func main() {
	ctx := context.Background()
	client := press.NewClient(client.New(os.Args[1], &client.Options{Transport: asAda{}}))

	page, err := client.Book.List(ctx, press.ListQuery{Sort: []string{"id"}, Limit: press.Set(2), Filter: press.Filter{"pages": press.Filter{"gte": 1}}})
	show("list", fmt.Sprint(len(page.Items), page.Total > 0, page.EndCursor != ""), err)
	rest, err := client.Book.List(ctx, press.ListQuery{Sort: []string{"id"}, After: press.Set(page.EndCursor)})
	show("after", rest.Items[0].ID > page.Items[1].ID, err)

	// What the host would refuse is refused here, in its words.
	_, err = press.NewBook(press.BookInput{Title: "", Author: "a1", Price: "twelve", Pages: 0})
	refused := kiterror.AsError(err)
	show("refused", fmt.Sprint(refused.Code, " ", details(refused)), nil)
	_, err = client.Book.Create(ctx, press.BookInput{Title: "", Author: "a1", Price: "twelve", Pages: 0})
	show("there", fmt.Sprint(kiterror.CodeOf(err), " ", details(kiterror.AsError(err)) == details(refused)), nil)

	// Left out, null and a value are three things.
	in, err := press.NewBook(press.BookInput{
		Title: "Oak", Author: page.Items[0].Author, Price: "12.50", Pages: 9007199254740993,
		Language: press.Set(press.BookLanguageDeDe),
		Colophon: press.Set(&press.BookColophon{Typeface: "Bodoni", Paper: press.Set(press.BookColophonPaper{Weight: 90})}),
	})
	show("judged", err == nil, err)
	made, err := client.Book.Create(ctx, *in)
	show("made", fmt.Sprint(made.Title, " ", made.Price, " ", made.Pages, " ", made.Bound == nil, made.PrintedAt == nil, " ", made.Language, " ", made.State, " ", made.BornOn, " ", made.Spine), err)
	paper, given := made.Colophon.Paper.Get()
	show("nested", fmt.Sprint(made.Colophon.Typeface, " ", given, paper.Weight, paper.Mill == nil), nil)

	changed, err := client.Book.Update(ctx, made.ID, press.BookPatch{
		Bound: press.Set(new(true)), Price: press.Set("13"),
		Colophon: press.Set(&press.BookColophonPatch{Paper: press.Set(press.BookColophonPaperPatch{Weight: press.Set[int64](120)})}),
	})
	paper, _ = changed.Colophon.Paper.Get()
	show("patched", fmt.Sprint(*changed.Bound, " ", changed.Price, " ", changed.Title, " ", changed.Colophon.Typeface, " ", paper.Weight), err)
	changed, err = client.Book.Update(ctx, made.ID, press.BookPatch{Colophon: press.Set[*press.BookColophonPatch](nil), Ratio: press.Set(new(0.5))})
	show("cleared", fmt.Sprint(changed.Colophon == nil, " ", *changed.Ratio), err)
	show("patch", kiterror.CodeOf(press.BookPatch{Pages: press.Set[int64](0)}.Validate()), nil)

	found, err := client.Book.FindByID(ctx, made.ID)
	show("found", found.ID == made.ID, err)
	none, err := client.Book.FindByID(ctx, "nobody")
	show("none", none == nil, err)
	both, err := client.Book.FindByIDs(ctx, made.ID, "nobody")
	show("both", len(both), err)

	// Named operations: params and body in one value.
	printed, err := client.Book.Reprint(ctx, press.BookReprintIn{ID: made.ID, Copies: 7})
	show("reprint", printed.Copies, err)
	cheapest, err := client.Book.FindCheapest(ctx, press.BookFindCheapestIn{Under: 1000})
	show("cheapest", cheapest.Price, err)
	labels, err := client.Book.Labels(ctx)
	show("labels", len(labels) > 0 && labels[0].Title != "", err)
	text, err := client.Book.Shelve(ctx, press.BookShelveIn{Shelf: "A", Row: new(int64(3))})
	show("shelve", string(text), err)
	text, err = client.Desk.Check(ctx)
	show("check", string(text), err)
	_, err = client.Book.Fail(ctx, press.BookFailIn{How: "coded"})
	show("fail", fmt.Sprint(kiterror.CodeOf(err), " ", kiterror.AsError(err).Message), nil)
	text, err = client.Call(ctx, "desk", "echo", facade.Invocation{Body: json.RawMessage(`{"b":null}`)})
	show("call", string(text), err)

	gone, err := client.Book.Delete(ctx, made.ID)
	again, _ := client.Book.Delete(ctx, made.ID)
	show("delete", fmt.Sprint(gone, again), err)
	show("bundle", json.Valid(press.Bundle()) && json.Valid(press.Contract()), nil)

	// A client is an interface a door, so a test may put another in its place.
	client.Book = stub{client.Book}
	none, err = client.Book.FindByID(ctx, "any")
	show("stub", none.Title, err)
}

type stub struct{ press.BookDoor }

func (stub) FindByID(context.Context, string, ...press.CallOption) (*press.Book, error) {
	return &press.Book{Title: "Stub"}, nil
}

func details(err *kiterror.Error) string {
	text, _ := json.Marshal(err.Details)
	return string(text)
}

func show(what string, value any, err error) {
	if err != nil {
		fmt.Println(what, "failed:", err)
		return
	}
	fmt.Println(what, value)
}
