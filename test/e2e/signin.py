#!/usr/bin/python3
"""The scenarios of signing in: signin.py NAME. The servers are Go's; the browser is a real Chromium on the same screen."""
import os
import shlex
import signal
import subprocess
import time

from desk import alive, eventually, find, press, screenshot, seek
from scenarios import add, main, ready

HANDLER = "x-scheme-handler/jackfield"


def usual(desk):
    """An environment in which the data directory of the desk is the usual one: links are for the program on that one only."""
    return {"JACKFIELD_DATA_DIR": desk.data}


def browser(desk):
    """A program for BROWSER. Chromium shows the page of Go's that goes on to where it was sent, as the person would with a click; its
    profile says that this page may open links of jackfield, which a person would be asked for."""
    profile = os.environ["E2E_PROFILE"]
    script = os.path.join(desk.folder, "browser")
    start = os.environ["E2E_START"]
    with open(script, "w") as file:
        file.write(
            "#!/bin/sh\n"
            f'echo "$1" >> {shlex.quote(os.path.join(desk.folder, "opened"))}\n'
            f"echo $$ > {shlex.quote(os.path.join(desk.folder, 'browser.pid'))}\n"
            'to=$(/usr/bin/python3 -c "import sys, urllib.parse; print(urllib.parse.quote(sys.argv[1], safe=str()))" "$1")\n'
            f"exec chromium --no-sandbox --disable-gpu --no-first-run --password-store=basic --user-data-dir={shlex.quote(profile)}"
            f' "{start}?to=$to"\n'
        )
    os.chmod(script, 0o755)
    return {"BROWSER": script}


def opened(desk):
    try:
        with open(os.path.join(desk.folder, "opened")) as file:
            return file.read().split()
    except FileNotFoundError:
        return []


def handler():
    """The desktop entry that gets links of jackfield."""
    return subprocess.run(["xdg-mime", "query", "default", HANDLER], capture_output=True, text=True).stdout.strip()


def close_browser(desk):
    with open(os.path.join(desk.folder, "browser.pid")) as file:
        pid = int(file.read())
    if alive(pid):
        os.kill(pid, signal.SIGTERM)
    eventually(lambda: not alive(pid), "the end of the browser")


def allow(redirect):
    """One click in the browser."""
    search = ["xdotool", "search", "--onlyvisible", "--name", "Permission"]
    page = eventually(lambda: subprocess.run(search, capture_output=True, text=True).stdout.split(), "the browser")[0]
    time.sleep(1)  # what is just shown takes no click yet
    screenshot(f"signin-browser-{redirect}")
    subprocess.run(["xdotool", "mousemove", "--window", page, "400", "500", "click", "1"], check=True)


def sign_in(desk, window, redirect):
    """Adds the server, signs in with one click, and waits until it is ready."""
    add(window, os.environ["E2E_SERVER"], os.environ["E2E_NAME"])
    button = find(window, "push button", "Sign in")
    screenshot(f"signin-needed-{redirect}")
    assert not opened(desk), "the browser was opened before anyone asked"
    press(button)
    time.sleep(1)
    go_on = seek(window, "push button", "Continue")
    if go_on:  # the authorization server is on another host
        screenshot(f"signin-confirm-{redirect}")
        press(go_on)
    allow(redirect)
    ready(window, os.environ["E2E_NAME"], 20)
    screenshot(f"signin-ready-{redirect}")
    addresses = opened(desk)
    assert len(addresses) == 1, f"the browser was opened {len(addresses)} times"
    close_browser(desk)
    assert "code=" not in addresses[0], "there was a code before there was a sign-in"


def by_link(desk):
    """The browser hands the answer to the system, the system to a second process of the program, that one to the first."""
    process, window = desk.open(**usual(desk), **browser(desk))
    ready(window)
    eventually(handler, "the registration of the scheme")
    sign_in(desk, window, "scheme")
    assert desk.quit(process)[0] == 0


def without_scheme(desk):
    """Nobody gets links of jackfield: the answer comes to this computer's own address."""
    process, window = desk.open(**usual(desk), **browser(desk))
    ready(window)
    entry = eventually(handler, "the registration of the scheme")
    os.remove(os.path.join(os.environ["XDG_DATA_HOME"], "applications", entry))
    subprocess.run(["update-desktop-database", os.path.join(os.environ["XDG_DATA_HOME"], "applications")], check=True)
    assert not handler(), handler()
    sign_in(desk, window, "loopback")
    assert desk.quit(process)[0] == 0


if __name__ == "__main__":
    main(globals())
