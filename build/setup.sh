#!/usr/bin/env bash
# Installs what a build (`setup.sh build`) or the whole test suite (`setup.sh test`) needs and is missing. Safe to run
# again: with everything in place it takes about a second. On Debian and Ubuntu system packages come through apt when this user
# may install them; elsewhere, and without that right, the missing ones are named.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-test}

die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

need() { # need COMMAND VERSION_COMMAND MINIMUM WHERE
  command -v "$1" >/dev/null || die "$1 is not installed. Install $1 $3 or newer ($4), then run this again."
  local have
  have=$($2 | grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)?' | head -n 1)
  [ "$(printf '%s\n%s\n' "$3" "$have" | sort -V | head -n 1)" = "$3" ] ||
    die "$1 is $have, but $3 or newer is needed ($4)."
}
need go 'go version' 1.26 https://go.dev/dl
need node 'node --version' 20.0 https://nodejs.org
need npm 'npm --version' 9.0 'it comes with Node'
need git 'git --version' 2.0 'https://git-scm.com'

packages_build=(gcc libc6-dev pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev)
# To look at a window without a screen, and to drive it.
packages_window=(xvfb openbox dbus dbus-daemon at-spi2-core python3 python3-gi python3-pyatspi gir1.2-atspi-2.0
  xdotool x11-utils imagemagick procps python3-xlib)
packages_test=(chromium desktop-file-utils appstream xdg-utils gnome-keyring)
# The same engine without a browser around it: the tests of the pages take half the time. Not every release has it.
if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
  packages_test+=(chromium-headless-shell)
fi

packages=("${packages_build[@]}")
if [ "$what" = test ]; then
  packages+=("${packages_window[@]}" "${packages_test[@]}")
elif [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  packages+=("${packages_window[@]}")
fi

if command -v dpkg-query >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    echo "setup: installing ${missing[*]}"
    install=(apt-get install -y -qq --no-install-recommends)
    if [ "$(id -u)" = 0 ]; then
      as=(env)
    elif sudo -n true 2>/dev/null; then
      as=(sudo)
    else
      die "these packages are missing and you may not install them: run  sudo apt-get install ${missing[*]}"
    fi
    "${as[@]}" apt-get update -qq
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" "${missing[@]}" >/dev/null
  fi
else
  case "$(uname -s)" in
    Linux)
      pkg-config --exists gtk+-3.0 webkit2gtk-4.1 2>/dev/null ||
        die "GTK 3 and WebKitGTK 4.1 development files are missing; README.md lists the packages by distribution." ;;
  esac
fi

npm_ci() { # node_modules/.package-lock.json is written last by npm, so it tells whether an installation is whole
  if [ ! -e "$1/node_modules/.package-lock.json" ] || [ "$1/package-lock.json" -nt "$1/node_modules/.package-lock.json" ]; then
    echo "setup: npm packages of $1"
    (cd "$1" && npm ci --no-audit --no-fund --loglevel=error) && touch "$1/node_modules/.package-lock.json"
  fi
}
# At the same time: they mostly wait for the network and the disk.
jobs=()
npm_ci frontend & jobs+=($!)
if [ "$what" = test ]; then
  for folder in test/peers test/conformance test/oauth; do
    npm_ci "$folder" & jobs+=($!)
  done
  # Half a gigabyte of somebody else's runtime: without it those checks are skipped, and say so.
  { npm_ci test/cloudflare || echo "setup: the packages of test/cloudflare could not be installed; its checks will be skipped"; } & jobs+=($!)
  (cd build/tools && go mod download) & jobs+=($!)
fi
go mod download & jobs+=($!)
for job in "${jobs[@]}"; do
  wait "$job" || die "not everything could be installed; what failed is above."
done
