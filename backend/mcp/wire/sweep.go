package wire

import (
	"slices"
	"strings"
)

// ownerKey is the environment variable that marks the processes which this program starts, and what they start in turn.
// Its value tells the owner. When the owner was killed, Sweep of the next run finds by it what was left behind. No file has
// to be kept, so that there is no moment at which the record is behind the truth.
const ownerKey = "JACKFIELD_OWNER"

// marked returns an environment with the mark of this program, and without that of another one further up.
func marked(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, ownerKey+"=") })
	if env == nil {
		env = []string{} // nil would mean: inherit
	}
	if mark := ownMark(); mark != "" {
		env = append(env, ownerKey+"="+mark)
	}
	return env
}
