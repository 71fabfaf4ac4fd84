"""Writes an Apple icon file from the PNGs beside it: a header, then one typed and counted entry per size."""
import struct
import sys

# Types that take PNG data, by pixel size; @2x entries repeat the next larger picture.
ENTRIES = [
    (b"icp4", 16), (b"icp5", 32), (b"icp6", 64), (b"ic07", 128), (b"ic08", 256), (b"ic09", 512), (b"ic10", 1024),
    (b"ic11", 32), (b"ic12", 64), (b"ic13", 256), (b"ic14", 512),
]
body = b""
for kind, size in ENTRIES:
    with open(f"jackfield-{size}.png", "rb") as file:
        data = file.read()
    body += kind + struct.pack(">I", len(data) + 8) + data
with open(sys.argv[1], "wb") as file:
    file.write(b"icns" + struct.pack(">I", len(body) + 8) + body)
