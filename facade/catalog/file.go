package catalog

import (
	"slices"
	"sync"

	"github.com/frondhost/frond/schema"
)

// FileEntity returns the entity of the rows that describe files. A store that has files keeps them
// beside the rows of the cards; it has no door.
var FileEntity = sync.OnceValue(func() *schema.Entity {
	return schema.MustCompile([]schema.Source{{File: "frondfile.yaml", Name: "frondFile", Builtin: true, Data: []byte(`
description: A file, and the row that holds it.
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  state: {type: string, description: "signed, sending, sent, held or gone", x-kit: {role: {index: true}}}
  at: {type: string, format: date-time, description: Since when the state is this one.}
  made: {type: string, format: date-time}
  sender: {type: string}
  name: {type: string}
  type: {type: string}
  size: {type: integer, format: int64}
  sha256: {type: string}
  field: {type: [string, 'null'], description: "The field that holds it, as entity.field."}
  row: {type: [string, 'null'], description: "The key of the row that holds it, as JSON."}
required: [id, state, at, made, sender, name, type, size, sha256, field, row]
`)}}, schema.Builtins(), nil).Entities[0]
})

// IsImage reports whether smaller images are made of files of a media type.
func IsImage(mediaType string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mediaType)
}
