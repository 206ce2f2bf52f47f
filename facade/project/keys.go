package project

import (
	"encoding/json"

	"github.com/frondhost/frond/schema"
)

// The keys of a frond.yaml in one table. The reader takes its keys from it, the JSON Schema for
// editors and the reference in docs/frond-yaml.md are made of it: all three refuse any other
// key. Name "*" means a name of the author's own.

// The forms of values in a frond.yaml, as JSON Schema.
const (
	aString     = `{"type":"string"}`
	aBool       = `{"type":"boolean"}`
	aCount      = `{"type":"integer","minimum":1,"maximum":100000}`
	aNames      = `{"type":"array","items":{"type":"string"}}`
	aCard       = `{"type":["string","object"]}`
	aSize       = `{"type":["string","integer"],"pattern":"^[0-9]+([KMG]iB)?$"}`
	aDate       = `{"type":"string","format":"date"}`
	aFilter     = `{"type":"object"}`
	aReason     = `{"type":["boolean","string"]}`
	nameOrNames = `{"anyOf":[{"type":"string"},{"type":"array","minItems":1,"items":{"type":"string"}}]}`
	manyForm    = `{"anyOf":[{"const":"*"},{"type":"array","minItems":1,"items":{"enum":["create","update","delete","upsert","import"]}}]}`
	allOrAny    = `{"anyOf":[{"const":"all"},{"type":"array","items":{"type":"string"}}]}`
)

