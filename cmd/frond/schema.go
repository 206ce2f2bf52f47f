package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// newSchema is frond schema.
//
//	--format graphql            the SDL
//	--format bundle             JSON (spec 2.4)
//	--format card-schema        JSON Schema; also frond-schema, gateway-schema
//	--format openapi            an API document; also openrpc, asyncapi; --surface partner prints an audience's
//	--surface rest              routes, as text
//	--surface envelope          the discovery document, as JSON
//	--surface partner/graphql   the SDL of the audience partner
func newSchema(s *shell) *cobra.Command {
	cmd := newCommand("schema", 0, 0, "flags alone")
	format := cmd.Flags().String("format", "graphql", "graphql: the SDL; openapi, openrpc, asyncapi: the API document that the gateway serves at /openapi.json and so on; bundle: every card in one document (spec 2.4); card-schema, frond-schema and gateway-schema: the JSON Schemas by which an editor completes cards, frond.yaml and gateway.yaml")
	surface := cmd.Flags().String("surface", "", "print one surface instead: graphql its SDL, rest its routes, envelope its discovery document; partner/graphql that of the audience partner. With openapi, openrpc or asyncapi it is the audience alone: partner")
	settings := addProject(s, cmd, "remotes", "vendor", "log.level")
	// A schema does not depend on generators, so one that is missing is a line on stderr.
	settings.Unregistered = func(f schema.Fault) {
		fmt.Fprintf(s.stderr, "frond: %s\n", unregistered(f))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		// They need no project, and are printed without one.
		of := fileSchemas[*format]
		if of != nil && *surface != "" {
			return fmt.Errorf("--format %s is the same for every surface; leave out --surface", *format)
		}
		if of != nil {
			return s.write(of())
		}
		document := slices.Contains(gateway.DocumentFormats, *format)
		if *format != "graphql" && *format != "bundle" && !document {
			return fmt.Errorf("--format cannot be %q; write graphql, bundle, %s, card-schema, frond-schema or gateway-schema", *format, strings.Join(gateway.DocumentFormats, ", "))
		}
		if *surface != "" && cmd.Flags().Changed("format") && !document {
			return fmt.Errorf("--surface has no format %s; leave out --format (--surface partner/graphql is the SDL of the audience partner), or write one of %s", *format, strings.Join(gateway.DocumentFormats, ", "))
		}
		// Without the trusted documents: correcting a wrong one takes this schema.
		gw, err := settings.dryRun(func(c *gateway.Config) { c.GraphQL.Documents = gateway.Documents{} })
		if err != nil {
			return err
		}
		defer func() { _ = gw.Close() }() // its store is in memory
		if *format == "bundle" {
			return s.write(gw.Bundle())
		}
		if document {
			doc, err := gw.Document(*format, *surface)
			if err != nil {
				return err
			}
			_, err = s.out.Write(doc) // the bytes that the path serves
			return err
		}
		// Without --surface the format is graphql, and shows the surface for everybody.
		return s.writeSurface(gw, catalog.Surface(cmp.Or(*surface, string(catalog.OnGraphQL))))
	}
	return cmd
}

// writeSurface prints a surface of a gateway: SDL, routes or a discovery document.
func (s *shell) writeSurface(gw *gateway.Gateway, surface catalog.Surface) error {
	text, err := gw.Shown(surface)
	switch {
	case err != nil:
		return err
	case surface.Kind() == catalog.OnEnvelope:
		return s.write(json.RawMessage(text))
	// SDL and routes are text, and --json promises a line of JSON.
	case s.json:
		return fmt.Errorf("%s is not JSON; leave out --json, or write --format bundle", surface)
	}
	_, err = io.WriteString(s.out, text)
	return err
}

// fileSchemas are the JSON Schemas of the files that authors write; they are of no project.
var fileSchemas = map[string]func() json.RawMessage{
	"card-schema":    schema.CardSchema,
	"frond-schema":   project.FrondSchema,
	"gateway-schema": gateway.ConfigSchema,
}
