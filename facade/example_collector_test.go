package facade_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/store/storetest"
)

// A collector in frond.yaml says who sees what: staff see every note, everybody
// else their own, without what staff wrote beside it.
func Example_collector() {
	project, err := facade.Read(fstest.MapFS{
		"entities/note.yaml": {Data: []byte(`
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  owner: {type: string}
  text: {type: string}
  remark: {type: [string, 'null']}
required: [id, owner, text, remark]`)},
		"seeds/note.yaml": {Data: []byte(`
- {id: n1, owner: ada, text: Buy milk, remark: again}
- {id: n2, owner: bob, text: Call home, remark: null}`)},
		"frond.yaml": {Data: []byte(`
collectors:
  note:
    - when: user.role == "staff"
    - when: user != nil
      rows: {owner: {eq: $user.id}}
      hide: [remark]
      set: {owner: $user.id}
      deny: [delete]`)},
	})
	if err != nil {
		panic(err)
	}
	compiled, err := compile.Project(project, nil)
	if err != nil {
		panic(err)
	}
	host, err := facade.New(compiled, storetest.NewStore(), nil)
	if err != nil {
		panic(err)
	}
	if _, err := seed.Write(context.Background(), host); err != nil {
		panic(err)
	}
	for _, user := range []any{map[string]any{"id": "s", "role": "staff"}, map[string]any{"id": "ada"}, nil} {
		res, err := host.Call(context.Background(), &facade.Call{Entity: "note", Operation: "list", Invocation: facade.Invocation{
			Query: []byte(`{"total":false}`), State: access.State{"user": user},
		}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(string(res.Rows.AppendJSON(nil)))
	}
	// Output:
	// [{"id":"n1","owner":"ada","text":"Buy milk","remark":"again"},{"id":"n2","owner":"bob","text":"Call home","remark":null}]
	// [{"id":"n1","owner":"ada","text":"Buy milk"}]
	// note.list: UNAUTHORIZED: note.list is not for everybody; say who you are
}
