package e2e_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/frondhost/frond/e2e/testprogram"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/gateway"
	extras "github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/schema"
)

// The press is a project with code of its own, as a Go author would write one:
// the test binary is its program when pressVariable says where the cards are.

var pressDir = filepath.Join(root, "e2e", "testdata", "press")

// startPress starts the press as a program, on a free port, over memory.
func startPress(t testing.TB) *program {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = environment(pressVariable+"="+pressDir, "FROND_LISTEN=127.0.0.1:0", "FROND_STORE="+memory(t))
	return start(t, cmd)
}

// startProgram builds and starts an example that is a program of its own.
func startProgram(t testing.TB, name string) *program {
	t.Helper()
	cmd := exec.Command(testprogram.Build(t, "examples/"+name))
	cmd.Env = environment("FROND_LISTEN=127.0.0.1:0", "FROND_STORE=memory")
	cmd.Dir = t.TempDir()
	return start(t, cmd)
}

// runProject is main of a project with code of its own; its result is the exit code.
func runProject(dir string, read func(dir string) (*facade.Project, error)) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := func() error {
		config, err := gateway.LoadConfig(dir, "", os.Environ(), extras.Extras()...)
		if err != nil {
			return err
		}
		project, err := read(dir)
		if err != nil {
			return err
		}
		g, err := gateway.New(project, &gateway.Options{Config: *config})
		if err != nil {
			return err
		}
		return g.Run(ctx)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

type book struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Price string `json:"price"`
	Pages int64  `json:"pages"`
}

// pressProject is the project with its code attached.
func pressProject(dir string) (*facade.Project, error) {
	project, err := facade.Read(os.DirFS(dir))
	if err != nil {
		return nil, err
	}
	door := project.Door("book")
	facade.HandleCommand(door, "reprint", reprint)
	facade.HandleQuery(door, "labels", func(ctx context.Context, _ struct{}) ([]book, error) { return books(ctx) })
	facade.HandleQuery(door, "findCheapest", findCheapest)
	facade.HandleQuery(door, "countPages", func(ctx context.Context, _ struct{}) (int64, error) {
		all, err := books(ctx)
		sum := int64(0)
		for _, b := range all {
			sum += b.Pages % 1000
		}
		return sum, err
	})
	facade.HandleCommand(door, "shelve", func(_ context.Context, in struct {
		Place string `json:"shelf"`
		Row   *int
	},
	) (string, error) {
		if in.Row == nil {
			return in.Place, nil
		}
		return fmt.Sprint(in.Place, "-", *in.Row), nil
	})
	facade.HandleCommand(door, "fail", fail)
	facade.Present(door, "spine", schema.Shape{Type: "string"}, func(_ context.Context, found []rows.Row) ([]string, error) {
		spines := make([]string, len(found))
		for i, row := range found {
			var b book
			if err := json.Unmarshal(row.JSON(), &b); err != nil {
				return nil, err
			}
			spines[i] = fmt.Sprintf("%s (%d pp.)", b.Title, b.Pages)
		}
		return spines, nil
	}, "title", "pages")

	desk := project.Door("desk")
	facade.HandleQuery(desk, "check", func(context.Context, struct{}) (bool, error) { return true, nil })
	facade.HandleQuery(desk, "whoami", func(ctx context.Context, _ struct{}) (map[string]any, error) {
		return facade.StateFrom(ctx).User(), nil
	})
	facade.HandleCommand(desk, "echo", func(_ context.Context, in json.RawMessage) (json.RawMessage, error) { return in, nil })
	return project, nil
}

func books(ctx context.Context) ([]book, error) {
	result, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "list", Invocation: facade.Invocation{Query: json.RawMessage(`{"sort":"id","limit":3}`)}})
	if err != nil {
		return nil, err
	}
	all := make([]book, result.Rows.Len())
	for i := range all {
		if err := result.Rows.Row(i).Decode(&all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func findCheapest(ctx context.Context, in struct{ Under int }) (*facade.Result, error) {
	query := fmt.Sprintf(`{"sort":"price","limit":1,"filter":{"price":{"lt":"%d"}}}`, in.Under)
	found, err := facade.From(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "list", Invocation: facade.Invocation{Query: json.RawMessage(query)}})
	if err != nil {
		return nil, err
	}
	found.Form = facade.FormRow
	return found, nil
}

// reprint writes what is closed to everybody outside.
func reprint(ctx context.Context, in struct {
	ID     string
	Copies int
},
) (*facade.Result, error) {
	if facade.StateFrom(ctx).User() == nil {
		return nil, kiterror.Errorf(kiterror.Unauthorized, "say who you are before you print")
	}
	id, _ := json.Marshal(map[string]string{"id": in.ID})
	body, _ := json.Marshal(map[string]int{"copies": in.Copies})
	return facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "book", Operation: "update", Invocation: facade.Invocation{Params: id, Body: body}})
}

// fail fails in each of the ways a handler can.
func fail(_ context.Context, in struct{ How string }) (string, error) {
	switch in.How {
	case "coded":
		err := kiterror.Errorf(kiterror.Conflict, "the paper is used up")
		err.Details = map[string]any{"left": 0, "needed": []any{"ream", nil, 2.5}}
		return "", err
	case "wrapped":
		return "", fmt.Errorf("at the press: %w", kiterror.Errorf(kiterror.Locked, "somebody else prints"))
	case "unknown code":
		return "", &kiterror.Error{Code: "OUT_OF_INK", Message: "there is no more ink"}
	case "uncoded":
		return "", errors.New("secret-7c1f in the machine room")
	case "panic":
		panic("secret-7c1f in the machine room")
	}
	return cmp.Or(in.How, "fine"), nil
}
