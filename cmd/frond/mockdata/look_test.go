package mockdata_test

import (
	"context"
	"fmt"
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/cmd/frond/mockdata"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// A project's rows after it was filled: the seeds it has now.
func ExampleFill() {
	source := &facade.Project{Registry: schema.Builtins(), Fronds: []*project.Frond{{
		Name: "people",
		Cards: []schema.Source{{File: "customer.yaml", Name: "customer", Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  email: {type: string, format: email}
  city: {type: string}
  country: {type: string}
required: [id, name, email, city, country]
`)}},
	}}}
	notes, err := mockdata.Fill(source, &mockdata.Options{Rows: 2, Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(notes)
	fmt.Println(strings.ReplaceAll(string(source.Fronds[0].Seeds[0].Data), "},", "},\n"))
	// Output:
	// []
	// [{"id":"customer-1","name":"Farah Jansen","email":"farah.jansen@example.org","city":"Portland","country":"United States"},
	// {"id":"customer-2","name":"Hana Almeida","email":"hana.almeida@example.org","city":"Lisbon","country":"Portugal"}]
}

type customer struct {
	Name, FirstName, LastName, Email, City, Country, CountryCode, Phone, Website string
	Street, Slug, Price, Body, Status                                            string
	Birthday                                                                     string
	CreatedAt, ConfirmedAt, ShippedAt, UpdatedAt, DueAt                          time.Time
	JoinedAt                                                                     int64
	Rating, Latitude                                                             float64
	Age, Year, Position                                                          int
	Tags                                                                         []string
	Address                                                                      struct{ Street, City, Country string }
}

const customerCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  firstName: {type: string}
  lastName: {type: string}
  email: {type: string}
  city: {type: string}
  country: {type: string}
  countryCode: {type: string, maxLength: 2}
  phone: {type: string}
  website: {type: string}
  street: {type: string}
  slug: {type: string, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$'}
  price: {type: string, format: decimal}
  body: {type: string, maxLength: 200}
  status: {type: string, enum: [open, closed], x-kit: {lifecycle: {create: {value: open}}}}
  birthday: {type: string, format: date}
  createdAt: {type: string, format: date-time}
  confirmedAt: {type: string, format: date-time}
  shippedAt: {type: string, format: date-time}
  updatedAt: {type: string, format: date-time}
  dueAt: {type: string, format: date-time}
  joinedAt: {type: integer, format: int64}
  rating: {type: number}
  latitude: {type: number}
  age: {type: integer}
  year: {type: integer}
  position: {type: integer, minimum: 0}
  tags: {type: array, items: {type: string}}
  address: {type: object, properties: {street: {type: string}, city: {type: string}, country: {type: string}}, required: [street, city, country]}
required: [id, name, firstName, lastName, email, city, country, countryCode, phone, website, street, slug, price, body, birthday, createdAt, confirmedAt, shippedAt, updatedAt, dueAt, joinedAt, rating, latitude, age, year, position, tags, address]
`

// TestLooks: values look as the names of their fields say, and those of a row agree.
func TestLooks(t *testing.T) {
	f, notes := mocked(t, newProject("entities/customer.yaml", customerCard), &mockdata.Options{Rows: 100, Seed: 4})
	if len(notes) > 0 {
		t.Error(notes)
	}
	page, err := facade.Do[facade.List[customer]](context.Background(), f, "customer.list", facade.Invocation{Query: []byte(`{"limit":100}`)})
	if err != nil {
		t.Fatal(err)
	}
	statuses, tags := map[string]int{}, 0
	for i, c := range page.Items {
		check := func(what string, holds bool) {
			if !holds {
				t.Errorf("row %d: %s: %+v", i, what, c)
			}
		}
		_, err := mail.ParseAddress(c.Email)
		check("the email is one", err == nil)
		check("the name is first and last name", c.Name == c.FirstName+" "+c.LastName)
		check("the email is the name's", strings.HasPrefix(c.Email, strings.ToLower(c.FirstName)+"."))
		check("the address is in the row's city", c.Address.City == c.City && c.Address.Country == c.Country)
		check("the country code has two letters", len(c.CountryCode) == 2)
		check("the slug is the name's", c.Slug == strings.ToLower(c.FirstName+"-"+c.LastName))
		check("the phone number is one", regexp.MustCompile(`^\+[0-9 ]+$`).MatchString(c.Phone))
		check("the website is one", strings.HasPrefix(c.Website, "https://"))
		check("the street has a number", regexp.MustCompile(`^\d+ [A-Z]`).MatchString(c.Street))
		check("the price has cents", regexp.MustCompile(`^\d+\.\d\d$`).MatchString(c.Price))
		check("the body is a sentence", strings.Contains(c.Body, " ") && len(c.Body) <= 200)
		check("the moments are in order", !c.CreatedAt.After(c.ConfirmedAt) && !c.ConfirmedAt.After(c.ShippedAt) && !c.ShippedAt.After(c.UpdatedAt) && !c.UpdatedAt.After(c.DueAt))
		check("the customer was born before", c.Birthday < "2006")
		check("milliseconds are of the same moments", time.UnixMilli(c.JoinedAt).UTC().Equal(c.CreatedAt))
		check("numbers are of their names", c.Rating >= 1 && c.Rating <= 5 && c.Latitude >= -90 && c.Latitude <= 90 && c.Age >= 18 && c.Age <= 80 && c.Year >= 1990 && c.Year <= 2026)
		statuses[c.Status]++
		tags += len(c.Tags)
	}
	if statuses["open"] == 0 || statuses["closed"] == 0 || tags == 0 {
		t.Errorf("statuses are %v, and there are %d tags", statuses, tags)
	}
}

// TestNullSometimes: a field that may be null is, in some of the rows.
func TestNullSometimes(t *testing.T) {
	f, _ := mocked(t, newProject("entities/thing.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, a: {type: [string, 'null']}, b: {type: string, x-kit: {lifecycle: {create: optional}}}}, required: [id, a]}`), &mockdata.Options{Rows: 100, Seed: 1})
	for _, name := range []string{"a", "b"} {
		page, err := facade.Do[struct{ Total int }](context.Background(), f, "thing.list", facade.Invocation{Query: []byte(`{"filter":{"` + name + `":{"isNull":true}}}`)})
		if err != nil || page.Total < 5 || page.Total > 50 {
			t.Errorf("%s is null in %d of 100 rows (%v)", name, page.Total, err)
		}
	}
}

// TestExamplesComeFirst: what the card gives is what is used.
func TestExamplesComeFirst(t *testing.T) {
	f, _ := mocked(t, newProject("entities/thing.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, a: {type: string, examples: [x, y]}, b: {type: string, examples: [x, y], x-kit: {role: {unique: [[b]]}}}}, required: [id, a, b]}`), &mockdata.Options{Rows: 40, Seed: 1})
	for filter, want := range map[string]int{`{"a":{"in":["x","y"]}}`: 40, `{"b":{"in":["x","y"]}}`: 2} {
		page, err := facade.Do[struct{ Total int }](context.Background(), f, "thing.list", facade.Invocation{Query: []byte(`{"filter":` + filter + `}`)})
		if err != nil || page.Total != want {
			t.Errorf("%s holds for %d rows (%v), want %d", filter, page.Total, err, want)
		}
	}
}

// TestAnswers: operations that a Frond's own code would answer, over its rows.
func TestAnswers(t *testing.T) {
	f, _ := mocked(t, storetest.FS(), &mockdata.Options{Rows: 20, Seed: 1})
	type post struct{ ID, Slug string }
	ctx := context.Background()
	one, err := facade.Do[*post](ctx, f, "post.bySlug", facade.Invocation{Params: []byte(`{"slug":"notes-1"}`)})
	if err != nil || one != nil {
		t.Errorf("a slug that no post has: %v, %v", one, err)
	}
	all, err := facade.Do[facade.List[post]](ctx, f, "post.list", facade.Invocation{Query: []byte(`{"limit":3,"sort":"-id"}`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Items {
		one, err := facade.Do[*post](ctx, f, "post.bySlug", facade.Invocation{Params: []byte(`{"slug":"` + p.Slug + `"}`)})
		if err != nil || one == nil || one.ID != p.ID {
			t.Errorf("the post %s is %v by its slug (%v)", p.ID, one, err)
		}
	}
	if n, err := facade.Do[int](ctx, f, "post.countWords", facade.Invocation{}); err != nil || n < 1 {
		t.Errorf("countWords answers %d (%v), want a number", n, err)
	}
}
