package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade/consistency"
)

func TestPosition(t *testing.T) {
	for text, want := range map[string]logPosition{
		"0/0": 0, "0/16B3748": 0x16B3748, "16/B374D848": 0x16B374D848, "FFFFFFFF/FFFFFFFF": 1<<64 - 1,
	} {
		got, err := parsePosition(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s is %d (%s), %v", text, got, got, err)
		}
	}
	for _, text := range []string{"", "0", "0/", "/0", "x/0", "0/x", "1FFFFFFFF/0", "0/1FFFFFFFF", "-1/0"} {
		if got, err := parsePosition(text); err == nil {
			t.Errorf("%q is the position %s", text, got)
		}
	}
}

// TestSeal: tokens of a seal hold, grow with their positions and travel; any other does not
// hold.
func TestSeal(t *testing.T) {
	ours, theirs := newSeal([]byte(strings.Repeat("a", keySize))), newSeal([]byte(strings.Repeat("b", keySize)))
	if ours.store == theirs.store {
		t.Error("two stores have one name")
	}
	last := ""
	for _, p := range []logPosition{0, 9, 10, 0x16B3748, 1 << 40, 1<<64 - 1} {
		token := ours.token(p)
		if got, ok := ours.position(token); !ok || got != p {
			t.Errorf("%s is %s, %t", token, got, ok)
		}
		if token <= last {
			t.Errorf("%s is not greater than %s", token, last)
		}
		last = token
		r, err := consistency.Read([]string{token})
		if err != nil || r.Of(ours.store) != token {
			t.Errorf("%s does not travel: %v", token, err)
		}
		if _, ok := theirs.position(token); ok {
			t.Errorf("%s holds elsewhere", token)
		}
		for i := range token {
			changed := token[:i] + "0" + token[i+1:]
			if _, ok := ours.position(changed); ok && changed != token {
				t.Errorf("%s holds, made of %s", changed, token)
			}
		}
	}
	for _, token := range []string{"", ".", "..", ours.store + ".1.", strings.Replace(ours.token(1), ours.store, theirs.store, 1)} {
		if _, ok := ours.position(token); ok {
			t.Errorf("%q holds", token)
		}
	}
}

// TestChoose walks through the life of two replicas, in seconds; a report holds for one, and
// ten behind is late.
func TestChoose(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }
	s := newReplicaSet(2, time.Second, 10*time.Second)
	chosen := func(now float64, seen logPosition) string {
		text := ""
		for range 4 {
			i, ok := s.choose(at(now), seen)
			if !ok {
				return "primary"
			}
			text += string(rune('a' + i))
		}
		return text
	}
	expect := func(what string, now float64, seen logPosition, want ...string) {
		t.Helper()
		got := chosen(now, seen)
		for _, w := range want {
			if got == w {
				return
			}
		}
		t.Errorf("%s: %s, want %v", what, got, want)
	}
	expect("nothing is known", 0, 0, "primary")
	s.report(0, at(0), 100)
	expect("one has reported", 0.5, 0, "aaaa")
	s.report(1, at(0.5), 50)
	expect("both have, and take turns", 0.5, 0, "abab", "baba")
	expect("only one has what was written", 0.5, 51, "aaaa")
	expect("both have it", 0.5, 50, "abab", "baba")
	expect("none has it", 0.5, 101, "primary")
	expect("one is silent", 1.2, 0, "bbbb")
	expect("both are", 2, 0, "primary")
	s.report(0, at(2), 100)
	s.report(1, at(2), 100)
	s.fail(0)
	expect("one fails", 2, 0, "bbbb")
	s.report(0, at(2), 100)
	expect("it is back", 2, 0, "abab", "baba")

	// The primary goes on, and one replica follows.
	for now := 2.0; now <= 30; now++ {
		s.primary(at(now), logPosition(100*now))
		s.report(0, at(now), logPosition(100*now))
		s.report(1, at(now), 200)
	}
	expect("the other is late", 30, 0, "aaaa")
	s.report(1, at(30), 1999)
	expect("still a little", 30, 0, "aaaa")
	s.report(1, at(30), 2000)
	expect("it has caught up with ten seconds ago", 30, 0, "abab", "baba")
	// The primary is down: nothing is newer than what the replicas have.
	s.report(0, at(60), 3000)
	s.report(1, at(60), 3000)
	expect("the primary is down", 60, 0, "abab", "baba")
	expect("and something is on it alone", 60, 3001, "primary")
}
