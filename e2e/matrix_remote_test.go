package e2e_test

import (
	"os/exec"
	"slices"
	"testing"
)

// startShopRemote starts a gateway in front of the shop whose every Frond is served by
// a process of its own, over rows of its own; cards says whether the gateway has
// the shop's folder too, or only what rpc.discover answers.
func startShopRemote(t testing.TB, cards bool) *program {
	t.Helper()
	dir := shopDir
	if !cards {
		dir = folder(t, map[string]string{"gateway.yaml": "mode: development\nidentity: {dev: true}\n"})
	}
	args := []string{"gateway", dir, "--listen", "127.0.0.1:0", "--store", "memory"}
	for _, frond := range []string{"catalog", "sales"} {
		there := start(t, exec.Command(binary(t), "serve", frond, "--dir", shopDir, "--port", "0", "--store", storeFor(t)))
		args = append(args, "--remote", frond+"="+there.URL)
	}
	return start(t, exec.Command(binary(t), args...))
}

// TestMatrixShopRemote runs every story of the shop again with every Frond in another process:
// the same values and the same errors, field by field. `frond call --url` is left to TestMatrixShop:
// it sends the frames of the envelope.
func TestMatrixShopRemote(t *testing.T) {
	t.Parallel()
	for _, cards := range []bool{true, false} {
		name := "the cards are here"
		if !cards {
			name = "the remotes tell of themselves"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stories := remoteStories()
			if !cards {
				// The names that a message offers come from the card, which discovery publishes
				// whole: who may see what of it only the remote knows.
				stories = without(t, stories, "a hidden field is an unknown key", "in the words for a field that nobody has")
				// The gateway asks whether the customer exists for the caller before the remote,
				// which alone knows its rules, says that the field is set for them.
				stories = without(t, stories, "writing", "in another's name it is refused")
			}
			remote := func() string { return startShopRemote(t, cards).URL }
			runMatrix(t, stories, []*lane{
				{name: "direct", wire: shopDirect(t)},
				{name: "envelope", wire: envelopeWire{remote()}},
				{name: "rest", wire: restWire{remote(), shop}},
				{name: "graphql", wire: newGraphQLWire(t, remote(), shop)},
			})
		})
	}
}

// without is the stories but for one step of one of them.
func without(t testing.TB, stories []story, name, step string) []story {
	t.Helper()
	rest := slices.Clone(stories)
	for i := range rest {
		if rest[i].name != name {
			continue
		}
		for j := range rest[i].steps {
			if rest[i].steps[j].name == step {
				rest[i].steps = slices.Delete(slices.Clone(rest[i].steps), j, j+1)
				return rest
			}
		}
	}
	t.Fatalf("there is no step %s/%s to leave out", name, step)
	return nil
}
