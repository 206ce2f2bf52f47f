package gateway

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/gateway/shadow"
	"github.com/frondhost/frond/gateway/topology"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// ShadowReport is the output of `frond shadow`.
type ShadowReport = shadow.Report

// shadows are the hosts that receive a share of the queries which this host answers (docs/shadow.md).
type shadows struct {
	copies *shadow.Shadow     // nil: none are asked
	hosts  *topology.Topology // of the Fronds whose queries are copied
}

// shadowFaults are the faults of shadows of Fronds that do not run here.
func shadowFaults(shadowed map[string]Remote, here []*project.Frond) (faults schema.Faults) {
	for _, name := range slices.Sorted(maps.Keys(shadowed)) {
		if !slices.ContainsFunc(here, func(f *project.Frond) bool { return f.Name == name && !f.IsBeside() && !f.Foreign }) {
			faults = append(faults, schema.Fault{
				File: setting.File, Pointer: "/remotes/" + jsontext.Token(name) + "/shadow",
				Message: fmt.Sprintf("%s does not run here, and no query of it can be copied", name),
				Remedy:  "leave shadow out, and " + name + " runs at its host, or write its entities in fronds/" + name,
			})
		}
	}
	return faults
}

// shadow makes the shadows of a host that serves; they are idle until a call is copied.
func (h *Host) shadow(shadowed map[string]Remote, signer *signing.Signer) {
	shares := map[string]float64{}
	for name, r := range shadowed {
		shares[name] = r.Shadow
	}
	called, differs := h.telemetry.Shadow()
	h.shadows = shadows{
		copies: shadow.New(shadow.Options{Shares: shares, Log: h.log, Called: called, Differs: differs}),
		hosts: topology.New(shadowed, h.project.Fronds, &topology.Options{
			Client: h.telemetry.Client, Signer: signer, Log: h.log, Refresh: refreshEvery, Retry: retryFirst,
		}),
	}
}

// follow asks by the documents of the hosts, as they change.
func (s *shadows) follow(ctx context.Context, h *Host) {
	s.hosts.Watch(context.WithoutCancel(ctx), func() { //nolint:contextcheck // a façade is compiled without one
		h.renewing.Lock()
		defer h.renewing.Unlock()
		h.compileShadow()
	})
}

// close ends the copies. It waits for no host.
func (s *shadows) close() {
	s.copies.Close()
	s.hosts.Close()
}

// compileShadow makes the façade that answers copies: the project's façade with the shadowed Fronds moved, over the
// same store and without the author's middleware. A project that does not start so is a line in the log.
func (h *Host) compileShadow() {
	s := &h.shadows
	if s.copies == nil {
		return
	}
	source, _ := h.topology.Project(h.project)
	source, _ = s.hosts.Project(source)
	options := h.compileOptions()
	options.Unregistered, options.Incomplete = h.options.Unregistered, true
	compiled, err := compile.Project(source, options)
	if err != nil {
		s.copies.Ask(nil, err)
		return
	}
	clients := map[string]facade.Caller{}
	f, err := facade.New(compiled, h.store.Store, &facade.Options{Remotes: remote.New(clients), Suggest: h.Development()})
	if err != nil {
		s.copies.Ask(nil, err)
		return
	}
	for _, of := range []*topology.Topology{h.topology, s.hosts} {
		own := of.Clients()
		of.Bind(own, f.Catalog())
		maps.Copy(clients, own)
	}
	s.copies.Ask(f, nil)
}
