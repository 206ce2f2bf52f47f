package subscriptions

import (
	"strings"

	"github.com/coder/websocket"
)

// The close codes of the protocol, and those of RFC 6455 that are used beside them. Clients
// connect again after 1001, 1012, 1013, 4403 and 4408; the others are final for them.
const (
	serverStops     = websocket.StatusCode(1001)     // the program stops
	internalError   = websocket.StatusInternalError  // 1011
	serviceRestart  = websocket.StatusServiceRestart // 1012: the schema has changed
	tryAgainLater   = websocket.StatusTryAgainLater  // 1013
	badRequest      = websocket.StatusCode(4400)     // a message that is none of the protocol
	unauthorized    = websocket.StatusCode(4401)     // subscribe before the acknowledgement
	forbidden       = websocket.StatusCode(4403)     // the caller is refused, or its token has expired
	noSubprotocol   = websocket.StatusCode(4406)
	initTimeout     = websocket.StatusCode(4408)
	duplicate       = websocket.StatusCode(4409) // an id that is in use
	tooManyInits    = websocket.StatusCode(4429)
	maxReason       = 123                             // bytes of a close frame's reason (RFC 6455, 5.5)
	abnormalClosure = websocket.StatusAbnormalClosure // 1006, which is never sent
)

// ending is why a connection ends. The zero value is that it does not.
type ending struct {
	code   websocket.StatusCode
	reason string
}

// shortened is a reason as a close frame takes it.
func shortened(reason string) string {
	if len(reason) <= maxReason {
		return reason
	}
	return strings.ToValidUTF8(reason[:maxReason-len("…")], "") + "…" // a rune that is cut in two is left out
}
