//go:build e2e

package e2e

import "testing"

func TestLinkThatStartsTheProgramIsShownForReview(t *testing.T) { drive(t, "links.py", "cold") }

func TestLinkReachesTheProgramThatRunsAndRunsNothing(t *testing.T) { drive(t, "links.py", "second") }
