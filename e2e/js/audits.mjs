// The audits of GraphQL over HTTP that npm graphql-http has, on the endpoint given:
// one line of JSON each, {id, name, status, reason?}.
import { auditServer } from 'graphql-http';

for (const { id, name, status, reason } of await auditServer({ url: process.argv[2] })) {
  console.log(JSON.stringify({ id, name, status, reason }));
}
