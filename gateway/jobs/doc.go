// Package jobs runs functions at times, each time once among all processes over one store.
//
// The record of a job is one text among the [facade.KeyValues] of the store: the last time that
// was dealt with, the run under way, and the last runs. A process that finds a time due
// replaces the text, under its version, by one that says so; the process whose text is written
// runs the job. While it does, it renews a counter in the text. A run whose counter has not
// changed for [leaseTime] of another process's own clock is over: its process is gone. The
// clocks of processes need not agree, and an idle process does not wait for a store.
//
// A time that is due while a run is under way is skipped, and one that no process has seen within
// [grace] is missed. Both are noted in the log and among the last runs; neither is caught up.
package jobs
