package guard

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
)

// beyond is a range that starts behind the end of every body.
const beyond = "9223372036854775806-"

// ranges makes the header Range one that [net/http.ServeContent] reads as RFC 9110 does: names of units are
// case-insensitive, an unknown unit is ignored (section 14.2), and the last 0 bytes are no satisfiable range
// (section 14.1.2).
func (p *passage) ranges() (status int, refused *kiterror.Error) {
	header := p.request.Header
	sent := header["Range"]
	if sent == nil {
		return 0, nil
	}
	unit, set, ok := strings.Cut(sent[0], "=")
	if !ok || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		delete(header, "Range")
		return 0, nil
	}
	parts := strings.Split(set, ",")
	parts = slices.DeleteFunc(parts, func(part string) bool {
		digits, suffix := strings.CutPrefix(strings.TrimSpace(part), "-")
		return suffix && digits != "" && strings.Trim(digits, "0") == ""
	})
	if len(parts) == 0 {
		parts = []string{beyond}
	}
	header["Range"] = []string{"bytes=" + strings.Join(parts, ",")}
	return 0, nil
}