// frondKeys is every key of a frond.yaml. [ReadConfig] takes these and no others;
// docs/frond-yaml.md explains them.
var frondKeys = []schema.Key{
	{Name: "name", Form: aString, Default: "the folder below fronds/, or app", Example: "name: catalog", About: "The Frond's name, in REST paths and in remotes."},
	{Name: "doors", About: "Operations by entity; also doors without an entity.", Example: "doors: {product: {plural: goods}}", Keys: []schema.Key{
		{Name: "*", Form: aBool, About: "A door, by its entity; false removes its operations.", Example: "stockCount: false", Keys: []schema.Key{
			{Name: "door", Form: aBool, Default: "true", Example: "door: false", About: "false removes all operations."},
			{Name: "plural", Form: aString, Default: "the regular plural", Example: "plural: goods", About: "The segment of its REST paths. GraphQL names the list after the type, or by graphql of the operation list."},
			{Name: "graphql", Form: aString, Default: "the entity's name, capitalised", Example: "graphql: Product", About: "The name of its type in GraphQL."},
			{Name: "list", About: "The page sizes of its lists.", Example: "list: {default: 20, max: 100}", Keys: []schema.Key{
				{Name: "default", Form: aCount, Default: "limits.list.default of gateway.yaml", Example: "default: 20", About: "Rows of a page without a limit."},
				{Name: "max", Form: aCount, Default: "limits.list.max of gateway.yaml", Example: "max: 100", About: "The maximum of a page."},
			}},
			{Name: "operations", About: "Its named and built-in operations.", Example: "operations: {delete: false}", Keys: []schema.Key{
				{Name: "only", Form: aNames, Default: "all of them", Example: "only: [list, findById]", About: "The built-in operations for callers; Go code may call all (frond.Inside)."},
				{Name: "*", Form: aBool, About: "An operation; false leaves a built-in one to Go code (frond.Inside).", Example: "publish: {kind: command}", Keys: []schema.Key{
					{Name: "kind", Form: `{"enum":["query","command"]}`, Default: "by the name: list…, find…, get…, search…, count…, exists… and stats… are queries", Example: "kind: command", About: "Whether it reads or writes."},
					{Name: "params", Form: aCard, Default: "no parameters", Example: "params: {type: object, properties: {slug: {type: string}}, required: [slug]}", About: "The card of its parameters, written out or by name."},
					{Name: "query", Form: aCard, Default: "no query", Example: "query: {type: object, properties: {year: {type: integer}}}", About: "The card of its query, written out or by name."},
					{Name: "input", Form: aCard, Default: "no body", Example: "input: productDraft", About: "The card of its body, written out or by name."},
					{Name: "output", Form: aCard, Default: "an answer without a card", Example: "output: productCard", About: "The card of its answer, written out or by name."},
					{Name: "cardinality", Form: `{"enum":["one","maybe","many","page","none"]}`, Default: "one with an output, none without", Example: "cardinality: maybe", About: "The number of outputs: one, maybe (one or null), many (a list), page, or none."},
					{Name: "description", Form: aString, Example: "description: Puts a draft on sale.", About: "A sentence, for schemas and documents."},
					{Name: "deprecated", Form: aReason, Default: "false", Example: "deprecated: use bySlug", About: "true, or why the operation should no longer be used."},
					{Name: "graphql", Form: aString, Default: "the entity's name and the operation's", Example: "graphql: publishProduct", About: "The name of its field in GraphQL."},
				}},
			}},
		}},
	}},
	{Name: "many", About: "Writes of many rows, by door (docs/many.md).", Example: "many: {product: [create, upsert]}", Keys: []schema.Key{
		{Name: "*", Form: manyForm, Default: "none", Example: "product: [create, update, delete, upsert]", About: "The open ones: create opens createMany, update updateMany, delete deleteMany, upsert and import themselves; '*' opens all that the door has the rights for."},
	}},
	{Name: "nested", About: "Rows that are written with their owner, by door (docs/nested.md).", Example: "nested: {order: [lines]}", Keys: []schema.Key{
		{Name: "*", Form: aNames, Default: "none", Example: "order: [lines]", About: "Relations to many rows that the owner's deletion deletes (onDelete: cascade), and relations through rows in between."},
	}},
	{Name: "relations", About: "Relations from many rows to many, through an entity in between (docs/many-to-many.md).", Example: "relations: {product.tags: {through: productTag, inverse: products}}", Keys: []schema.Key{
		{Name: "*", About: "A new field, as ENTITY.FIELD.", Example: "product.tags: {through: productTag}", Keys: []schema.Key{
			{Name: "through", Form: aString, Example: "through: productTag", About: "The entity in between, which has a one relation to each side."},
			{Name: "to", Form: aString, Default: "the only other entity that it leads to", Example: "to: tag", About: "The entity of the other side, where there are several."},
			{Name: "inverse", Form: aString, Default: "none", Example: "inverse: products", About: "The field of the other side that leads back."},
		}},
	}},
	{Name: "files", About: "Fields that hold files, as ENTITY.FIELD (docs/files.md).", Example: "files: {product.image: {types: [image/png, image/jpeg], max: 5MiB}}", Keys: []schema.Key{
		{Name: "*", About: "A text field of an entity, which then holds the id of a file.", Example: "product.image: {types: [image/png, image/jpeg]}", Keys: []schema.Key{
			{Name: "types", Form: aNames, Example: "types: [image/png, image/jpeg]", About: "The media types of its files."},
			{Name: "max", Form: aSize, Default: "10MiB", Example: "max: 5MiB", About: "The largest file."},
			{Name: "sizes", About: "Smaller images, by name.", Example: "sizes: {thumb: 200x200}", Keys: []schema.Key{
				{Name: "*", Form: aString, Example: "thumb: 200x200", About: "The width and the height in pixels that the image fits into."},
			}},
		}},
	}},
	{Name: "search", About: "Rows that are searched by words, by door (docs/search.md).", Example: "search: {product: {fields: {name: A, description: B}, language: english}}", Keys: []schema.Key{
		{Name: "*", Form: `{"enum":["off",false]}`, About: "A door, by its entity; off beside the cards of a remote, whose search is then not offered.", Example: "product: {fields: {name: A, description: B}}", Keys: []schema.Key{
			{Name: "fields", About: "Its searched fields, at most eight texts.", Example: "fields: {name: A, description: B}", Keys: []schema.Key{
				{Name: "*", Form: `{"enum":["A","B","C","D"]}`, About: "A field, with its weight in the order by rank; A is the most important.", Example: "name: A"},
			}},
			{Name: "language", Form: `{"enum":["simple","english"]}`, Default: "simple", Example: "language: english", About: "english finds a word by its stem (teas, tea) and leaves out stop words (the, of); simple finds whole words."},
			{Name: "headline", Form: aString, Example: "headline: headline", About: "The name of a computed field for the part of a row that has the words."},
		}},
	}},
	{Name: "tables", About: "Tables of another program, which the gateway never changes (docs/existing-database.md).", Example: "tables: {product: {table: Products, columns: {unitPrice: unit_price}}}", Keys: []schema.Key{
		{Name: "*", About: "An entity, by the name of its card.", Example: "product: {table: Products}", Keys: []schema.Key{
			{Name: "table", Form: aString, Default: "the entity's name in lower case", Example: "table: Products", About: "The table or view, as the database spells it."},
			{Name: "schema", Form: aString, Default: "the database's default", Example: "schema: sales", About: "The schema of the table."},
			{Name: "key", Form: aNames, Default: "the primary field's own column", Example: "key: [orderId, productId]", About: "The fields of a primary key of several columns, which make the primary field."},
			{Name: "references", About: "Relations to keys of several columns: their fields, in the order of the key.", Example: "references: {orderDetailId: [orderId, productId]}", Keys: []schema.Key{
				{Name: "*", Form: aNames, About: "A field with the relation, with the fields it is made of.", Example: "orderDetailId: [orderId, productId]"},
			}},
			{Name: "columns", About: "Columns with other names than their fields.", Example: "columns: {unitPrice: unit_price}", Keys: []schema.Key{
				{Name: "*", Form: aString, About: "A field, with its column as the database spells it.", Example: "unitPrice: unit_price"},
			}},
		}},
	}},
	{Name: "collectors", About: "Access rules, by door (docs/collectors.md).", Example: "collectors: {product: open}", Keys: []schema.Key{
		{Name: "*", About: "A door, or '*' for doors without an entry: open, or rules, of which the first match counts.", Example: "product: open", Form: `{"anyOf":[{"const":"open"},{"type":"array","minItems":1,"items":{"$ref":"#/$defs/rule"}}]}`},
	}},
	{Name: "computed", About: "Fields that are computed from a row, by door.", Example: "computed: {order: {total: {type: integer, value: subtotal + shipping}}}", Keys: []schema.Key{
		{Name: "*", About: "A door, by the name of its entity.", Example: "order: {total: {type: integer, value: subtotal + shipping}}", Keys: []schema.Key{
			{Name: "*", About: "A field, by its name: value is the expression, the other keys are its schema.", Example: "total: {type: integer, value: subtotal + shipping}", Form: `{"type":"object","required":["type","value"],"properties":{"value":{"type":"string","description":"An expression over the fields of the row (expr-lang)."},"type":{"description":"The type of the field, as in a card."},"description":{"type":"string"}}}`},
		}},
	}},
	{Name: "facts", About: "The facts that the Frond emits (docs/facts.md); {NAME: {open: true}} beside the cards of a remote.", Example: "facts: [{name: orderPlaced, schema: order, on: order.create}]", Form: `{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/fact"}},{"type":"object","additionalProperties":{"type":"object","additionalProperties":false,"properties":{"open":{"type":"boolean"}}}}]}`},
	{Name: "changes", Form: nameOrNames, Default: "none", Example: "changes: [product]", About: "Doors whose changes of rows are announced by a fact productChanged; '*' for all."},
	{Name: "schedule", About: "Commands that run at times (docs/jobs.md).", Example: `schedule: {order.closeStale: {cron: "0 3 * * *"}}`, Keys: []schema.Key{
		{Name: "*", About: "A command without input, as DOOR.OPERATION.", Example: `order.closeStale: {cron: "0 3 * * *"}`, Keys: []schema.Key{
			{Name: "cron", Form: aString, Example: `cron: "0 3 * * *"`, About: "When: minute, hour, day of the month, month, day of the week."},
			{Name: "zone", Form: aString, Default: "UTC", Example: "zone: Europe/Paris", About: "The time zone of cron, by its name."},
			{Name: "state", Form: aFilter, Default: "the host itself, without access rules", Example: "state: {user: {id: cron, roles: [staff]}}", About: "The state that the command runs with, judged by the access rules."},
		}},
	}},
	{Name: "surfaces", About: "The operations of each surface (docs/gateway.md).", Example: "surfaces: {envelope: false}", Keys: []schema.Key{
		{Name: "graphql", Form: aSurface, Default: "true", Example: "graphql: {only: [product, category.list]}", About: "In GraphQL: all, none, only some, or all except some."},
		{Name: "rest", Form: aSurface, Default: "true", Example: "rest: {except: [order.delete]}", About: "In REST."},
		{Name: "envelope", Form: aSurface, Default: "true", Example: "envelope: false", About: "In JSON-RPC."},
		{Name: "audiences", About: "Surfaces for audiences, on paths of their own.", Example: "audiences: {partner: {rest: {only: [product.list]}}}", Keys: []schema.Key{
			{Name: "*", About: "An audience, with its only operations.", Example: "partner: {rest: {only: [product.list]}}", Keys: []schema.Key{
				{Name: "graphql", Form: aSurface, Default: "false", Example: "graphql: true", About: "In the audience's GraphQL."},
				{Name: "rest", Form: aSurface, Default: "false", Example: "rest: {only: [product.list]}", About: "In the audience's REST."},
				{Name: "envelope", Form: aSurface, Default: "false", Example: "envelope: false", About: "In the audience's JSON-RPC."},
			}},
		}},
	}},
	{Name: "renamed", About: "New names of entities and fields, which keep their rows (docs/migrations.md).", Example: "renamed: {item: product, product.name: product.title}", Keys: []schema.Key{
		{Name: "*", Form: `{"type":["string","null"]}`, About: "An old name, of a field as entity.field, with the new one, or null.", Example: "item: product", Keys: []schema.Key{
			{Name: "to", Form: aString, Example: "to: product", About: "The new name."},
			{Name: "until", Form: aDate, Default: "the old name is not answered", Example: "until: 2027-06-01", About: "The last day, in UTC, of the old name as a deprecated alias."},
		}},
	}},
	{Name: "values", About: "Values for rows from before a field or its type (docs/migrations.md).", Example: "values: {product.price: int(price * 100)}", Keys: []schema.Key{
		{Name: "*", Form: aString, About: "A field as entity.field, with an expression over the old row.", Example: "product.price: int(price * 100)"},
	}},
}

