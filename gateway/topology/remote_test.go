package topology_test

import (
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway/topology"
)

// TestReadRemotes reads the setting in each of its forms, and names the Frond and the key at fault.
func TestReadRemotes(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{`{"billing":"http://10.0.0.7:4100"}`, ""},
		{`{"billing":{"url":"http://10.0.0.7:4100","timeout":"3s","retries":0}}`, ""},
		{`billing=http://10.0.0.7:4100, stock=https://stock.example/base`, ""},
		{`{}`, ""},
		{`[1]`, "write an address for each Frond"},
		{`billing`, "write an address for each Frond"},
		{`billing=10.0.0.7`, "billing: write the address of a host"},
		{`billing=http://me:secret@host`, "billing: write the address of a host"},
		{`{"billing":{"url":"http://h","tiemout":"3s"}}`, "billing: tiemout is not known"},
		{`{"billing":{"url":"http://h","timeout":"soon"}}`, "billing: timeout"},
		{`{"billing":{"url":"http://h","shadow":"200%"}}`, "billing: shadow is no share"},
		{`billing=http://a,Billing=http://b`, "is served by two remotes"},
	} {
		all, err := topology.ReadRemotes(c.text)
		switch {
		case c.says == "" && err != nil, c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %s", c.text, err, c.says)
		case c.text == "{}" && all != nil:
			t.Errorf("no remotes: %v", all)
		}
	}
	all, _ := topology.ReadRemotes(`{"billing":{"url":"http://10.0.0.7:4100","timeout":"3s","retries":0}}`)
	if r := all["billing"]; r.URL != "http://10.0.0.7:4100" || r.Timeout != 3*time.Second || r.Retries == nil || *r.Retries != 0 {
		t.Errorf("%+v", r)
	}
}

// TestCheckOfOneAddress: Fronds at one address have one client, and so the same settings.
func TestCheckOfOneAddress(t *testing.T) {
	for _, c := range []struct {
		other topology.Remote
		fault string
	}{
		{topology.Remote{URL: "http://h/"}, ""},
		{topology.Remote{URL: "http://i", Timeout: time.Second}, ""},
		{topology.Remote{URL: "http://h", Timeout: time.Second}, "run at one address and are called differently"},
		{topology.Remote{URL: "http://i", Shadow: 2}, "is no share"},
	} {
		faults := topology.Check(map[string]topology.Remote{"a": {URL: "http://h"}, "b": c.other})
		if c.fault == "" && len(faults) > 0 || c.fault != "" && (len(faults) != 1 || !strings.Contains(faults[0].Message, c.fault)) {
			t.Errorf("%+v: %v, want %s", c.other, faults, c.fault)
		}
	}
}

// TestSplit parts the Fronds that run at their hosts from those that shadow them.
func TestSplit(t *testing.T) {
	moved, shadowed := topology.Split(map[string]topology.Remote{"a": {URL: "http://h"}, "b": {URL: "http://h", Shadow: .1}})
	if len(moved) != 1 || moved["a"].URL == "" || len(shadowed) != 1 || shadowed["b"].Shadow != .1 {
		t.Error(moved, shadowed)
	}
}
