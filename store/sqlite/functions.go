package sqlite

import (
	"bytes"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/store/sqltext"
)

// extend gives a connection what statements use and SQLite lacks: the collation of decimals
// and frond_lower. Every connection has them (engine.Options.Extend), since an index over a
// decimal cannot be used without its collation. The sqlite3 shell knows the collation by the
// same name, so that files stay usable there.
func extend(db *sqlite3.Conn) error {
	if err := db.CreateCollation(decimalCollation, sqltext.CompareDecimal); err != nil {
		return err
	}
	return db.CreateFunction("frond_lower", 1, sqlite3.DETERMINISTIC|sqlite3.INNOCUOUS, lower)
}

// lower is the SQL function frond_lower: lower case as Unicode maps it, which SQLite's own
// does for ASCII alone. It is null for null. Operands of IContains are folded by Go in the
// same way.
func lower(ctx sqlite3.Context, args ...sqlite3.Value) {
	if args[0].Type() == sqlite3.NULL {
		return
	}
	ctx.ResultRawText(bytes.ToLower(args[0].RawText()))
}
