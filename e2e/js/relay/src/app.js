// The documents of a small shop, as its components would declare them. relay-compiler
// reads this file; ../run.cjs runs what it makes of it.

// A list that is read on and on.
graphql`
  query appCatalogueQuery($filter: ProductFilter) {
    ...appCatalogue_query @arguments(filter: $filter)
  }
`;
graphql`
  fragment appCatalogue_query on Query
  @refetchable(queryName: "appCataloguePageQuery")
  @argumentDefinitions(
    count: { type: "Int", defaultValue: 9 }
    cursor: { type: "String" }
    filter: { type: "ProductFilter" }
    orderBy: { type: "[ProductOrderBy!]", defaultValue: [{ price: DESC }, { name: ASC }] }
  ) {
    products(first: $count, after: $cursor, filter: $filter, orderBy: $orderBy)
      @connection(key: "appCatalogue_products") {
      total
      edges {
        node {
          id
          ...appRow_product
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;
graphql`
  fragment appRow_product on Product {
    sku
    name
    price
    status
    inStock
    category {
      name
    }
  }
`;

// A list inside a row, read in both directions.
graphql`
  query appShelfQuery($id: ID!, $first: Int, $last: Int) {
    category(id: $id) {
      ...appShelf_category @arguments(first: $first, last: $last)
    }
  }
`;
graphql`
  fragment appShelf_category on Category
  @refetchable(queryName: "appShelfPageQuery")
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  ) {
    name
    products(first: $first, after: $after, last: $last, before: $before, orderBy: [{ price: ASC }])
      @connection(key: "appShelf_products") {
      edges {
        node {
          sku
        }
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`;

// A row that is fetched again by its global id alone, and several.
graphql`
  query appProductQuery($id: ID!) {
    product(id: $id) {
      ...appDetails_product
    }
  }
`;
graphql`
  fragment appDetails_product on Product
  @refetchable(queryName: "appDetailsRefetchQuery")
  @argumentDefinitions(reviews: { type: "Int", defaultValue: 2 }) {
    id
    name
    stock
    dimensions {
      width
    }
    reviews(first: $reviews, orderBy: [{ createdAt: ASC }]) {
      items {
        title
      }
    }
  }
`;
graphql`
  query appNodesQuery($nodeIds: [ID!]!) {
    nodes(nodeIds: $nodeIds) {
      __typename
      ... on Product {
        name
      }
      ... on Category {
        name
      }
    }
  }
`;

// Changes: a row in the store is the row on the page; a new row joins its lists.
graphql`
  mutation appRestockMutation($id: ID!, $stock: Int!) {
    updateProduct(id: $id, input: { stock: $stock }) {
      stock
      inStock
    }
  }
`;
graphql`
  query appReviewsQuery($filter: ReviewFilter) {
    reviews(first: 3, filter: $filter, orderBy: [{ createdAt: DESC }]) @connection(key: "appReviews_reviews") {
      __id
      edges {
        node {
          id
          title
        }
      }
    }
  }
`;
graphql`
  mutation appReviewMutation($input: CreateReviewInput!, $connections: [ID!]!) {
    createReview(input: $input) @prependNode(connections: $connections, edgeTypeName: "ReviewEdge") {
      id
      title
    }
  }
`;
graphql`
  mutation appForgetMutation($id: ID!) {
    deleteReview(id: $id)
  }
`;
