// Package places runs the Fronds of a project in several processes' worth of hosts, all of them in one test: some in
// the gateway, some behind addresses of their own, at times with another gateway in between. It is imported by tests.
package places
