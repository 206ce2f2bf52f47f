import { callerHeaders } from './caller.jsx';
import { operations } from './document.js';

// send sends one operation to the path that this page stands at, an audience's own
// included, and gives back what came as GraphiQL shows it: of a subscription one answer after
// the other.
export function send({ query, variables, operationName }, { headers } = {}) {
  const name = chosen(query, operationName);
  const request = { body: JSON.stringify({ query, variables, operationName: name }), headers: texts(sentAs(headers)) };
  const all = operations(query);
  const operation = all.find(o => o.name?.value === name) ?? all[0];
  return operation?.operation === 'subscription' ? answers(request) : answer(request);
}

// sentAs are the headers of the editor, with those of the caller that the page calls as; the editor's
// X-Frond-User has precedence, however it is spelled.
const sentAs = headers => (Object.keys(headers ?? {}).some(name => name.toLowerCase() === 'x-frond-user') ? headers : { ...callerHeaders(), ...headers });

// post sends a request whose answer is to be of a type.
const post = ({ body, headers }, accept, signal) =>
  fetch(location.pathname, { method: 'POST', headers: { ...headers, 'content-type': 'application/json', accept }, body, signal });

async function answer(request) {
  return json(await post(request, 'application/graphql-response+json, application/json;q=0.9'));
}

async function json(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The answer is not JSON (${response.status}): ${text.slice(0, 500)}`);
  }
}

// answers are those of a subscription, as server-sent events: a header can name the caller
// there, which no browser sends with a websocket. It ends when GraphiQL's button stops it.
async function* answers(request) {
  const stop = new AbortController();
  try {
    const response = await post(request, 'text/event-stream', stop.signal);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      yield await json(response);
      return;
    }
    for await (const { event, data } of events(response.body)) {
      if (event === 'complete') return;
      if (event === 'next') yield JSON.parse(data);
    }
    throw new Error('The stream was cut off; run the subscription again.');
  } finally {
    stop.abort();
  }
}

// events reads server-sent events. The server writes the data of each on one line.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
      const event = {};
      for (const line of text.slice(0, end).split('\n')) {
        const [, name, rest] = /^([^:]*):? ?(.*)$/.exec(line);
        event[name] = rest;
      }
      yield event;
    }
  }
}

// chosen is the operation's name if the document has it: GraphiQL learns of what is
// typed a moment late, and may still have the name of what was there before.
const chosen = (query, name) => operations(query).find(o => o.name?.value === name)?.name?.value;

// texts are headers as fetch takes them: a value that is no text is sent as its JSON,
// so X-Frond-User can be written as the object it is.
function texts(headers) {
  const entries = Object.entries(headers ?? {}).map(([name, value]) => [name, typeof value === 'string' ? ascii(value) : ascii(JSON.stringify(value))]);
  return Object.fromEntries(entries);
}

const ascii = json => json.replace(/[^\0-~]/g, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
