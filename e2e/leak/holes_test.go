package leak

import (
	"context"
	"testing"

	"github.com/frondhost/frond/facade"
)

type openStore struct {
	facade.Store
	find func(*facade.Find) *facade.Find
}

func (s openStore) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	return s.Store.Find(ctx, s.find(q))
}

func TestHolesTry(t *testing.T) {
	h := hole{store: func(s facade.Store) facade.Store {
		return openStore{s, func(q *facade.Find) *facade.Find {
			if q.Each == nil {
				return q
			}
			o := *q
			o.Where = nil
			return &o
		}}
	}}
	for seed := uint64(1); seed < 60; seed++ {
		n, err := prove(seed, 0, false, h)
		if err != nil {
			t.Log(seed, n, err)
			return
		}
	}
	t.Fatal("not found")
}
