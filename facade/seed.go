package facade

import "github.com/frondhost/frond/schema"

type seedFile struct {
	entity *schema.Entity
}

func (b *compiler) readSeeds(*FrondSource) {}
