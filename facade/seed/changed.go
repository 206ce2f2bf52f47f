package seed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// digests is the beginning of the keys of [facade.KeyValues] that hold the digests of written seeds.
const digests = "seeds/"

// changed returns a note for each file whose rows differ from the seeded rows. A file whose digest the
// store does not know, as of an older version, counts as seeded. A store that cannot say has no notes:
// they are advice, and the seeds are written.
func changed(ctx context.Context, f *facade.Facade) (notes []string) {
	values := f.Store().Abilities().KeyValues
	if values == nil {
		return nil
	}
	known, err := values.Values(ctx, digests)
	if err != nil {
		return nil
	}
	for _, file := range f.Seeds() {
		now := digest(file.Rows)
		switch text := known[digests+file.Entity.Key]; {
		case text == nil:
			_, _ = values.SetValue(ctx, digests+file.Entity.Key, 0, now)
		case string(text) != string(now):
			notes = append(notes, fmt.Sprintf("%s changed since its rows were written; seeds are written once, so change rows of %s through the API, or begin with an empty store", file.File, file.Entity.Name))
		}
	}
	return notes
}

// digest returns the digest of rows as a JSON text.
func digest(rows []json.RawMessage) json.RawMessage {
	h := sha256.New()
	for _, row := range rows {
		h.Write(row)
		h.Write([]byte{'\n'})
	}
	return jsontext.AppendString(nil, hex.EncodeToString(h.Sum(nil)))
}
