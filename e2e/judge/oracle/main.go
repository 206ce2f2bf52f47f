//go:build js && wasm

// Command oracle is the Go judge in WebAssembly: what the judge in JavaScript is compared
// with. It gives JavaScript one function.
//
//	frondJudge(card, view, bodies)   bodies is JSON: [[mode, text], …]
//	                                 the answer is JSON: [[detail, …], …], or the text of an error
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"syscall/js"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

func main() {
	js.Global().Set("frondJudge", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return judge(args[0].String(), args[1].Bool(), args[2].String())
	}))
	select {}
}

// modes are those of the runtime, by their numbers.
var modes = []schema.Mode{schema.Create, schema.Patch, schema.Plain}

func judge(card string, view bool, bodies string) string {
	set, err := schema.Compile([]schema.Source{{Name: "thing", File: "thing.json", View: view, Data: []byte(card)}}, schema.Builtins(), nil)
	if err != nil {
		return err.Error()
	}
	var pairs [][2]json.RawMessage
	if err := json.Unmarshal([]byte(bodies), &pairs); err != nil {
		return err.Error()
	}
	all := make([][]schema.Detail, len(pairs))
	for i, p := range pairs {
		var mode int
		var text string
		if err := json.Unmarshal(p[0], &mode); err != nil {
			return err.Error()
		}
		if err := json.Unmarshal(p[1], &text); err != nil {
			return err.Error()
		}
		var broken *jsontext.Error
		if errors.As(jsontext.Check([]byte(text)), &broken) {
			// A host answers such a text without judging it.
			path := strings.ReplaceAll(strings.TrimPrefix(broken.Pointer, "/"), "/", ".")
			code, message, params := "unicode", "must be Unicode", map[string]any(nil)
			if strings.Contains(broken.Message, "deeper") {
				code, message, params = "maxDepth", "must have at most 100 levels", map[string]any{"limit": 100}
			}
			all[i] = []schema.Detail{{Path: path, Pointer: "/body" + broken.Pointer, Code: code, Message: message, Params: params}}
			continue
		}
		_, all[i] = set.Entity("thing").Judge(modes[mode], json.RawMessage(text), "/body")
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(all); err != nil {
		return err.Error()
	}
	return out.String()
}
