//go:build keep

package deps

import (
	_ "github.com/expr-lang/expr"
	_ "github.com/go-jose/go-jose/v4"
	_ "github.com/goccy/go-yaml"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/jsonschema-go/jsonschema"
	_ "github.com/google/uuid"
	_ "github.com/gorilla/mux"
	_ "github.com/graph-gophers/dataloader/v7"
	_ "github.com/graphql-go/graphql"
	_ "github.com/ncruces/go-sqlite3"
	_ "github.com/nrednav/cuid2"
	_ "github.com/rs/cors"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "github.com/vektah/gqlparser/v2"
	_ "golang.org/x/text/language"
	_ "golang.org/x/tools/go/packages"
)
