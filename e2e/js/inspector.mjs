// Compares schemas with graphql-inspector: a line {"was": SDL, "is": SDL} on stdin gives a
// line of changes on stdout, each with its type, criticality, path and message.
import { createInterface } from 'node:readline';
import { buildSchema } from 'graphql';
import { diff } from '@graphql-inspector/core';

for await (const line of createInterface({ input: process.stdin })) {
  const { was, is } = JSON.parse(line);
  const changes = await diff(buildSchema(was), buildSchema(is));
  console.log(JSON.stringify(changes.map((c) => ({ type: c.type, level: c.criticality.level, path: c.path ?? '', message: c.message }))));
}
