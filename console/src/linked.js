import { StorageAPI } from '@graphiql/toolkit';
import { operations } from './document.js';

// open puts the query of a link into a tab of its own, in front of what is there: the
// tabs of the last visit, or those to begin with. A link that is opened again shows
// its tab again. GraphiQL takes the query into the first tab instead, and with the
// variables of the last visit.
export function open(storage, tabs, { query, variables }) {
  const kept = new StorageAPI(storage);
  const state = read(kept.get('tabState')) ?? { tabs: tabs.map(tab), activeTabIndex: 0 };
  let at = state.tabs.findIndex(t => t.query === query && (t.variables ?? '') === (variables ?? ''));
  if (at < 0) at = state.tabs.push(tab({ query, variables })) - 1;
  kept.set('tabState', JSON.stringify({ ...state, activeTabIndex: at }));
  kept.set('query', query);
  kept.set('variables', variables ?? '');
}

// align makes the variables that GraphiQL keeps beside its tabs those of the tab whose
// query it keeps. It writes the query 100 ms after a change and the variables and the tabs
// after 500: a page that is left in between comes back with the query of one tab and the
// variables of another, which fit no tab, and GraphiQL opens a second one for them.
export function align(storage) {
  const kept = new StorageAPI(storage);
  const query = kept.get('query');
  const same = (read(kept.get('tabState'))?.tabs ?? []).filter(t => t.query === query);
  const variables = kept.get('variables') ?? '';
  if (query && same.length && !same.some(t => (t.variables ?? '') === variables)) kept.set('variables', same[0].variables ?? '');
}

function read(text) {
  try {
    const state = JSON.parse(text);
    return Array.isArray(state?.tabs) && state.tabs.length ? state : null;
  } catch {
    return null;
  }
}

const tab = ({ query, variables = null }) => {
  const name = operations(query)[0]?.name?.value ?? null;
  return { id: 'tab-' + Math.random().toString(36).slice(2), title: name ?? '<untitled>', query, variables, headers: null, operationName: name, response: null };
};
