#!/usr/bin/python3
"""Prints the seconds from the start of a window program until text is painted in its window.

    firstpaint.py PROGRAM [ARGUMENT...]

It looks at the pixels of the program's own X window (not at its frame) every few milliseconds: text is there when a band at the
top holds more than a handful of colours, which is what anti-aliased letters bring. Needs DISPLAY and python3-xlib.
"""
import os
import signal
import subprocess
import sys
import time

from Xlib import X, display, error

LIMIT = 30
COLOURS = 12


def windows(root, screen):
    listed = root.get_full_property(screen.intern_atom("_NET_CLIENT_LIST"), X.AnyPropertyType)
    return [screen.create_resource_object("window", number) for number in (listed.value if listed else [])]


def painted(window):
    size = window.get_geometry()
    image = window.get_image(0, 0, size.width, min(size.height, 240), X.ZPixmap, 0xFFFFFFFF)
    pixels = memoryview(image.data).cast("I")
    return len(set(pixels[::2])) > COLOURS


def measure(command):
    screen = display.Display()
    root = screen.screen().root
    before = {window.id for window in windows(root, screen)}
    started = time.monotonic()
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while time.monotonic() - started < LIMIT:
            for window in windows(root, screen):
                if window.id in before:
                    continue
                try:
                    if painted(window):
                        return time.monotonic() - started
                except (error.BadMatch, error.BadDrawable, error.BadWindow):
                    pass  # not mapped yet, or just gone
            time.sleep(0.004)
        raise SystemExit("nothing was painted in %d s by %s" % (LIMIT, command))
    finally:
        program.send_signal(signal.SIGTERM)
        try:
            program.wait(10)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


if __name__ == "__main__":
    if len(sys.argv) < 2 or "DISPLAY" not in os.environ:
        raise SystemExit(__doc__)
    print("%.4f" % measure(sys.argv[1:]))
