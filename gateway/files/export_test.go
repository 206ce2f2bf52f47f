package files

// LinkedBuckets opens the buckets of these tests: package s3 imports this one.
var LinkedBuckets Buckets
