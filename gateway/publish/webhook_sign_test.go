package publish

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

const testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// TestSign holds signatures to the example of the Standard Webhooks libraries.
func TestSign(t *testing.T) {
	key, err := parseSecret(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	got := sign([]secret{key}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if two := sign([]secret{key, key}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)); two != want+" "+want {
		t.Errorf("of two secrets: %s", two)
	}
}

// TestSecrets: what is no secret is refused, and no secret is printed.
func TestSecrets(t *testing.T) {
	for _, text := range []string{"", "hunter2hunter2hunter2hunter2", "whsec_hunter2!", "whsec_c2hvcnQ=", "whsec_" + strings.Repeat("QUJD", 22)} {
		if _, err := parseSecret(text); err == nil || text != "" && strings.Contains(err.Error(), strings.TrimPrefix(text, "whsec_")) {
			t.Errorf("%s: %v", text, err)
		}
	}
	key, _ := parseSecret(testSecret)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secret", key, "config", hookConfig{Secrets: []secret{key}})
	for _, text := range []string{log.String(), fmt.Sprintf("%v %+v %#v %s %x %q", key, key, key, key, key, key), fmt.Sprintf("%+v", []secret{key})} {
		if strings.Contains(text, "MfKQ9r8") || strings.Contains(text, "31f290f6") || strings.Contains(text, "49 242") {
			t.Errorf("a secret is printed: %s", text)
		}
	}
}

// TestBackoff: the waits double to two hours, and all of them fit into a day.
func TestBackoff(t *testing.T) {
	var all time.Duration
	for n := 1; n < tries; n++ {
		all += longest(n)
		if longest(n) > maxWait || longest(n) < longest(max(1, n-1)) {
			t.Errorf("after %d tries: %s", n, longest(n))
		}
		for range 100 {
			if got := backoff(n); got < firstWait || got > longest(n) {
				t.Fatalf("after %d tries: %s of %s", n, got, longest(n))
			}
		}
	}
	if backoff(1) != 5*time.Second {
		t.Errorf("the first retry is after %s", backoff(1))
	}
	if all > 24*time.Hour || all < 20*time.Hour {
		t.Errorf("the waits add up to %s", all)
	}
}
