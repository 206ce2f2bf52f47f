package envelope

import (
	"encoding/json"

	"github.com/frondhost/frond/facade"
)

// ReadResult is readResult, for tests.
func ReadResult(text json.RawMessage, op *facade.Operation) (*facade.Result, error) {
	r, err := readResult(text, op)
	if err != nil {
		return nil, err
	}
	return r, nil
}
