package kiterror_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// codes is the table of docs/calls.md, written a second time.
const codes = `VALIDATION_FAILED 400, BAD_REQUEST 400, UNAUTHORIZED 401, FORBIDDEN 403, NOT_FOUND 404, METHOD_NOT_ALLOWED 405, REQUEST_TIMEOUT 408,
CONFLICT 409, GONE 410, PRECONDITION_FAILED 412, PAYLOAD_TOO_LARGE 413, UNPROCESSABLE_ENTITY 422, LOCKED 423, TOO_MANY_REQUESTS 429, INTERNAL_ERROR 500,
NOT_IMPLEMENTED 501, BAD_GATEWAY 502, SERVICE_UNAVAILABLE 503, GATEWAY_TIMEOUT 504`

func TestStatusOfEveryCode(t *testing.T) {
	for _, row := range strings.Split(codes, ",") {
		var code string
		var status int
		if _, err := fmt.Sscan(row, &code, &status); err != nil {
			t.Fatal(err)
		}
		if c := kiterror.Code(code); c.Status() != status || !c.Known() {
			t.Errorf("%s is %d, want %d", c, c.Status(), status)
		}
	}
	if c := kiterror.Code("TEAPOT"); c.Status() != 500 || c.Known() {
		t.Errorf("an unknown code is %d", c.Status())
	}
}

func TestErrorOffTheWire(t *testing.T) {
	for _, c := range []struct {
		name string
		wire string
		want *kiterror.Error
	}{
		{
			"as it was", `{"code":"CONFLICT","message":"taken","entity":"post","operation":"create","details":{"fields":["slug"]}}`,
			&kiterror.Error{Code: kiterror.Conflict, Message: "taken", Entity: "post", Operation: "create", Details: map[string]any{"fields": []any{"slug"}}},
		},
		{
			"details are details again", `{"code":"VALIDATION_FAILED","message":"m","details":[{"path":"a","pointer":"/body/a","code":"minLength","message":"x","params":{"limit":3}}]}`,
			kiterror.Invalid("m", schema.Detail{Path: "a", Pointer: "/body/a", Code: "minLength", Message: "x", Params: map[string]any{"limit": 3.0}}),
		},
		{
			"an unknown code", `{"code":"OUT_OF_INK","message":"no ink","details":[1]}`,
			&kiterror.Error{Code: kiterror.InternalError, Message: "no ink", Details: map[string]any{"originalCode": "OUT_OF_INK", "details": []any{1.0}}},
		},
		{"nothing but a code", `{"code":"GONE"}`, &kiterror.Error{Code: kiterror.Gone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got kiterror.Error
			if err := json.Unmarshal([]byte(c.wire), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, &got, cmpopts.IgnoreUnexported(kiterror.Error{})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestReport(t *testing.T) {
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		err    error
		out    string
		logged string // "": nothing is
	}{
		{"none", context.Background(), nil, "null", ""},
		{"a coded one", context.Background(), kiterror.Errorf(kiterror.Conflict, "taken"), `{"code":"CONFLICT","message":"taken"}`, ""},
		{
			"one with a cause", context.Background(), fmt.Errorf("around: %w", kiterror.Because(kiterror.Conflict, "taken by %s: %w", "ada", errors.New("secret"))),
			`{"code":"CONFLICT","message":"taken by ada"}`, "secret",
		},
		{
			"one nobody coded", context.Background(), errors.New("secret"),
			`{"code":"INTERNAL_ERROR","message":"something went wrong on our side","details":{"traceId":"0af7651916cd43dd8448eb211c80319c"}}`, "secret",
		},
		{
			"one coded as ours", context.Background(), kiterror.Errorf(kiterror.InternalError, "secret"),
			`{"code":"INTERNAL_ERROR","message":"something went wrong on our side","details":{"traceId":"0af7651916cd43dd8448eb211c80319c"}}`, "secret",
		},
		{"late", late, errors.New("interrupted"), `{"code":"GATEWAY_TIMEOUT","message":"the time set for the call ran out"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			log.Reset()
			got := "null"
			if e := kiterror.Report(c.ctx, logger, c.err, trace); e != nil {
				got = string(e.AppendJSON(nil))
			}
			if got != c.out {
				t.Errorf("got %s want %s", got, c.out)
			}
			if c.logged == "" && log.Len() > 0 || !strings.Contains(log.String(), c.logged) {
				t.Errorf("logged %s", &log)
			}
		})
	}
}

func TestTraceID(t *testing.T) {
	for trace, want := range map[string]string{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": "0af7651916cd43dd8448eb211c80319c",
		"": "", "00-short": "", strings.Repeat("x", 80): "",
		"00-<script>alert(1)</script>0000000-b7ad6b7169203331-01": "", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01": "",
	} {
		if got := kiterror.TraceID(trace); got != want {
			t.Errorf("%q: %q", trace, got)
		}
	}
}

// TestBecause: the message has no text of a cause, which errors.Is finds.
func TestBecause(t *testing.T) {
	one, two := errors.New("secret"), kiterror.Errorf(kiterror.NotFound, "secret too")
	for _, c := range []struct {
		err  *kiterror.Error
		want string
	}{
		{kiterror.Because(kiterror.Conflict, "sold out"), "sold out"},
		{kiterror.Because(kiterror.Conflict, "%d seats: %v", 5, "none"), "5 seats: none"},
		{kiterror.Because(kiterror.Conflict, "sold out: %w", one), "sold out"},
		{kiterror.Because(kiterror.Conflict, "%w; sold out", one), "; sold out"},
		{kiterror.Because(kiterror.Conflict, "sold out: %w: %w", one, two), "sold out"},
		{kiterror.Because(kiterror.PreconditionFailed, "%w", one), "precondition failed"},
		{kiterror.Because(kiterror.Conflict, "no %v: %w", io.EOF, one), "no EOF"},
	} {
		if c.err.Message != c.want {
			t.Errorf("the message is %q, want %q", c.err.Message, c.want)
		}
	}
	if err := kiterror.Because(kiterror.Conflict, "%w %w", one, two); !errors.Is(err, one) || !errors.Is(err, two) || kiterror.CodeOf(err) != kiterror.Conflict {
		t.Error("the causes are lost")
	}
}
