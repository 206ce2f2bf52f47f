package differential

import "math/rand/v2"

func (w *world) mutant(r *rand.Rand, q question) question { return w.question(r) }
