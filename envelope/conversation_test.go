package envelope_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// TestConversations plays every testdata/*.txtar: what is sent, what comes back.
// A conversation has the test project to itself, over its seeds, at a clock that
// stands still. Answers are the status and the body, a batch's frames one a line.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f := storetest.New(t, storetest.Project(t), storetest.NewStore(), &facade.Options{
				Now: func() time.Time { return time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC) },
			})
			h := envelope.NewHandler(f.Catalog(), f, nil)
			var played []txtar.File
			for i := 0; i < len(archive.Files); i++ {
				ask := archive.Files[i]
				about, isAsk := strings.CutSuffix(ask.Name, ": ask")
				if !isAsk {
					t.Fatalf("%s stands where something is asked", ask.Name)
				}
				status, body := post(t, h, string(ask.Data))
				answer := txtar.File{Name: about + ": answer", Data: shown(status, body)}
				played = append(played, ask, answer)
				if i+1 < len(archive.Files) && archive.Files[i+1].Name == answer.Name {
					i++
					if diff := cmp.Diff(string(archive.Files[i].Data), string(answer.Data)); diff != "" && !*update {
						t.Errorf("%s (-want +got; -update rewrites):\n%s", about, diff)
					}
				} else if !*update {
					t.Errorf("%s has no answer; -update writes it", about)
				}
			}
			if *update {
				archive.Files = played
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// shown is an answer as a conversation has it.
func shown(status int, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, status)
	switch {
	case body == "":
	case body[0] == '[':
		for _, frame := range jsontext.Elements([]byte(body)) {
			fmt.Fprintf(&b, "%s\n", frame)
		}
	default:
		fmt.Fprintln(&b, body)
	}
	return b.Bytes()
}
