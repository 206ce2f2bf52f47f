package project

import "github.com/frondhost/frond/schema"

// Frond is one Frond as it was read: from its folder ([Read]), or from the discovery document of
// its host ([Discovered]). It is data and not checked yet; package facade compiles it.
type Frond struct {
	Name   string
	Dir    string          // where it stands in the project: fronds/catalog; "" for the root
	Cards  []schema.Source // entities and views
	Config Text            // frond.yaml; the zero Text where there is none
	Seeds  []Text          // one per entity, named by its file
	Remote string          // the address its operations run at; "" for here
	// Known is the remote's discovery document: which of the operations it has, and which
	// keys its list takes. nil: nothing is known yet.
	Known *schema.DiscoveredFrond
}
