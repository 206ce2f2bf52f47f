// A program over the client that graphql-codegen makes of the shop's schema:
//
//	node out/main.js ENDPOINT USER [trusted]
//
// With trusted it sends the ids of persisted-documents.json instead of the texts.
// It leaves with 1 and says what it expected where the gateway answers anything else.
// What must not compile is marked: tsc fails where it does.
import { print } from 'graphql';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { graphql, useFragment, type FragmentType } from './gql';
import type { CreateProductInput, ProductFilter } from './gql/graphql';

declare const process: { argv: string[]; exit(code: number): never };
const [endpoint, user, trusted] = process.argv.slice(2) as [string, string, string?];

async function ask<Data, Variables>(document: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
  const res = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', 'x-frond-user': user },
    body: JSON.stringify(trusted ? { documentId: idOf(document), variables } : { query: print(document), variables }),
  });
  const answer = (await res.json()) as { data?: Data; errors?: { message: string }[] };
  if (answer.errors || !answer.data) throw new Error(`${res.status} ${JSON.stringify(answer.errors)}`);
  return answer.data;
}

// idOf is the id that the preset leaves in a document it has put among the persisted.
function idOf(document: object): string {
  const { hash } = (document as { __meta__?: { hash?: string } }).__meta__ ?? {};
  if (!hash) throw new Error('the document has no hash');
  return hash;
}

function equal<T>(what: string, got: T, want: T) {
  if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what} is ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

const Row = graphql(`
  fragment Row on Product {
    nodeId
    sku
    name
    price
    weight
    ean
    status
    availableFrom
    createdAt
    category {
      name
    }
  }
`);

const Products = graphql(`
  query Products($filter: ProductFilter, $first: Int = 5) {
    products(filter: $filter, first: $first, orderBy: [{ price: DESC }]) {
      total
      items {
        ...Row
      }
    }
  }
`);

const Nodes = graphql(`
  query Nodes($ids: [ID!]!) {
    nodes(nodeIds: $ids) {
      __typename
      ... on Product {
        name
      }
      ... on Supplier {
        address {
          city
        }
      }
    }
  }
`);

const Create = graphql(`
  mutation Create($input: CreateProductInput!) {
    createProduct(input: $input) {
      id
      ...Row
      dimensions {
        width
      }
    }
  }
`);

const Update = graphql(`
  mutation Update($id: ID!, $input: UpdateProductInput!) {
    updateProduct(id: $id, input: $input) {
      price
      weight
    }
  }
`);

const Remove = graphql(`
  mutation Remove($id: ID!) {
    deleteProduct(id: $id)
  }
`);

// label reads the fields of a row, each of its own type.
function label(masked: FragmentType<typeof Row>): string {
  const row = useFragment(Row, masked);
  const price: number = row.price;
  const weight: string | null | undefined = row.weight; // Decimal
  const ean: number | null | undefined = row.ean; // BigInt
  const status: 'draft' | 'active' | 'retired' = row.status;
  const since: string = row.createdAt; // DateTime
  const shelf: string | undefined = row.category?.name;
  // @ts-expect-error a relation may be null: the caller may not see its other side
  row.category.name;
  // @ts-expect-error this is not selected
  row.stock;
  return [row.sku, price, weight, ean, status, since.slice(0, 4), shelf].join(' ');
}

// given is a root field that did not fail: one that fails is null beside its error.
function given<T>(field: T | null | undefined): T {
  if (field == null) throw new Error('a root field is null');
  return field;
}

// refused is never called: none of it compiles.
export function refused() {
  // @ts-expect-error no such value of the enum
  void ask(Products, { filter: { status: { eq: 'sold' } } });
  // @ts-expect-error no such field to filter by
  void ask(Products, { filter: { colour: { eq: 'red' } } });
  // @ts-expect-error price is required
  void ask(Create, { input: { sku: 'gen-0002', name: 'Short', categoryId: 'c-cups' } });
  // @ts-expect-error the price may be left alone, but it is never null to begin with
  void ask(Create, { input: { sku: 'gen-0002', name: 'Short', categoryId: 'c-cups', price: null } });
  // @ts-expect-error a decimal is a string, so that no digit is lost
  void ask(Update, { id: 'p', input: { weight: 0.25 } });
  // @ts-expect-error the ids are not optional
  void ask(Nodes, {});
  // @ts-expect-error a root field may be null
  void ask(Products, { filter: {} }).then(data => data.products.total);
}

async function main() {
  const filter: ProductFilter = { status: { eq: 'active' }, category: { slug: { startsWith: 'espresso' } } };
  const products = given((await ask(Products, { filter })).products);
  equal('total', products.total, 6);
  equal('a row', label(products.items[0]!), 'ESP-0102 129900 14.200 2900000010079 active 2024 Espresso');

  const input: CreateProductInput = {
    sku: 'gen-0001', name: 'Generated', price: 100, weight: '0.250', categoryId: 'c-cups', supplierId: null,
    ean: '2900000099990', dimensions: { width: 1, depth: 2, height: 3 }, tags: ['typed'],
  };
  const created = given((await ask(Create, { input })).createProduct);
  equal('the new row', label(created).split(' ').slice(0, 5), ['GEN-0001', '100', '0.250', '2900000099990', 'draft']);
  equal('its width', created.dimensions?.width, 1);

  const updated = given((await ask(Update, { id: created.id, input: { price: 250, weight: null } })).updateProduct);
  equal('the changed row', { price: updated.price, weight: updated.weight }, { price: 250, weight: null });

  const { nodeId } = useFragment(Row, created);
  const nodes = given((await ask(Nodes, { ids: [nodeId, 'none'] })).nodes);
  equal('nodes', nodes.map(n => (n?.__typename === 'Product' ? n.name : null)), ['Generated', null]);

  equal('deleteProduct', (await ask(Remove, { id: created.id })).deleteProduct, true);
  console.log(JSON.stringify({ rows: products.items.length }));
}

main().catch((err: unknown) => {
  console.error(err);
  process.exit(1);
});
