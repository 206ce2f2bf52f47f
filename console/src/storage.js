import { createLocalStorage } from '@graphiql/toolkit';

const kept = createLocalStorage({ namespace: 'frond:' + location.pathname });

// storage is what stays in the browser between visits, for each path its own. GraphiQL's
// history would keep headers with every query, and headers are where tokens are.
export const storage = {
  getItem: kept.getItem,
  removeItem: kept.removeItem,
  clear: kept.clear,
  get length() {
    return kept.length;
  },
  setItem(key, value) {
    kept.setItem(key, /:(queries|favorites)$/.test(key) ? withoutHeaders(value) : value);
  },
};

const withoutHeaders = json => JSON.stringify(JSON.parse(json), (key, value) => (key === 'headers' ? undefined : value));
