// Package measure is what the process of a contender does around the contender:
// it reads what to do from standard input, runs it, and writes what it took to
// standard output, one line of JSON each.
//
// A contender has a process of its own, so that processor time, peak memory and
// the collector's work are its alone.
package measure
