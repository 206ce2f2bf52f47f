package guard

import (
	"context"
	"log/slog"
	"net/http"
)

// unreported takes reports and makes nothing of them.
type unreported struct{}

func (unreported) At(string, func(*http.Request) string, *http.Request) {}
func (unreported) End(*http.Request, int, int64, bool)                  {}

// fronted is a front of one handler.
func fronted(p *Path) *Front {
	return &Front{
		Find: func(*http.Request) *Path { return p }, Log: slog.New(slog.DiscardHandler),
		Begin: func(ctx context.Context, r *http.Request) (Report, *http.Request) {
			return unreported{}, r.WithContext(ctx)
		},
	}
}

// Compress is next behind an answer that is compressed.
func Compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := newAnswer(w, r)
		a.compress = true
		next.ServeHTTP(&a, r)
		a.finish()
	})
}

// Consistent is next behind a front that reads and answers tokens.
func Consistent(next http.Handler, fail Fail) http.Handler {
	return fronted(&Path{Handler: next, Fail: fail, Consistent: true})
}
