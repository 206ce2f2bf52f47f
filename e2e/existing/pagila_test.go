package existing_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/gateway"
)

var pagilaKeys = &adopt.Options{Keys: map[string][]string{"film_list": {"fid"}, "customer_list": {"id"}, "rental_by_category": {"category"}}}

func TestPagila(t *testing.T) {
	db := open(t, "pagila.postgres.sql")
	unchanged(t, db)
	ask, _ := serve(t, db, pagilaKeys)
	same(t, `{"data": {"films": {"total": 3, "items": [
		{"title": "ADAPTATION HOLES", "rating": "NC-17", "releaseYear": 2006, "specialFeatures": null, "rentalRate": "2.99", "length": null, "language": {"name": "Italian"},
		 "filmActors": {"items": [{"id": "2,3", "actor": {"lastName": "WAHLBERG", "filmActors": {"items": [{"id": "2,1"}, {"id": "2,3"}]}}}]}},
		{"title": "ACE GOLDFINGER", "rating": "G", "releaseYear": 2006, "specialFeatures": ["Trailers", "Deleted Scenes"], "rentalRate": "4.99", "length": 48, "language": {"name": "English"},
		 "filmActors": {"items": [{"id": "3,2", "actor": {"lastName": "CHASE", "filmActors": {"items": [{"id": "3,2"}]}}}]}},
		{"title": "ACADEMY DINOSAUR", "rating": "PG", "releaseYear": 2006, "specialFeatures": ["Deleted Scenes", "Behind the Scenes"], "rentalRate": "0.99", "length": 86, "language": {"name": "English"},
		 "filmActors": {"items": [{"id": "1,1", "actor": {"lastName": "DAVIS", "filmActors": {"items": [{"id": "1,1"}]}}}, {"id": "2,1", "actor": {"lastName": "WAHLBERG", "filmActors": {"items": [{"id": "2,1"}, {"id": "2,3"}]}}}]}}]}}}`,
		ask(`{ films(orderBy: [{title: DESC}]) { total items { title rating releaseYear specialFeatures rentalRate length language { name }
			filmActors { items { id actor { lastName filmActors { items { id } } } } } } } }`))
	same(t, `{"data": {"films": {"items": [{"title": "ACADEMY DINOSAUR"}]}, "rated": {"items": [{"title": "ADAPTATION HOLES"}]}, "cheap": {"items": [{"filmId": 1}]}}}`,
		ask(`{ films(filter: {specialFeatures: {has: "Behind the Scenes"}}) { items { title } } rated: films(filter: {rating: {in: ["NC-17", "R"]}}) { items { title } } cheap: films(filter: {rentalRate: {lt: "2.5"}}) { items { filmId } } }`))
	same(t, `{"data": {"payment": {"amount": "2.99", "rental": {"inventory": {"film": {"title": "ACADEMY DINOSAUR"}}}}, "payments": {"items": [{"id": "2022-01-24T21:40:19.996577Z,1"}, {"id": "2022-02-03T10:00:00.000000Z,2"}]},
		"paymentsByIds": [{"amount": "4.99"}]}}`,
		ask(`{ payment(id: "2022-01-24T21:40:19.996577Z,1") { amount rental { inventory { film { title } } } } payments { items { id } } paymentsByIds(ids: ["2022-02-03T10:00:00Z,2", "x", "2022-02-03T10:00:00Z,9"]) { amount } }`))
	same(t, `{"data": {"filmLists": {"items": [{"fid": 1, "category": "Documentary", "price": "0.99", "rating": "PG"}]}, "customerLists": {"items": [{"name": "MARY SMITH", "zipCode": null}]}, "rentalByCategories": {"total": 2}}}`,
		ask(`{ filmLists(filter: {title: {contains: "DINO"}}) { items { fid category price rating } } customerLists(filter: {city: {eq: "Lethbridge"}}) { items { name zipCode } } rentalByCategories { total } }`))
	same(t, `{"data": {"createFilm": {"filmId": 4, "rating": "G", "rentalRate": "4.99", "specialFeatures": ["Trailers", "a \"b\", c"]}, "updateFilm": {"rating": "R", "releaseYear": 1999}, "createFilmActor": {"id": "1,4"}, "deleteFilmActor": true,
		"wrong": null, "year": null, "held": null, "far": null}, "errors": [
		{"message": "filmId names a film that does not exist; send the id of one that does", "path": ["wrong"]}, {"message": "releaseYear must be at least 1901", "path": ["year"]},
		{"message": "the row is still pointed at by rows of filmActor, in actorId; remove or change them first", "path": ["held"]}, {"message": "there is no film with this id", "path": ["far"]}]}`,
		withoutDetails(t, ask(`mutation { createFilm(input: {title: "ZORRO ARK", languageId: 1, specialFeatures: ["Trailers", "a \"b\", c"]}) { filmId rating rentalRate specialFeatures }
			updateFilm(id: 4, input: {rating: "R", releaseYear: 1999}) { rating releaseYear } createFilmActor(input: {actorId: 1, filmId: 4}) { id } deleteFilmActor(id: "1,4")
			wrong: createFilmActor(input: {actorId: 1, filmId: 99}) { id } year: updateFilm(id: 4, input: {releaseYear: 1800}) { filmId } held: deleteActor(id: 1) far: updateFilm(id: 2147483647, input: {title: "x"}) { filmId } }`)))
	page := ask(`{ filmActors(first: 3, orderBy: [{id: DESC}]) { endCursor items { id } } }`)
	if !strings.Contains(page, `"items":[{"id":"3,2"},{"id":"2,3"},{"id":"2,1"}]`) {
		t.Error(page)
	}
	same(t, `{"data": {"filmActors": {"items": [{"id": "1,1"}], "hasMore": false}}}`,
		ask(`{ filmActors(first: 3, orderBy: [{id: DESC}], after: "`+cursor(t, ask, `{ filmActors(first: 3, orderBy: [{id: DESC}]) { endCursor } }`)+`") { items { id } hasMore } }`))
}

