// What graphql-js makes of the introspection of a schema, in two of its versions.
//
//	node introspection.mjs queries               what each asks, as JSON: version, query
//	node introspection.mjs compare SDL ANSWERS   whether each rebuilds the schema of the file SDL
//	                                             from its answer in the file ANSWERS (JSON: version, response)
import { readFileSync } from "node:fs";
import * as v16 from "graphql";
import * as v17 from "graphql17";

const versions = { 16: v16, 17: v17 };

/** Everything there is to ask. An option that a version does not know means nothing to it. */
const everything = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};

/** The same schema with its types and directives by name: fields, arguments and values keep their order. */
function ordered(graphql, schema) {
  const byName = (a, b) => (a.name < b.name ? -1 : 1);
  const config = schema.toConfig();
  return new graphql.GraphQLSchema({
    ...config,
    types: [...config.types].sort(byName),
    directives: [...config.directives].sort(byName),
  });
}

function compare(version, graphql, sdl, response) {
  if (response.errors) {
    return [`the answer has errors: ${JSON.stringify(response.errors)}`];
  }
  const faults = [];
  const written = graphql.buildSchema(sdl);
  const rebuilt = graphql.buildClientSchema(response.data);
  for (const [name, schema] of Object.entries({ written, rebuilt })) {
    for (const fault of graphql.validateSchema(schema)) {
      faults.push(`the ${name} schema: ${fault.message}`);
    }
  }
  const want = graphql.printSchema(ordered(graphql, written)).split("\n");
  const got = graphql.printSchema(ordered(graphql, rebuilt)).split("\n");
  for (let i = 0; i < Math.max(want.length, got.length) && faults.length < 20; i++) {
    if (want[i] !== got[i]) {
      faults.push(`line ${i + 1}: introspection has ${JSON.stringify(got[i])}, the SDL ${JSON.stringify(want[i])}`);
    }
  }
  console.log(`ok   ${version}: ${want.length} lines, ${written.getDirectives().length} directives`);
  const own = (schema) => schema.getDirectives().map((d) => d.name).sort().join(" ");
  if (own(rebuilt) !== own(written)) {
    faults.push(`the directives are ${own(rebuilt)}, of the SDL ${own(written)}`);
  }
  return faults;
}

const [mode, sdlFile, answersFile] = process.argv.slice(2);
if (mode === "queries") {
  const queries = {};
  for (const [version, graphql] of Object.entries(versions)) {
    queries[version] = graphql.getIntrospectionQuery(everything);
  }
  console.log(JSON.stringify(queries));
} else {
  const sdl = readFileSync(sdlFile, "utf8");
  const answers = JSON.parse(readFileSync(answersFile, "utf8"));
  let failed = false;
  for (const [version, graphql] of Object.entries(versions)) {
    for (const fault of compare(version, graphql, sdl, answers[version])) {
      console.log(`${version}: ${fault}`);
      failed = true;
    }
  }
  process.exit(failed ? 1 : 0);
}
