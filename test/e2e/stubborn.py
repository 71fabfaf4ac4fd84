#!/usr/bin/python3
"""A server that answers the handshake, but ends neither with its input nor with SIGTERM. As npx and uvx do, it is a program that starts another."""
import json
import signal
import subprocess
import sys
import time

if len(sys.argv) == 1:
    sys.exit(subprocess.call([sys.executable, __file__, "inner"]))
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    message = json.loads(line)
    method, reply = message.get("method"), {"jsonrpc": "2.0", "id": message.get("id")}
    if "id" not in message:
        continue
    if method == "initialize":
        reply["result"] = {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "stubborn", "version": "1"},
        }
    elif method == "tools/list":
        reply["result"] = {"tools": []}
    elif method == "ping":
        reply["result"] = {}
    else:
        reply["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(reply), flush=True)
while True:
    time.sleep(60)
