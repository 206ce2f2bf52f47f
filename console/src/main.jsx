import './workers.js';
import { createRoot } from 'react-dom/client';
import { GraphiQL } from 'graphiql';
// The styles one by one: graphiql/style.css has the editor's a second time, and fonts.
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import icon from './icon.svg';
import { Caller, callers } from './caller.jsx';
import { send } from './fetcher.js';
import { tabs } from './queries.js';
import { align, open } from './linked.js';
import { storage } from './storage.js';

const here = location.pathname;
const linked = Object.fromEntries(new URLSearchParams(location.search)); // /graphql?query=… shows a query; running it is a click
const [first, offered] = await Promise.all([tabs(), callers()]);
if (linked.query) open(storage, first, linked);
else align(storage);

createRoot(document.getElementById('console')).render(
  <GraphiQL
    fetcher={send}
    defaultTabs={first}
    shouldPersistHeaders={false}
    storage={storage}
  >
    <GraphiQL.Logo>
      <div className="mark"><img src={icon} alt="" />frond <span>{here}</span></div>
      {offered.length > 0 && <Caller all={offered} />}
    </GraphiQL.Logo>
  </GraphiQL>,
);
