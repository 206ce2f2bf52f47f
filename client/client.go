// Package client holds the npm package that frond build-frond and frond client write, as far as
// it is the same for every Frond: the judge, and the client over it. Its TypeScript stands in
// src; dist is the output of `npm run build`, and Go programs embed it.
package client

import "embed"

// Files are the modules of dist as JavaScript, each with its types: judge.js, judge.d.ts.
//
//go:embed dist/*.js dist/*.ts
var Files embed.FS
