package engine

import "github.com/frondhost/frond/store/sqltext"

// Size returns about how many bytes a table has in the file, its indexes left out. Where
// SQLite was built without its statistics of pages, it is the size of the whole file.
func (c *Conn) Size(table string) (int64, error) {
	if n, err := c.Number("SELECT sum(pgsize) FROM dbstat WHERE name = ? AND aggregate", sqltext.TextValue(table)); err == nil {
		return n, nil
	}
	pages, err := c.Number("PRAGMA page_count")
	if err != nil {
		return 0, err
	}
	size, err := c.Number("PRAGMA page_size")
	return pages * size, err
}

// FreeDisk returns how many bytes are free where the file is; -1 where that cannot be known,
// and for a database in memory.
func (d *DB) FreeDisk() int64 {
	if d.file == nil {
		return -1
	}
	return freeDisk(d.file.path)
}
