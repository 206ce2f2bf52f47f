package envelope_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
)

// A host and a caller, in two processes for all they know: the handler answers
// frames, the client is a Caller like the façade behind it.
func Example() {
	project, err := facade.Read(os.DirFS("testdata/example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	facade.HandleQuery(project.Door("greeter"), "greet", func(_ context.Context, in struct {
		Name string `json:"name"`
	},
	) (string, error) {
		if in.Name == "nobody" {
			return "", kiterror.Errorf(kiterror.NotFound, "there is nobody to greet")
		}
		return "hello " + in.Name, nil
	})
	compiled, err := compile.Project(project, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err := facade.New(compiled, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle(envelope.Path, envelope.NewHandler(host.Catalog(), host, nil))
	server := httptest.NewServer(mux)
	defer server.Close()

	var caller facade.Caller = client.New(server.URL, nil)
	for _, name := range []string{"Ada", "nobody"} {
		result, err := caller.Call(context.Background(), &facade.Call{
			Entity: "greeter", Operation: "greet",
			Invocation: facade.Invocation{Params: fmt.Appendf(nil, `{"name":%q}`, name)},
		})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s\n", result.AppendJSON(nil))
	}
	// Output:
	// "hello Ada"
	// greeter.greet: NOT_FOUND: there is nobody to greet
}
