#!/usr/bin/env bash
# Writes frontend/wailsjs from the bound methods and their types. With --check it only says whether that is up to date.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

go build -tags bindings -o "$work/bindings" .
if [ "${1:-}" != --check ]; then
  tsoutputtype=interfaces "$work/bindings" >/dev/null
  exit
fi
# The generator writes where wails.json in its working directory says, so a copy of that file makes it write elsewhere.
mkdir "$work/frontend"
cp wails.json "$work/"
(cd "$work" && tsoutputtype=interfaces ./bindings >/dev/null)
# Git decides on the mode of files, so only the text counts.
if ! diff -r "$work/frontend/wailsjs" frontend/wailsjs; then
  echo "frontend/wailsjs is not up to date: run build/bindings.sh and commit" >&2
  exit 1
fi
