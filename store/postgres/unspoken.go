package postgres

// unspoken keeps a cause for the log without repeating its text.
type unspoken struct{ error }

func (unspoken) Error() string   { return "" }
func (u unspoken) Unwrap() error { return u.error }
