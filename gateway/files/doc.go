// Package files keeps the bytes of files (docs/files.md). A row of the store describes each file;
// package facade writes it.
//
//	storage.go   where bytes are: a folder, memory, or S3
//	receive.go   a file that arrives: its size, type and hash
//	presign.go   a file that arrives at a pre-signed address of S3
//	image.go     smaller images
//	health.go    whether the storage works
//	backup.go    a copy of all bytes
//	files.go     all of it, for the REST surface
package files
