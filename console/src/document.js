import { parse } from 'graphql';

// operations are those of a document; of one that is not finished, none.
export function operations(text) {
  try {
    return parse(text).definitions.filter(d => d.kind === 'OperationDefinition');
  } catch {
    return [];
  }
}
