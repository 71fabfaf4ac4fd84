// Package bench measures Jackfield against floors in the same run: what it costs above what nobody could avoid. Figures are
// medians of interleaved runs and are printed as ratios; nothing here fails because a machine is slow.
// It needs the build tag bench; `make bench` builds both programs first.
package bench
