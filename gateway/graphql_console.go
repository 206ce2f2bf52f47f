package gateway

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"regexp"
)

// console is the page a browser gets at /graphql: enough to write a query and read
// the answer, from this binary alone.
//
//go:embed graphql_console.html
var console []byte

// consolePolicy lets the page run the one script and the one style that stand in
// it, and talk to this origin.
var consolePolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; img-src data:; " +
	"script-src " + inlineHash("script") + "; style-src " + inlineHash("style")

// inlineHash is the CSP source of the element that stands in the page.
func inlineHash(element string) string {
	m := regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).FindSubmatch(console)
	sum := sha256.Sum256(m[1])
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func writeConsole(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", contentType(mediaHTML))
	h.Set("Content-Security-Policy", consolePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write(console)
}
