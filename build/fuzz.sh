#!/usr/bin/env bash
# Fuzzes what reads texts of strangers in a sign-in, one target after the other: links, callbacks, challenges, URLs.
#
#   build/fuzz.sh [SECONDS]          30 for each target by default
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}
targets=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A fuzzer whose worker is still busy when its time is up sometimes calls that a failure ("context deadline exceeded"). A real one is
# written down as an input, and says so.
fuzz() {
  nice -n 19 go test -run '^$' -fuzz "^$1\$" -fuzztime "${seconds}s" -parallel 1 "$2" 2>&1 | tee "$log"
}
ended_late() { grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; }

for package in ./app/link ./backend/egress ./backend/oauth; do
  while read -r target; do
    echo "fuzz: $target of $package for $seconds s"
    fuzz "$target" "$package" || { ended_late && fuzz "$target" "$package"; }
    targets=$((targets + 1))
  done < <(go test -list '^Fuzz' "$package" | grep '^Fuzz')
done
[ "$targets" -ge 4 ] || { echo "fuzz: there are only $targets targets, 4 are expected" >&2; exit 1; }
