#!/usr/bin/env bash
# Opens the built app. Without a display it opens on a virtual one, makes a call to the Playground through the real window, and
# leaves a screenshot.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" != Linux ]; then
  exec build/bin/jackfield-desktop
fi
echo "No display: opening the window on a virtual screen and calling the Playground in it."
go test -tags e2e -count 1 -timeout 5m -run '^TestPlaygroundCall$' ./test/e2e
echo "The window as it was after the call: build/shots/window-light.png"
