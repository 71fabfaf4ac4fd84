//go:build soak

package soak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// role makes the test binary another program: "history" or "stdio".
const role = "JACKFIELD_SOAK_ROLE"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "history":
		err = writeHistory(os.Getenv("JACKFIELD_SOAK_DIR"), os.Getenv("JACKFIELD_SOAK_URL"))
	case "stdio":
		err = serveStdio()
	default:
		err = fmt.Errorf("unknown role %q", os.Getenv(role))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// long says whether this is the long form, `make soak`.
func long() bool { return duration() > 2*time.Minute }

// duration is how long the servers flap.
func duration() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("SOAK")); err == nil {
		return d
	}
	return time.Minute
}

// chance returns the random numbers of a test, and prints what repeats them.
func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("SOAK_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("SOAK_SEED: %v", err)
		}
	}
	t.Logf("SOAK_SEED=%d repeats the choices of this run", seed)
	return rand.New(rand.NewPCG(seed, 1))
}
