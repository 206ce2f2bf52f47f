package guard

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
)

// guards are the checks of a request, in their order. Each adds to the passage, and returns the
// refusal of the request with its status, or nil.
var guards = []func(*passage) (status int, refused *kiterror.Error){
	(*passage).host,        // a listener on loopback answers to names of this machine alone
	(*passage).site,        // requests of other sites' pages are refused, unless cors.origins names them
	(*passage).consistency, // a caller reads its own writes
	(*passage).ranges,      // an unknown unit of Range is ignored
}

// Path is a handler and the settings of the guards in front of it.
type Path struct {
	Handler    http.Handler
	Surface    string                     // as reports call it
	Route      func(*http.Request) string // of the report; nil: the surface is not reported
	Fail       Fail                       // writes refusals
	Sites      *CrossSite                 // nil: requests of any page pass
	Consistent bool                       // X-Frond-Consistency is read and answered
	readers    *readers
}

// Report takes the surface of a request, and its end: the status, 0 if the handler did not set it,
// and the bytes of the sent body. An answer without whole was cut off.
type Report interface {
	At(surface string, route func(*http.Request) string, r *http.Request)
	End(r *http.Request, status int, bytes int64, whole bool)
}

// Front is the handler in front of the surfaces: it reports a request, passes it through the guards
// to the handler of its path, and answers panics. Its fields are set before the first request.
type Front struct {
	Find     func(*http.Request) *Path
	Begin    func(ctx context.Context, r *http.Request) (Report, *http.Request) // returns r under the context of its report
	Hosts    Hosts
	AnyHost  bool          // the router in front judges the host
	Compress bool          // answers are compressed
	Work     time.Duration // of a request, see [facade.WithRequest]
	Fail     Fail          // writes the refusal of a host
	Log      *slog.Logger  // takes panics
}

// passage is one request on its way through the front, with the writer of its answer.
type passage struct {
	answer
	front   *Front
	request *http.Request
	report  Report
	path    *Path
	done    bool // the answer is whole
}

// ServeHTTP answers a request.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := &passage{answer: newAnswer(w, r), front: f}
	p.report, p.request = f.Begin(facade.WithRequest(r.Context(), nil, f.Work), r)
	defer p.end() //nolint:contextcheck // p has it
	if p.passes() {
		p.path.Handler.ServeHTTP(&p.answer, p.request)
	}
	p.finish()
	p.done = true
}

// passes runs the guards, until one has answered.
func (p *passage) passes() bool {
	for _, check := range guards {
		if status, refused := check(p); refused != nil {
			fail := p.front.Fail
			if p.path != nil {
				fail = p.path.Fail
			}
			fail(&p.answer, p.request, status, refused)
		}
		if p.status != 0 {
			return false
		}
	}
	return true
}

// end reports the request. It logs a panic with a trace id and answers it with status 500; surfaces
// and the façade turn panics into errors of their own before, so this one is a fault of the gateway
// itself. An answer that has begun is cut off instead: half of one must not look whole.
func (p *passage) end() {
	cause := recover()
	if err, ok := cause.(error); cause != nil && !(ok && errors.Is(err, http.ErrAbortHandler)) {
		r := p.request
		// The caller may have gone; the line is written all the same.
		failed := kiterror.Report(context.WithoutCancel(r.Context()), p.front.Log.With(slog.String("method", r.Method), slog.String("path", r.URL.Path)),
			kiterror.Panicked(cause), r.Header.Get("Traceparent"))
		if cause = http.ErrAbortHandler; p.status == 0 {
			p.compress = false
			WriteProblem(&p.answer, r, http.StatusInternalServerError, failed)
			cause, p.done = nil, true
		}
	}
	p.report.End(p.request, p.status, p.bytes, p.done)
	if cause != nil {
		panic(cause) // net/http cuts the connection
	}
}

// host refuses requests for names of other machines, and finds the path.
func (p *passage) host() (int, *kiterror.Error) {
	if !p.front.AnyHost {
		if refused := p.front.Hosts.refuse(p.request); refused != nil {
			return http.StatusMisdirectedRequest, refused
		}
	}
	p.path, p.compress = p.front.Find(p.request), p.front.Compress
	if p.path.Route != nil {
		p.report.At(p.path.Surface, p.path.Route, p.request)
	}
	return 0, nil
}

// site answers preflights, marks answers that pages of other sites may read, and refuses requests of
// all other pages.
func (p *passage) site() (int, *kiterror.Error) {
	p.path.readers.admit(&p.answer, p.request)
	if p.path.Sites == nil || p.status != 0 {
		return 0, nil
	}
	return http.StatusForbidden, p.path.Sites.refuse(p.Header(), p.request)
}

// consistency hands the tokens of the request's X-Frond-Consistency to its calls, and the tokens
// of its writes to the caller, in the header of the answer.
func (p *passage) consistency() (int, *kiterror.Error) {
	if !p.path.Consistent {
		return 0, nil
	}
	record, err := consistency.Read(p.request.Header[consistency.Header])
	if err != nil {
		refused := kiterror.AsError(err)
		return refused.Code.Status(), refused
	}
	p.record = record
	p.request = p.request.WithContext(consistency.With(p.request.Context(), record))
	return 0, nil
}
