package jsontext_test

import (
	"fmt"

	"github.com/frondhost/frond/schema/jsontext"
)

func ExampleMembers() {
	body := []byte(`{"title": "Tide", "tags": ["sea", "night"], "price": 12.50}`)
	for name, value := range jsontext.Members(body) {
		fmt.Printf("%s = %s\n", name, value)
	}
	// Output:
	// title = "Tide"
	// tags = ["sea", "night"]
	// price = 12.50
}

func ExampleCheck() {
	fmt.Println(jsontext.Check([]byte("{\n  \"title\": \"Tide\",\n  \"title\": \"Ebb\"\n}")))
	// Output:
	// line 3, column 3: the key "title" occurs twice in one object; leave one of them out
}
