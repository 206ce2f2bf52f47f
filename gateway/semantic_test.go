package gateway_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway"
)

// TestSemanticNonNullByAudience: the schema of the audience that asks has the directive, and no
// other; an audience that does not exist is refused by name.
func TestSemanticNonNullByAudience(t *testing.T) {
	project := store(t, "{audiences: {partner: "+partner+"}}")
	config := gateway.Config{Store: "memory", Mode: gateway.Development}
	config.GraphQL.SemanticNonNull = []string{"partner"}
	gw := gatewayOf(t, project, gateway.Options{Config: config})
	for surface, want := range map[catalog.Surface]bool{catalog.OnGraphQL: false, catalog.OnGraphQL.For("partner"): true} {
		sdl, err := gw.Shown(surface)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(sdl, "@semanticNonNull"); got != want {
			t.Errorf("%s has the directive: %v", surface, got)
		}
	}
	config.GraphQL.SemanticNonNull = []string{"nobodys"}
	_, err := gateway.New(store(t, "{}"), quiet(gateway.Options{Config: config}))
	if err == nil || !strings.Contains(err.Error(), `graphql.semanticNonNull: there is no audience "nobodys"; write everybody`) {
		t.Errorf("an audience that does not exist: %v", err)
	}
}
