package leak
func (p *proof) writes() {}
func (g *garden) collectors([]*caller) any { return nil }
