import { operations } from './document.js';

// What a project without doors begins with; others bring a query, or the gateway makes one.
const welcome = {
  name: 'Welcome',
  query: `# Ctrl+Space shows what can be written here, Ctrl+Enter runs it.
# The book on the left has every type, the clock what ran before.
query Welcome {
  __schema {
    queryType {
      fields {
        name
        description
      }
    }
  }
}
`,
};

// tabs are the queries that the project brings, one tab each, or a first one to begin with.
export async function tabs() {
  let queries = [];
  try {
    const response = await fetch(location.pathname + '/console/queries.json');
    if (response.ok) queries = await response.json();
  } catch (problem) {
    console.warn('The queries of the project did not come:', problem);
  }
  return (queries.length ? queries : [welcome]).map(({ name, query }) => ({ query: named(query, name) }));
}

// named gives a document of one operation without a name the name of its file, which
// is then its tab's.
function named(query, file) {
  const all = operations(query);
  const [operation] = all;
  if (all.length !== 1 || operation.name) return query;
  const name = file.replace(/[^_0-9A-Za-z]+(.?)/g, (_, next) => next.toUpperCase()).replace(/^(?=[0-9])/, '_');
  const { start } = operation.loc;
  const short = query[start] === '{'; // query is left out
  const at = short ? start : start + operation.operation.length;
  return query.slice(0, at) + (short ? `query ${name} ` : ` ${name}`) + query.slice(at);
}
