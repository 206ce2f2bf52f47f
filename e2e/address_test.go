package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/frondhost/frond/e2e/testprogram"
)

// dot is a PNG of one pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="

// TestAddressInABrowser: a page of another origin shows a private file by its address, and not by its path.
func TestAddressInABrowser(t *testing.T) {
	t.Parallel()
	dir := js(t)
	need(t, "chromium")
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	gw := startGateway(t, folder(t, map[string]string{
		"gateway.yaml":       "mode: development\nidentity: {dev: true}\n",
		"entities/book.yaml": card("cover: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}"),
		"frond.yaml":         "files: {book.cover: {types: [image/png]}}\ncollectors: {book: [{when: user != nil}, {deny: all}]}\n",
		"seeds/book.yaml":    "- {id: a, name: A}\n",
	}))
	picture, err := base64.StdEncoding.DecodeString(dot)
	if err != nil {
		t.Fatal(err)
	}
	const path, ada = "/api/app/books/a/cover", `X-Frond-User: {"id": "ada"}`
	if res := send(t, "PUT", gw.URL+path, string(picture), ada, "Content-Type: image/png"); res.Status != 200 {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	var address struct{ URL string }
	if res := send(t, "GET", gw.URL+path+"?address=true", "", ada); json.Unmarshal(res.Body, &address) != nil || address.URL == "" {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	cmd := exec.CommandContext(t.Context(), "node", "address.mjs", gw.URL, path, address.URL)
	cmd.Dir, cmd.Env = dir, environment("CHROMIUM="+browser)
	if said, err := testprogram.CombinedOutput(cmd); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
