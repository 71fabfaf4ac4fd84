#!/usr/bin/python3
"""The scenarios of links that propose a server: links.py NAME."""
import os
import subprocess
import time

from desk import eventually, find, press, screenshot, seek, text
from scenarios import main, ready
from signin import usual

LINK = "jackfield://add?name=Linked&command=/usr/bin/touch&arg={0}"


def start(desk, marker, bus=True):
    """Starts the program as the system does for a link: with nothing but the link. Without a bus it may be in a bare session."""
    environment = {**os.environ, **usual(desk)}
    if not bus:
        environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
        environment["XDG_RUNTIME_DIR"] = os.path.join(desk.folder, "no-runtime-dir")
    with open(os.path.join(desk.folder, f"link-{len(desk.running)}.log"), "w") as log:
        process = subprocess.Popen([desk.binary, LINK.format(marker)], stdout=log, stderr=subprocess.STDOUT, env=environment)
    desk.running.append(process)
    return process


def reviewed(window, marker):
    """What the link proposes is shown whole, and nothing of it has happened."""
    dialog = find(window, ("dialog", "alert"), "A link wants to add a server")
    eventually(lambda: marker in text(dialog), "the whole command")
    time.sleep(2)
    assert not os.path.exists(marker), "the command of a link ran before anyone agreed"
    assert not seek(window, "table row", "Linked"), "the server of a link was added before anyone agreed"
    return dialog


def cold(desk):
    marker = os.path.join(desk.folder, "ran")
    process = start(desk, marker)
    window = desk.window(process)
    dialog = reviewed(window, marker)
    screenshot("link-review")
    press(find(dialog, "push button", "Cancel"))
    eventually(lambda: not seek(window, ("dialog", "alert"), "A link wants to add a server"), "the end of the dialog")
    assert not seek(window, "table row", "Linked")
    assert desk.quit(process)[0] == 0


def second(desk):
    marker = os.path.join(desk.folder, "ran")
    process, window = desk.open(**usual(desk))
    ready(window)
    # The hand-over needs no D-Bus.
    later = start(desk, marker, bus=False)
    assert later.wait(20) == 0, desk.logs()
    dialog = reviewed(window, marker)
    assert process.poll() is None
    press(find(dialog, "push button", "Add, disabled"))
    eventually(lambda: not seek(window, ("dialog", "alert"), "A link wants to add a server"), "the end of the dialog")
    time.sleep(2)
    assert not os.path.exists(marker), "the command of a link ran without an approval"
    screenshot("link-added")
    assert desk.quit(process)[0] == 0


if __name__ == "__main__":
    main(globals())
