// The workers that the editor asks for by name: files of this build, so that the
// page's policy needs no blob: and no other origin.
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JSONWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphQLWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

const workers = { json: JSONWorker, graphql: GraphQLWorker };

globalThis.MonacoEnvironment = {
  getWorker: (_, label) => new (workers[label] ?? EditorWorker)(),
};
