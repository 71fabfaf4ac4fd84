#!/usr/bin/env bash
# Fuzzes what reads texts of strangers in a sign-in, one target after the other: links, callbacks, challenges, URLs.
#
#   build/fuzz.sh [SECONDS]          30 for each target by default
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}
targets=0
for package in ./app/link ./backend/egress ./backend/oauth; do
  while read -r target; do
    echo "fuzz: $target of $package for $seconds s"
    nice -n 19 go test -run '^$' -fuzz "^$target\$" -fuzztime "${seconds}s" -parallel 1 "$package"
    targets=$((targets + 1))
  done < <(go test -list '^Fuzz' "$package" | grep '^Fuzz')
done
[ "$targets" -ge 4 ] || { echo "fuzz: there are only $targets targets, 4 are expected" >&2; exit 1; }
