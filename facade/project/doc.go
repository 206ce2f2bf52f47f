// Package project reads a project as its author wrote it: the folder with its cards, the
// frond.yaml of each Frond, the synced.json that frond sync writes, and the discovery
// document of a Frond that runs elsewhere. All of these become the same data, a list of
// [Frond], whose frond.yaml [ReadConfig] reads into a [Config].
//
//	fronds, err := project.Read(os.DirFS("shop"))         // names and bytes
//	config, faults := project.ReadConfig(fronds[0].Config) // doors, collectors, …
//
// The package checks the form of each file and reports every fault with its JSON pointer and a
// remedy. The meaning of the names in a file (is there such a door, does the expression fit the
// field?) is for package facade, which compiles the data into a catalog. The package does not
// know calls.
package project
