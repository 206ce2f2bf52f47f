package telemetry

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/gatewaytest"
	"github.com/frondhost/frond/gateway/guard"
)

func TestWatchAnswersPanics(t *testing.T) {
	var log bytes.Buffer
	h := Watch(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("the key is hunter2") }), slog.New(slog.NewTextHandler(&log, nil)), true, 0, problem)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "hunter2") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	var problem struct{ Data struct{ Code string } }
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || problem.Data.Code != "INTERNAL_ERROR" {
		t.Errorf("%v %s", err, w.Body)
	}
	if !strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "watch_test.go") {
		t.Errorf("the log does not tell what happened where: %s", log.String())
	}
}

// Half an answer is cut off, so that nobody takes it for a whole one.
func TestWatchCutsOffHalfAnAnswer(t *testing.T) {
	gatewaytest.CutOff(t, Watch(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic("and then")
	}), slog.New(slog.DiscardHandler), true, 0, problem))
}

func problem(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error) {
	guard.WriteProblem(w, r, status, err)
}
