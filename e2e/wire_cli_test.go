package e2e_test

import (
	"strings"
	"testing"
)

// cliWire carries a call as `frond call entity.op …` against a running gateway.
type cliWire struct{ url string }

func (w cliWire) do(t *testing.T, c call) (answer, bool) {
	t.Helper()
	if c.User != "" {
		return answer{}, false // the gateway ignores a sent state, and the command sends no headers
	}
	args := []string{"call", c.Method, "--url", w.url}
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