// aSurface is the form of a surface: a boolean, or an object with only or except and not both.
const aSurface = `{"anyOf":[{"type":"boolean"},{"type":"object","additionalProperties":false,"minProperties":1,"maxProperties":1,"properties":{"only":` + aNames + `,"except":` + aNames + `}}]}`

// ruleTable is every key of a rule of a collector. Its schema is #/$defs/rule.
var ruleTable = []schema.Key{
	{Name: "when", Form: `{"type":["string","boolean"]}`, Default: "true", Example: `when: '"staff" in user.roles'`, About: "An expression over the caller's state; the first rule whose when holds counts."},
	{Name: "for", Form: aNames, Default: "all operations", Example: "for: [update, delete]", About: "The operations the rule applies to."},
	{Name: "rows", Form: aFilter, Default: "all rows", Example: "rows: {customerId: {eq: $user.id}}", About: "A filter for the caller's rows; $user.… is a value of the caller's state, $now the time of the call."},
	{Name: "hide", Form: aNames, Default: "none", Example: "hide: [internalNote]", About: "Fields that do not exist for the caller."},
	{Name: "readOnly", Form: aNames, Default: "none", Example: "readOnly: [status]", About: "Fields that the caller can read and not send."},
	{Name: "actor", Form: aBool, Default: "false", Example: "actor: true", About: "Whether the subscriber sees who caused an event."},
	{Name: "set", Form: `{"type":"object"}`, Default: "nothing", Example: "set: {customerId: $user.id}", About: "Values written at create; the caller cannot send them."},
	{Name: "allow", Form: allOrAny, Default: "the built-in operations and named queries", Example: "allow: [list, findById, publish]", About: "The only operations the rule opens; a named command is closed unless it is listed."},
	{Name: "deny", Form: allOrAny, Default: "none", Example: "deny: [create, delete]", About: "Built-in operations the rule closes; all closes every operation."},
}

