package explain

var (
	Missing = missing
	Line    = line
)
