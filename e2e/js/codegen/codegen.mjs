// The client preset as docs/graphql.md has it. SCHEMA is a file or an address, OUT the
// folder to write.
const schema = process.env.SCHEMA;

export default {
  schema: schema.startsWith('http') ? [{ [schema]: { headers: { accept: 'application/json' }, oneOf: true } }] : schema,
  documents: ['src/**/*.ts', '!src/gql*/**'],
  ignoreNoDocuments: false,
  generates: {
    [process.env.OUT]: {
      preset: 'client',
      presetConfig: { persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: {
        strictScalars: true,
        enumsAsTypes: true,
        useTypeImports: true,
        scalars: {
          DateTime: 'string',
          Date: 'string',
          Time: 'string',
          UUID: 'string',
          Decimal: 'string',
          BigInt: { input: 'number | string', output: 'number' },
          JSON: 'unknown',
        },
      },
    },
  },
};