// factTable is every key of a fact. Its schema is #/$defs/fact.
var factTable = []schema.Key{
	{Name: "name", Form: aString, Example: "name: orderPlaced", About: "The name of the fact."},
	{Name: "schema", Form: aCard, Default: "the entity of the door that on names, else no shape", Example: "schema: order", About: "The card of its content, written out or by name."},
	{Name: "on", Form: nameOrNames, Default: "Go code emits it", Example: "on: [order.create, order.update]", About: "The built-in commands that emit it, each for the row it writes: create, update and delete of a door of this Frond, also one that is false."},
	{Name: "when", Form: aString, Default: "always", Example: `when: before.status != "shipped" and after.status == "shipped"`, About: "An expression over before and after, the row as it was and as it is; null at create and at delete."},
}

// FrondSchema returns the JSON Schema of a frond.yaml, for editors. Each call makes a new one.
func FrondSchema() json.RawMessage {
	return schema.KeySchema("frond.yaml: the doors, operations, collectors, computed fields, facts and surfaces of a Frond", frondKeys,
		schema.KeyDef{Name: "rule", Keys: ruleTable}, schema.KeyDef{Name: "fact", Keys: factTable})
}

// FrondKeys returns the table behind [FrondSchema]: the keys of a frond.yaml, of a rule and of
// a fact. The slices are shared and must not be changed.
func FrondKeys() (file, rule, fact []schema.Key) { return frondKeys, ruleTable, factTable }
