package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// scriptNames declare what blocks of TypeScript and JavaScript use and a page describes in words.
var scriptNames = map[string]string{
	"after":       `let after: string | undefined;`,
	"bill":        `declare const bill: (data: unknown) => void;`,
	"client":      `import { connect } from "@shop/catalog/client"; const client = connect("");`,
	"Environment": `import { Environment } from "relay-runtime";`,
	"etag":        `import { etag } from "@shop/catalog/client";`,
	"network":     `declare const network: import("relay-runtime").EnvironmentConfig["network"];`,
	"process":     `declare const process: { env: Record<string, string | undefined> };`,
	"product":     `declare const product: import("@shop/catalog").Product;`,
	"query":       `declare const query: string;`,
	"seen":        `declare const seen: (id: string) => boolean;`,
	"show":        `declare const show: (...values: unknown[]) => void;`,
	"store":       `declare const store: import("relay-runtime").Store;`,
	"token":       `declare const token: () => string;`,
	"value":       `declare const value: object;`,
}

// reactQuery declares the hooks of @tanstack/react-query, over the package that they are made of.
const reactQuery = `export * from "@tanstack/query-core";
import type { DefaultError, InfiniteQueryObserverOptions, MutationObserverOptions, QueryKey, QueryObserverOptions } from "@tanstack/query-core";
export declare function useQuery<Row, E = DefaultError, Data = Row, Key extends QueryKey = QueryKey>(options: QueryObserverOptions<Row, E, Data, Row, Key>): { data: Data | undefined };
export declare function useInfiniteQuery<Row, E, Data, Key extends QueryKey, Param>(options: InfiniteQueryObserverOptions<Row, E, Data, Key, Param>): { data: Data | undefined };
export declare function useMutation<Data, E, Sent>(options: MutationObserverOptions<Data, E, Sent>): { mutate: (sent: Sent) => void };
`

// scriptProgram makes a module of a block: the block, with the names that it uses and neither
// declares nor imports.
func scriptProgram(text string) string {
	var head strings.Builder
	for name, declaration := range scriptNames {
		uses := regexp.MustCompile(`(?m)(?:^|[^.\w"'@/-])` + name + `\b[^:]`)
		declares := regexp.MustCompile(`(?m)^(?:const|let|function) ` + name + `\b|^import .*\b` + name + `\b.* from`)
		if uses.MatchString(text) && !declares.MatchString(text) {
			head.WriteString(declaration + "\n")
		}
	}
	return head.String() + text + "export {};\n"
}

// scriptBlock is a block of TypeScript or JavaScript of a page.
var scriptBlock = regexp.MustCompile("(?ms)^```(?:ts|tsx|js|javascript|typescript)\n(.*?)^```$")

// TestScriptSnippets compiles every block of TypeScript and JavaScript of the documents, with
// the client packages that they import and the packages of the shop's contract.
func TestScriptSnippets(t *testing.T) {
	t.Parallel()
	dir := clientFolder(t)
	for _, name := range []string{"facts.ts", "live.ts", "programs.ts"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	linkScriptPackages(t, dir)
	host := startGateway(t, filepath.Join(root, "examples", "shop"), "--store", "memory")
	for _, frond := range []string{"catalog", "sales"} {
		at := filepath.Join(dir, "node_modules", "@shop", frond)
		if r := run(t, "", "client", frond, "--from", host.URL, "--out", at, "--npm", "@shop/"+frond); r.code != 0 {
			t.Fatal(r.stderr)
		}
	}
	write(t, dir, map[string]string{"react-query.ts": reactQuery})
	blocks := 0
	for page, text := range scriptPages(t) {
		for i, m := range scriptBlock.FindAllStringSubmatch(text, -1) {
			blocks++
			write(t, dir, map[string]string{fmt.Sprintf("%s-%d.ts", strings.TrimSuffix(filepath.Base(page), ".md"), i+1): strings.ReplaceAll(scriptProgram(m[1]), `"@tanstack/react-query"`, `"./react-query"`)})
		}
	}
	if blocks < 9 {
		t.Fatalf("the documents have only %d blocks of TypeScript and JavaScript", blocks)
	}
	// Most readers compile without exactOptionalPropertyTypes.
	tool(t, dir, nil, "node", "node_modules/typescript/bin/tsc", "-p", ".", "--skipLibCheck", "--exactOptionalPropertyTypes", "false")
}

// scriptPages returns the pages of the documents by their paths.
func scriptPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"README.md", "docs/*.md", "examples/*/README.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			pages[rel] = string(text)
		}
	}
	return pages
}

// linkScriptPackages puts the packages of client/ and e2e/js that blocks import into dir.
func linkScriptPackages(t *testing.T, dir string) {
	t.Helper()
	for from, names := range map[string][]string{
		"client": {"@hookform", "@standard-schema", "@types/react", "csstype", "react", "react-hook-form"},
		"e2e/js": {"@graphql-codegen", "cloudevents", "graphql", "graphql-ws", "relay-runtime", "standardwebhooks"},
	} {
		for _, name := range names {
			at := filepath.Join(root, from, "node_modules", name)
			if _, err := os.Stat(at); err != nil {
				missing(t, at+" is not here; `make js` installs it")
			}
			link := filepath.Join(dir, "node_modules", name)
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(at, link); err != nil {
				t.Fatal(err)
			}
		}
	}
}
