// Package files keeps the bytes of files (docs/files.md). A row of the store describes each file;
// package facade writes it.
//
//	storage.go   where bytes are, and addresses there
//	folder.go    a folder
//	memory.go    memory
//	receive.go   a file that arrives: its size, type and hash
//	presign.go   a file that arrives at a pre-signed address of S3
//	image.go     smaller images
//	health.go    whether the storage works
//	backup.go    a copy of all bytes
//	files.go     all of it, for the REST surface
package files
