package budget

import (
	"context"

	"github.com/frondhost/frond/facade/rows"
)

// Meter charges an account for rows while they are written.
type Meter struct {
	account *Account
	size    int // what was charged
	text    int // of it, the rows' text
}

// MeterOf is a meter of the account that ctx belongs to; without one it measures nothing.
func MeterOf(ctx context.Context) Meter { return Meter{account: AccountOf(ctx)} }

// Grown charges what rows have grown by since the last time, with so many bytes beside
// them. The error is that of [Account.Reserve], and PAYLOAD_TOO_LARGE where the rows of
// a level come to more than they may.
func (m *Meter) Grown(r *rows.Rows, beside int) error {
	if m.account == nil {
		return nil
	}
	size, text := r.Size()+beside, r.TextSize()
	if size <= m.size && text-m.text < chunk {
		return nil
	}
	a := m.account
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.read(int64(size-m.size), int64(text-m.text)); err != nil {
		return err
	}
	m.size, m.text = max(m.size, size), text
	return nil
}
