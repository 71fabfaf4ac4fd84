#!/usr/bin/env bash
# Renders jackfield.svg to every size and container that the three systems want. Needs rsvg-convert and ImageMagick. The results
# are committed, so that a build needs neither.
set -euo pipefail
cd "$(dirname "$0")"
for size in 16 24 32 48 64 128 256 512 1024; do
  rsvg-convert --width $size --height $size jackfield.svg --output jackfield-$size.png
done
convert jackfield-16.png jackfield-24.png jackfield-32.png jackfield-48.png jackfield-64.png jackfield-256.png jackfield.ico
python3 icns.py jackfield.icns