// TestPagilaReport holds what is said of the database beside its cards.
func TestPagilaReport(t *testing.T) {
	_, made := project(t, open(t, "pagila.postgres.sql"), pagilaKeys)
	want := []string{
		"left out film.fulltext: tsvector: it is an index for text search and has no value to show",
		"left out payment_p2022_01: it is a partition of payment, whose door has its rows",
		"left out payment_p2022_02: it is a partition of payment, whose door has its rows",
		"left out staff.picture: bytea: it holds bytes, which a row of JSON cannot carry",
		"restricted customer_list: a view: rows are read, and not written",
		"restricted film_list: a view: rows are read, and not written",
		"restricted rental_by_category: a view: rows are read, and not written",
		"suggested staff.password: a secret, by its name; write hide: [password] in the rules of staff",
		"join table film_actor: filmActor connects actor and film: it is an entity of its own, with a relation to each",
		"join table film_category: filmCategory connects film and category: it is an entity of its own, with a relation to each",
	}
	got := report(made)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTablesBeside: entities of the gateway's own have tables of their own beside those of another
// program, and relations lead from one to the other. No foreign key is put on the other program's
// table, so that a relation to it may lead nowhere.
func TestTablesBeside(t *testing.T) {
	db := open(t, "pagila.postgres.sql")
	p, _ := project(t, db, pagilaKeys, func(files map[string]string) {
		files["fronds/app/entities/review.yaml"] = `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  filmId: {type: integer, x-kit: {role: {relation: {to: film, kind: one}}}}
  stars: {type: integer}
`
		files["fronds/app/entities/film.yaml"] += "  reviews: {x-kit: {role: {relation: {to: review, kind: many}}}}\n"
	})
	with := settings(db)
	with.Config.Migrate = gateway.MigrateAuto
	ask := asked(t, p, with)
	same(t, `{"data": {"createReview": {"stars": 5, "film": {"title": "ACE GOLDFINGER", "reviews": {"total": 1}}}, "lost": {"film": null}}}`,
		ask(`mutation { createReview(input: {filmId: 2, stars: 5}) { stars film { title reviews { total } } } lost: createReview(input: {filmId: 99, stars: 1}) { film { title } } }`))
	same(t, `{"data": {"films": {"items": [{"title": "ACE GOLDFINGER"}]}}}`, ask(`{ films(filter: {reviews: {some: {stars: {gt: 4}}}}) { items { title } } }`))
	if dump := db.dump(); !strings.Contains(dump, "CREATE TABLE public.review") {
		t.Error("there is no table of reviews")
	}
}

// cursor asks for a page and returns the only text of its answer.
func cursor(t *testing.T, ask func(string) string, document string) string {
	t.Helper()
	_, rest, ok := strings.Cut(ask(document), `"endCursor":"`)
	end, _, _ := strings.Cut(rest, `"`)
	if !ok {
		t.Fatal("no cursor")
	}
	return end
}

// withoutDetails leaves message and path of an answer's errors.
func withoutDetails(t *testing.T, answer string) string {
	t.Helper()
	var a struct {
		Data   json.RawMessage `json:"data"`
		Errors []struct {
			Message string `json:"message"`
			Path    []any  `json:"path"`
		} `json:"errors"`
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
