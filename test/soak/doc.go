// Package soak wears Jackfield down: hundreds of servers that come and go, connections cut at any byte, processes killed in the
// middle of a write. What is asserted is what must hold all the time: the states that the Manager shows are true, every call
// ends with an outcome and runs at most once, what was reported as stored is stored, and nothing is left over.
//
// Every random choice comes from one seed, which is printed; SOAK_SEED repeats a run's choices (not its timing). SOAK is how
// long the servers flap, one minute by default. It needs the build tag soak; `make soak` runs the long form.
package soak
