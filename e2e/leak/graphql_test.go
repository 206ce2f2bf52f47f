package leak
func (p *proof) graphs() {}
