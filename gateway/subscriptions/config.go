package subscriptions

import "github.com/frondhost/frond/gateway/setting"

// Settings are the rows of limits.subscriptions.
func (l *Limits) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("limits.subscriptions.connection", "100", "GraphQL operations that one websocket may have open at once", setting.Count, &l.Connection),
		setting.New("limits.subscriptions.live", "100", "live queries that one caller may have open at once", setting.Count, &l.Live),
		setting.New("limits.subscriptions.caller", "1000", "GraphQL subscriptions, and likewise connections, that one caller may have open, counted by user id or else by address", setting.Count, &l.Caller),
		setting.New("limits.subscriptions.process", "20000", "GraphQL subscriptions, and likewise connections, that may be open at once", setting.Count, &l.Process),
	}
}
