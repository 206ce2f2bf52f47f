package contract

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Fetch requests the discovery document of the host at url, and finds a Frond in it. headers
// are sent too, and may be nil; signer signs the request, nil: it is not signed. The error is
// a *facade.Error where the host does not answer with a document.
//
//	no answer, or a limit exceeded   the code of the client
//	not a discovery document         BAD_GATEWAY
//	the Frond is not there           an error that names those that are
//
// "" is the host's only Frond.
func Fetch(ctx context.Context, url, frond string, headers http.Header, signer *signing.Signer) (*schema.Discovery, *schema.DiscoveredFrond, error) {
	document, err := discover(ctx, url, &client.Options{Name: frond, Signer: signer}, headers)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for i := range document.Fronds {
		if document.Fronds[i].Name == frond || frond == "" && len(document.Fronds) == 1 {
			return document, &document.Fronds[i], nil
		}
		names = append(names, document.Fronds[i].Name)
	}
	if frond == "" {
		return nil, nil, fmt.Errorf("%s hosts several Fronds; name one of %s", url, cmp.Or(strings.Join(names, ", "), "none"))
	}
	return nil, nil, fmt.Errorf("%s does not host %s; it hosts %s", url, frond, cmp.Or(strings.Join(names, ", "), "none"))
}

// Discover requests the whole discovery document of the host at url. Headers, signer and the
// error are as of Fetch.
func Discover(ctx context.Context, url string, headers http.Header, signer *signing.Signer) (*schema.Discovery, error) {
	return discover(ctx, url, &client.Options{Name: "host", Signer: signer}, headers)
}

// discover is Discover with options of the client.
func discover(ctx context.Context, url string, o *client.Options, headers http.Header) (*schema.Discovery, error) {
	// The user of a shell tries again.
	o.Retries, o.Attempt = -1, 10*time.Second
	o.Transport, o.Header = http.DefaultTransport, func(_ context.Context, h http.Header) { maps.Copy(h, headers) }
	text, err := client.New(url, o).Discover(ctx)
	if err != nil {
		return nil, kiterror.AsError(err)
	}
	document, err := schema.ReadDiscovery(text)
	if err != nil {
		return nil, kiterror.Errorf(kiterror.BadGateway, "the discovery document of %s cannot be used: %w", url, err)
	}
	return document, nil
}

// ReadDiscovered makes the model of one Frond of a host's document. The host's other Fronds
// say where its relations lead; if those cannot be used, it is read alone. The error is an unknown Frond, or
// the faults of its cards.
func ReadDiscovered(document *schema.Discovery, frond string) (*Model, error) {
	catalog, err := catalogOf(document.Fronds)
	i := slices.IndexFunc(document.Fronds, func(f schema.DiscoveredFrond) bool { return f.Name == frond })
	if err != nil && i >= 0 {
		if catalog, err = catalogOf(document.Fronds[i : i+1]); err != nil {
			return nil, err
		}
	}
	return read(catalog, frond)
}

// catalogOf compiles Fronds of a host. A remote address marks them as remote: this process does
// not answer their calls. Relations into Fronds that are missing are left as keys (Incomplete).
func catalogOf(fronds []schema.DiscoveredFrond) (*catalog.Catalog, error) {
	source := &facade.Project{}
	for i := range fronds {
		src := project.Discovered(&fronds[i], fronds[i].Name)
		src.Remote = "elsewhere"
		source.Fronds = append(source.Fronds, src)
	}
	compiled, err := compile.Project(source, &compile.Options{Incomplete: true})
	if err != nil {
		return nil, err
	}
	return compiled.Catalog, nil
}
