package engine

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Address is the parsed URL of a store: the server, and how to use it.
type Address struct {
	// Config is for pgconn.
	Config *pgconn.Config
	// Schema holds every table; "public" if the URL does not name a schema.
	Schema string
	// Pooled says that the address is a pooler's, such as pgbouncer, which may give each
	// transaction another server connection: a session must not hold state.
	Pooled bool
	// Connections is how many connections are open at most; 0: the URL does not say.
	Connections int
}

// parameters are libpq's parameters that a URL may have in addition to ours, with an example of
// each. Others would reach the server as settings of the session, which a pooler refuses.
var parameters = map[string]string{
	"sslmode": "verify-full", "sslrootcert": "FILE", "sslcert": "FILE", "sslkey": "FILE", "sslpassword": "TEXT", "sslsni": "1",
	"sslnegotiation": "direct", "sslcertmode": "require", "channel_binding": "require", "require_auth": "scram-sha-256",
	"connect_timeout": "10", "application_name": "NAME", "target_session_attrs": "read-write", "passfile": "FILE",
	"host": "/run/postgresql", "port": "5432", "user": "NAME", "password": "TEXT", "dbname": "NAME",
	// These three are ours.
	"pool": "transaction", "schema": "NAME", "search_path": "NAME", "connections": "20",
}

const exampleURL = "postgres://user:password@host:5432/database"

// ParseURL reads the URL of a store. Errors say what to write instead and show no password.
//
//	postgres://user:password@host:5432/database?sslmode=verify-full&pool=transaction&schema=shop
//
// pool is "direct" (the default: statements are prepared once for each connection) or "transaction"
// (behind a pooler in transaction mode); schema or search_path is the one schema that holds the
// tables; connections is how many may be open. The others are libpq's; parameters that the URL
// leaves out are taken from the PG variables and ~/.pgpass, as psql does.
func ParseURL(text string) (*Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		// The error of url.Parse quotes the text, and with it the password.
		return nil, fmt.Errorf("the store's URL cannot be read; write %s, with characters of the password such as @ and / as %%40 and %%2F", exampleURL)
	}
	if u.Opaque != "" || u.Fragment != "" {
		return nil, fmt.Errorf("the store's URL has no server; write %s", exampleURL)
	}
	values, err := parseParameters(u.RawQuery)
	if err != nil {
		return nil, err
	}
	a := &Address{}
	switch pool := values.Get("pool"); pool {
	case "", "direct":
	case "transaction":
		a.Pooled = true
	default:
		return nil, fmt.Errorf("the store's URL has pool=%s; write pool=direct or pool=transaction", pool)
	}
	if values.Has("schema") && values.Has("search_path") {
		return nil, errors.New("the store's URL has both schema and search_path; write one of them")
	}
	a.Schema = cmp.Or(values.Get("schema"), values.Get("search_path"), "public")
	if strings.ContainsAny(a.Schema, ",\"\x00") || len(a.Schema) > maxName {
		return nil, fmt.Errorf("the store's URL names the schema %q; write the name of one schema, without quotes, of at most %d bytes", a.Schema, maxName)
	}
	if n := values.Get("connections"); n != "" {
		a.Connections, err = strconv.Atoi(n)
		if err != nil || a.Connections < minConnections || a.Connections > 10000 {
			return nil, fmt.Errorf("the store's URL has connections=%s; write a number from %d to 10000", n, minConnections)
		}
	}
	for _, ours := range []string{"pool", "schema", "search_path", "connections"} {
		values.Del(ours)
	}
	u.RawQuery = values.Encode()
	if u.Path == "" {
		u.Path = "/" // without a host and a path, String leaves out the two slashes that pgconn looks for
	}
	a.Config, err = pgconn.ParseConfig(u.String())
	if err != nil {
		return nil, unreadable(err)
	}
	// PGOPTIONS and the like name settings of a session, which poolers refuse and which could
	// change what statements mean.
	name := a.Config.RuntimeParams["application_name"]
	clear(a.Config.RuntimeParams)
	a.Config.RuntimeParams["application_name"] = cmp.Or(name, "frond")
	a.Config.RuntimeParams["client_encoding"] = "UTF8"
	return a, nil
}

// parseParameters reads the parameters of a URL, each of which is known and written once.
func parseParameters(query string) (url.Values, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("the store URL's parameters cannot be read; write ?name=value&name=value, with & as %26")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, known := parameters[name]; !known {
			return nil, fmt.Errorf("the store's URL has the parameter %q, which is unknown; the parameters are %s",
				name, strings.Join(slices.Sorted(maps.Keys(parameters)), ", "))
		}
		if len(values[name]) > 1 {
			return nil, fmt.Errorf("the store's URL has the parameter %s %d times; write it once", name, len(values[name]))
		}
	}
	return values, nil
}

// minConnections is how few connections a store can work with: one that writes while another
// reads.
const minConnections = 2

// maxName is how long a name may be, in bytes (NAMEDATALEN of every common build, less one).
const maxName = 63

// unreadable is pgconn's error about a URL without the URL, which may hold a password. Its text
// is "cannot parse `URL`: reason".
func unreadable(err error) error {
	_, text, found := strings.Cut(err.Error(), "`: ")
	if !found || strings.Contains(text, "://") {
		text = "one of its parts is not valid"
	}
	return fmt.Errorf("the store's URL cannot be used: %s; write %s, with parameters such as sslrootcert as psql reads them", text, exampleURL)
}
