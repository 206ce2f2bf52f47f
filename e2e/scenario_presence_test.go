package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestPresence: an explicit null and an omitted key arrive as what they are, on
// every surface, in GraphQL by literal and by variable (spec 2.3: presence and
// nullability are two things). customer.phone is required and nullable; category's
// parentId likewise; customer.birthday is neither required nor untouched by null.
func TestPresence(t *testing.T) {
	t.Parallel()
	p := startGateway(t, shopDir)
	address := `{"street":"Markt 1","postalCode":"07743","city":"Jena","country":"DE"}`
	literal := `{street: "Markt 1", postalCode: "07743", city: "Jena", country: "DE"}`
	n := 0
	graphql := func(query, variables string) reply {
		return send(t, "POST", p.URL+"/graphql", object("query", encode(t, query), "variables", variables), asStaff)
	}
	ways := map[string]func(phone string) reply{ // phone is null, or "" for omitted
		"rest": func(phone string) reply {
			return send(t, "POST", p.URL+"/api/sales/customers", object("name", `"P"`, "email", fmt.Sprintf(`"p%d@example.com"`, n), "phone", phone, "address", address), asStaff)
		},
		"envelope": func(phone string) reply {
			body := object("name", `"P"`, "email", fmt.Sprintf(`"p%d@example.com"`, n), "phone", phone, "address", address)
			return send(t, "POST", p.URL+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"customer.create","params":{"body":`+body+`}}`, asStaff)
		},
		"graphql literal": func(phone string) reply {
			if phone != "" {
				phone = "phone: " + phone + ","
			}
			return graphql(fmt.Sprintf(`mutation { createCustomer(input: {name: "P", email: "p%d@example.com", %s address: %s}) { phone } }`, n, phone, literal), "")
		},
		"graphql variable, whole": func(phone string) reply {
			return graphql(`mutation($i: CreateCustomerInput!) { createCustomer(input: $i) { phone } }`,
				`{"i":`+object("name", `"P"`, "email", fmt.Sprintf(`"p%d@example.com"`, n), "phone", phone, "address", address)+`}`)
		},
		"graphql variable, inside": func(phone string) reply {
			return graphql(fmt.Sprintf(`mutation($phone: String) { createCustomer(input: {name: "P", email: "p%d@example.com", phone: $phone, address: %s}) { phone } }`, n, literal),
				object("phone", phone))
		},
		"graphql variable with a default": func(phone string) reply {
			query := `mutation($phone: String = null) { createCustomer(input: {name: "P", email: "p%d@example.com", phone: $phone, address: %s}) { phone } }`
			if phone == "" {
				query = strings.Replace(query, " = null", "", 1)
			}
			return graphql(fmt.Sprintf(query, n, literal), "{}")
		},
	}
	ways["frond call"] = func(phone string) reply {
		args := []string{"call", "customer.create", "--url", p.URL, "--header", asStaff, "--json", "name=P", fmt.Sprintf("email=p%d@example.com", n), "address:=" + address}
		if phone != "" {
			args = append(args, "phone:="+phone)
		}
		res := run(t, "", args...)
		return reply{Body: []byte(res.stdout + res.stderr)}
	}
	for name, create := range ways {
		t.Run(name, func(t *testing.T) {
			n++
			if res := create("null"); res.Status >= 300 || strings.Contains(string(res.Body), `"error`) || !strings.Contains(string(res.Body), `"phone":null`) {
				t.Errorf("null: %d %s", res.Status, res.Body)
			}
			n++
			res := create("")
			if text := string(res.Body); !strings.Contains(text, `"/body/phone"`) || !strings.Contains(text, `"required"`) {
				t.Errorf("omitted: %d %s", res.Status, text)
			}
		})
	}

	read := func(t *testing.T) string {
		row, _ := decode(t, send(t, "GET", p.URL+"/api/sales/customers/u-mara-lindqvist", "", asStaff).Body).(map[string]any)
		return encode(t, map[string]any{"birthday": row["birthday"]})
	}
	updates := map[string]func(birthday string) reply{
		"rest": func(v string) reply {
			return send(t, "PATCH", p.URL+"/api/sales/customers/u-mara-lindqvist", object("newsletter", "true", "birthday", v), asStaff)
		},
		"rest, PUT is a patch too": func(v string) reply {
			return send(t, "PUT", p.URL+"/api/sales/customers/u-mara-lindqvist", object("newsletter", "true", "birthday", v), asStaff)
		},
		"graphql variable": func(v string) reply {
			return graphql(`mutation($i: UpdateCustomerInput!) { updateCustomer(id: "u-mara-lindqvist", input: $i) { id } }`, `{"i":`+object("newsletter", "true", "birthday", v)+`}`)
		},
		"graphql literal": func(v string) reply {
			if v != "" {
				v = ", birthday: " + v
			}
			return graphql(`mutation { updateCustomer(id: "u-mara-lindqvist", input: {newsletter: true`+v+`}) { id } }`, "")
		},
		"envelope": func(v string) reply {
			return send(t, "POST", p.URL+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"customer.update","params":{"params":{"id":"u-mara-lindqvist"},"body":`+object("newsletter", "true", "birthday", v)+`}}`, asStaff)
		},
	}
	for name, update := range updates {
		t.Run("update by "+name, func(t *testing.T) {
			if res := update(`"1988-04-17"`); !strings.Contains(read(t), `"1988-04-17"`) {
				t.Fatalf("a value: %s after %d %s", read(t), res.Status, res.Body)
			}
			if res := update(""); !strings.Contains(read(t), `"1988-04-17"`) {
				t.Errorf("omitted: %s after %d %s", read(t), res.Status, res.Body)
			}
			if res := update("null"); read(t) != `{"birthday":null}` {
				t.Errorf("null: %s after %d %s", read(t), res.Status, res.Body)
			}
		})
	}
}

// TestFourRefusals: one answer names everything that is wrong with a create: a
// field that is missing, one that is unknown, one that is read-only, and a null.
func TestFourRefusals(t *testing.T) {
	t.Parallel()
	p := startGateway(t, shopDir)
	body := `{"name":null,"email":"kim@example.com","phone":null,"loyaltyPoints":500,"nickname":"Kim"}`
	answers := map[string]string{
		"rest":     string(send(t, "POST", p.URL+"/api/sales/customers", body, asStaff).Body),
		"envelope": string(send(t, "POST", p.URL+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"customer.create","params":{"body":`+body+`}}`, asStaff).Body),
		"graphql": string(send(t, "POST", p.URL+"/graphql", object("query", `"mutation($i: CreateCustomerInput!) { createCustomer(input: $i) { id } }"`,
			"variables", `{"i":`+body+`}`), asStaff).Body),
		"frond call": run(t, "", "call", "customer.create", "--url", p.URL, "--header", asStaff, "name:=null", "email=kim@example.com", "phone:=null", "loyaltyPoints:=500", "nickname=Kim").stderr,
	}
	for surface, answer := range answers {
		for _, name := range []string{"nickname", "name", "address", "loyaltyPoints"} {
			if !strings.Contains(strings.ReplaceAll(answer, "nickname", ""), name) && name != "nickname" || !strings.Contains(answer, "nickname") {
				t.Errorf("%s: the answer does not name %s: %s", surface, name, answer)
			}
		}
	}
}
