#!/usr/bin/env bash
# Runs a command on a screen of its own: Xvfb, a window manager and a D-Bus session, all private and all ended afterwards.
#
#   build/screen.sh COMMAND [ARGUMENT...]
#
# JACKFIELD_SCREEN sets the size (default 1440x900). The exit status is the command's.
set -uo pipefail
[ $# -gt 0 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }

runtime=$(mktemp -d)
chmod 700 "$runtime"
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$runtime"
}
trap finish EXIT

# Xvfb picks a free display itself and writes its number to the descriptor.
exec 3<>"$runtime/display"
Xvfb -displayfd 3 -screen 0 "${JACKFIELD_SCREEN:-1440x900}x24" -nolisten tcp >"$runtime/xvfb.log" 2>&1 &
pids+=($!)
for _ in $(seq 100); do
  number=$(cat "$runtime/display")
  [ -n "$number" ] && break
  sleep 0.1
done
[ -n "$number" ] || { echo "screen: Xvfb did not start:" >&2; cat "$runtime/xvfb.log" >&2; exit 1; }
exec 3>&-

export DISPLAY=":$number" XDG_RUNTIME_DIR="$runtime" LIBGL_ALWAYS_SOFTWARE=1 NO_AT_BRIDGE=0 GDK_BACKEND=x11
unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS AT_SPI_BUS_ADDRESS
openbox >/dev/null 2>&1 &
pids+=($!)

# The bus and its children talk, too: keep them out of what the command itself prints.
exec 4>&1 5>&2
dbus-run-session -- bash -c 'exec 1>&4 2>&5 4>&- 5>&-; "$@"' screen "$@" >"$runtime/bus.log" 2>&1
