package gateway

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"

	"github.com/frondhost/frond/resolvers"
)

func newGraphQL(e *resolvers.Engine, s Session, max int64, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		state, _ := s(r)
		body, _ := io.ReadAll(r.Body)
		var q struct {
			Query         string
			OperationName string
			Variables     json.RawMessage
		}
		_ = json.Unmarshal(body, &q)
		res := e.Execute(r.Context(), &resolvers.Request{Query: q.Query, OperationName: q.OperationName, Variables: q.Variables, State: state})
		w.Write(res.Body)
	})
}
