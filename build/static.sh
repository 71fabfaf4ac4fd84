#!/usr/bin/env bash
# Checks that a program is statically linked and carries neither Wails nor GTK.
set -euo pipefail
program=$1
if readelf -d "$program" 2>/dev/null | grep -q NEEDED; then
  echo "$program links shared libraries:" >&2
  readelf -d "$program" | grep NEEDED >&2
  exit 1
fi
if go version -m "$program" | grep -q 'wailsapp/wails'; then
  echo "$program contains Wails" >&2
  exit 1
fi
echo "$program: static, $(du -h "$program" | cut -f 1)"
