// Package frames counts the functions of this module between a request and its SQL statement; its
// test holds the numbers of docs/walk.md.
package frames
