import { operations } from './document.js';

// send sends one operation to the path that this page stands at, an audience's own
// included, and gives back what came as GraphiQL shows it.
export async function send({ query, variables, operationName }, { headers } = {}) {
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: {
      ...texts(headers),
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json;q=0.9',
    },
    body: JSON.stringify({ query, variables, operationName: chosen(query, operationName) }),
  });
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The answer is not JSON (${response.status}): ${text.slice(0, 500)}`);
  }
}

// chosen is the operation's name if the document has it: GraphiQL learns of what is
// typed a moment late, and may still have the name of what was there before.
const chosen = (query, name) => operations(query).find(o => o.name?.value === name)?.name?.value;

// texts are headers as fetch takes them: a value that is no text is sent as its JSON,
// so X-Frond-User can be written as the object it is.
function texts(headers) {
  const entries = Object.entries(headers ?? {}).map(([name, value]) => [name, typeof value === 'string' ? value : ascii(JSON.stringify(value))]);
  return Object.fromEntries(entries);
}

const ascii = json => json.replace(/[^\0-~]/g, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
