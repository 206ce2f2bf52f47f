package e2e_test

import (
	"strings"
	"testing"
)

// cliWire carries a call as `frond call entity.op …`: to a running gateway, or in a
// process of its own over the project in a folder.
type cliWire struct{ url, dir, store string }

// newCLIWire is `frond call --dir`, over a store that lasts from call to call.
func newCLIWire(t testing.TB, dir string) cliWire {
	return cliWire{dir: dir, store: storeFor(t)}
}

func (w cliWire) do(t *testing.T, c call) (answer, bool) {
	t.Helper()
	args := []string{"call", c.Method}
	switch {
	case w.url == "":
		args = append(args, "--dir", w.dir, "--store", w.store)
		if c.User != "" {
			args = append(args, "--state", c.state())
		}
	default:
		args = append(args, "--url", w.url)
		for _, h := range c.userHeader() { // the gateway ignores a state that it is sent
			args = append(args, "--header", h)
		}
	}
	for _, place := range []string{c.Params, c.Query} {
		for name, v := range members(t, place) {
			if v[0] == '"' {
				args = append(args, name+"="+text(t, v))
			} else {
				args = append(args, name+":="+string(v))
			}
		}
	}
	if c.Body != "" {
		args = append(args, "--body", "-")
	}
	res := run(t, c.Body, args...)
	switch res.code {
	case 0:
		if strings.TrimSpace(res.stderr) != "" {
			t.Errorf("frond %s talked on stderr: %s", strings.Join(args, " "), res.stderr)
		}
		return answer{Value: decode(t, []byte(res.stdout))}, true
	case 1:
		if res.stdout != "" {
			t.Errorf("frond %s failed and still wrote to stdout: %s", strings.Join(args, " "), res.stdout)
		}
		return answer{Err: decodeError(t, []byte(res.stderr))}, true
	}
	t.Fatalf("frond %s ended with exit code %d\n%s", strings.Join(args, " "), res.code, res.stderr)
	return answer{}, false
}
