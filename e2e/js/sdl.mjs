// Builds and validates a schema file with graphql-js 16 and 17:
//
//	node sdl.mjs FILE
//
// It leaves with 1 and says what each version finds at fault.
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import * as sixteen from 'graphql';
import * as seventeen from 'graphql17';

const text = readFileSync(process.argv[2], 'utf8');
for (const js of [sixteen, seventeen]) {
  const schema = js.buildSchema(text);
  assert.deepEqual(js.validateSchema(schema), [], `graphql ${js.version}`);
  // What it makes of the text it writes out again, and reads the same once more.
  const printed = js.printSchema(schema);
  assert.equal(js.printSchema(js.buildSchema(printed)), printed, `graphql ${js.version}`);
  console.log(js.version);
}
