import { useState } from 'react';

// Who is calling, where dev identity lets the caller choose: the value of X-Frond-User, "" for
// nobody. A header of the editor has precedence. Nothing of it stays in the browser.
let user = '';

// callerHeaders are the headers of whom the page calls as.
export const callerHeaders = () => (user ? { 'X-Frond-User': user } : {});

// callers are whom the gateway offers: none where dev identity is off.
export async function callers() {
  const response = await fetch(location.pathname + '/console/callers.json');
  return response.ok ? response.json() : [];
}

const typed = 'typed';

// Caller chooses one of the offered users, or takes one that is typed as JSON.
export function Caller({ all }) {
  const [choice, choose] = useState('');
  const [text, type] = useState('');
  user = choice === typed ? text.trim() : choice;
  return (
    <label className="caller">
      Caller
      <select aria-label="Caller" value={choice} onChange={event => choose(event.target.value)}>
        <option value="">nobody</option>
        {all.map(({ name, user }) => <option key={name} value={JSON.stringify(user)}>{name}</option>)}
        <option value={typed}>other …</option>
      </select>
      {choice === typed && <input aria-label="User as JSON" placeholder='{"id":"ada","roles":["staff"]}' value={text} onChange={event => type(event.target.value)} />}
    </label>
  );
}
