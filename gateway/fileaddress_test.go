package gateway_test

import (
	"encoding/json"
	"image/color"
	"strings"
	"testing"
)

// TestAddressOfAFile: whoever may read a private file gets an address of it that takes no credentials, gives this
// file alone. The files of a remote host have none.
func TestAddressOfAFile(t *testing.T) {
	red, blue := pngOf(60, 30, color.RGBA{255, 0, 0, 255}), pngOf(10, 10, color.RGBA{0, 0, 255, 255})
	overFileStores(t, func(t *testing.T, s *fileSite) {
		const at = "/api/shop/albums/a/cover"
		s.want(404, "this album has no cover", "GET", at+"?address=true", nil)
		s.want(200, "", "PUT", at, red, keeper, aPNG)
		if strings.Contains(t.Name(), "remote") || strings.Contains(t.Name(), "hops") || strings.Contains(t.Name(), "gateway") {
			s.want(501, "kept by a remote host", "GET", at+"?address=true", nil)
			return
		}
		address := func(query string) string {
			header, text := s.want(200, `"expires":"`, "GET", at+query, nil)
			var answer struct{ URL string }
			if err := json.Unmarshal([]byte(text), &answer); err != nil || !strings.HasPrefix(answer.URL, "/api/files/") || header.Get("Cache-Control") != "no-store" {
				t.Fatalf("the address is %s, %v", text, header)
			}
			return answer.URL
		}
		whole, thumb := address("?address=true"), address("?size=thumb&address=true")
		header, body := s.want(200, "", "GET", whole, nil)
		if body != string(red) || header.Get("Content-Type") != "image/png" || !strings.HasPrefix(header.Get("Cache-Control"), "private") {
			t.Errorf("the file is %d bytes with %v", len(body), header)
		}
		s.want(206, "PNG", "GET", whole, nil, "Range: bytes=1-3")
		if _, body := s.want(200, "", "GET", thumb, nil); body == string(red) {
			t.Error("the thumb is the whole image")
		}
		s.want(403, "is not signed here", "GET", whole[:len(whole)-2]+"AA", nil)
		s.want(403, "is not signed here", "GET", "/api/files/a", nil)
		s.want(405, "GET, HEAD", "DELETE", whole, nil)
		s.want(400, "address must be true", "GET", at+"?address=no", nil)
		s.want(400, "is not a key of a file", "PUT", at+"?address=true", red, keeper, aPNG)
		s.want(200, "", "PUT", at, blue, keeper, aPNG)
		if _, body := s.want(200, "", "GET", whole, nil); body != string(red) {
			t.Error("the address of the file that was replaced gives another one")
		}
	})
}
