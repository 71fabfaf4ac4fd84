#!/usr/bin/env bash
# Fuzzes what reads texts of strangers in a sign-in, all targets at once: links, callbacks, challenges, URLs.
#
#   build/fuzz.sh [SECONDS]          30 for each target by default
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# A fuzzer whose worker is still busy when its time is up sometimes calls that a failure ("context deadline exceeded"). A real one is
# written down as an input, and says so.
fuzz() {
  go test -run '^$' -fuzz "^$1\$" -fuzztime "${seconds}s" -parallel 1 "$2" >"$logs/$1" 2>&1
}
ended_late() { grep -q 'context deadline exceeded' "$logs/$1" && ! grep -q 'Failing input' "$logs/$1"; }
once_more() { fuzz "$@" || { ended_late "$1" && fuzz "$@"; }; }

targets=() jobs=()
for package in ./app/link ./backend/egress ./backend/oauth; do
  go test -run '^$' "$package" >/dev/null # built once, not by each target
  while read -r target; do
    once_more "$target" "$package" &
    targets+=("$target") jobs+=($!)
  done < <(go test -list '^Fuzz' "$package" | grep '^Fuzz')
done
failed=0
for i in "${!targets[@]}"; do
  if wait "${jobs[$i]}"; then
    echo "fuzz: ${targets[$i]}: $(grep -oE 'execs: [0-9]+' "$logs/${targets[$i]}" | tail -n 1) in $seconds s"
  else
    cat "$logs/${targets[$i]}"
    failed=1
  fi
done
[ "${#targets[@]}" -ge 4 ] || { echo "fuzz: there are only ${#targets[@]} targets, 4 are expected" >&2; exit 1; }
exit "$failed"
