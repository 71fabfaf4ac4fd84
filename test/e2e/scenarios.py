#!/usr/bin/python3
"""The scenarios of the window test. Go starts each one on a screen of its own: scenarios.py NAME."""
import os
import signal
import sqlite3
import subprocess
import sys
import time

from desk import (
    Desk, alive, children, dump, enabled, eventually, fill, find, focus, keys, press, screenshot, seek, text, walk, windows_of,
)

def ready(window, name="Playground", timeout=60):
    """Waits until the row of a server says so."""
    return find(window, "table row", f"{name}, Ready", timeout)


def choose(window, tool):
    press(find(window, "list item", tool))
    find(window, "heading", tool)


def run(window):
    press(find(window, "push button", "Run"))


def shows(window, *wanted):
    """Waits until all of the words are somewhere in the window."""

    def there():
        have = text(window)
        return all(word in have for word in wanted)

    try:
        eventually(there, f"{wanted} in the window")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{text(window)}") from None


def form_entry(window):
    form = find(window, "form")
    return find(form, "entry")


def add(window, pasted, name):
    """Adds a server through the dialog."""
    press(find(window, "push button", "Add a server"))
    dialog = find(window, "dialog")
    field = eventually(lambda: next((n for n, _ in walk(dialog) if n.get_role_name() in ("entry", "text")), None), "the field to paste into")
    fill(field, pasted)
    button = eventually(lambda: seek(dialog, "push button", "Add server"), "the button to add")
    eventually(lambda: enabled(button), "the button to be of use")
    press(button)
    find(window, "table row", name)


def playground_call(desk):
    process, window = desk.open()
    ready(window)
    choose(window, "echo")
    fill(form_entry(window), "Hello from a real window")
    run(window)
    landmark = find(window, "landmark", "echo")
    eventually(lambda: text(landmark).count("Hello from a real window") >= 2, "the result beside the form")
    screenshot("window-light")
    status, took = desk.quit(process)
    assert status == 0, f"exit status {status}"
    assert took < 8, f"quitting took {took:.1f} s"


def ask_window(desk):
    process, window = desk.open()
    ready(window)
    choose(window, "ask_form")

    # A form that does not fit stays open and says where.
    run(window)
    prompt, pid = desk.prompt(process)
    fill(find(prompt, "entry", "Name"), "Ana")
    fill(find(prompt, "entry", "E-mail"), "ana@example")
    screenshot("prompt-light")
    press(find(prompt, "push button", "Accept"))
    time.sleep(2)
    assert alive(pid), "the window closed although the form does not fit"
    screenshot("prompt-invalid")
    fill(find(prompt, "entry", "E-mail"), "ana@example.com")
    press(next(n for n, _ in walk(prompt) if n.get_role_name() == "radio button" and n.get_name() == "Green"))
    press(find(prompt, "toggle button", "Olives"))
    press(find(prompt, "toggle button", "Mon"))
    press(find(prompt, "push button", "Accept"))
    eventually(lambda: not alive(pid), "the end of the prompt window")
    shows(window, "You accepted", "ana@example.com")
    screenshot("ask-accepted")

    run(window)
    prompt, pid = desk.prompt(process)
    press(find(prompt, "push button", "Decline"))
    eventually(lambda: not alive(pid), "the end of the prompt window")
    shows(window, "You declined")

    run(window)
    prompt, pid = desk.prompt(process)
    focus(find(prompt, "entry", "Name"))
    keys("Escape")
    eventually(lambda: not alive(pid), "the end of the prompt window")
    shows(window, "You cancelled")

    # Closing the window is Cancel, too.
    run(window)
    shows(window, "Running")
    prompt, pid = desk.prompt(process)
    focus(find(prompt, "entry", "Name"))
    keys("alt+F4")
    eventually(lambda: not alive(pid), "the end of the prompt window")
    shows(window, "You cancelled")
    assert desk.quit(process)[0] == 0


def ask_crash(desk):
    """A prompt window that is killed gives no answer: the question waits in the inbox."""
    process, window = desk.open()
    ready(window)
    choose(window, "ask_form")
    run(window)
    _, pid = desk.prompt(process)
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not alive(pid), "the end of the killed window")
    time.sleep(1)
    shows(window, "Running")
    if not seek(window, "push button", "Decline"):
        press(find(window, "push button", "Inbox"))
    decline = find(window, "push button", "Decline")
    screenshot("inbox")
    press(decline)
    shows(window, "You declined")
    assert desk.quit(process)[0] == 0


def ask_cancelled_call(desk):
    """A cancelled call takes its question's window with it."""
    process, window = desk.open()
    ready(window)
    choose(window, "ask_form")
    run(window)
    _, pid = desk.prompt(process)
    press(find(find(window, "landmark", "ask_form"), "push button", "Cancel"))
    eventually(lambda: not alive(pid), "the end of the prompt window")
    # Quitting while a question is open leaves none of its windows, either.
    run(window)
    _, pid = desk.prompt(process)
    status, took = desk.quit(process)
    assert status == 0 and not alive(pid) and took < 8, (status, took)


def ask_url(desk):
    """A page opens in the browser once the person agrees, and not before."""
    opened = os.path.join(desk.folder, "opened")
    browser = os.path.join(desk.folder, "browser")
    with open(browser, "w") as file:
        file.write(f'#!/bin/sh\necho "$1" >> {opened}\n')
    os.chmod(browser, 0o755)
    process, window = desk.open(BROWSER=browser)
    ready(window)
    choose(window, "ask_url")
    run(window)
    prompt, _ = desk.prompt(process)
    shows(prompt, "https://example.com/playground?visit=")
    screenshot("prompt-url")
    assert not os.path.exists(opened), "the page was opened before anyone agreed"
    press(find(prompt, "push button", "Open in browser"))
    # The shell makes the file before it writes the line.
    eventually(lambda: os.path.exists(opened) and os.path.getsize(opened) > 0, "the browser")
    with open(opened) as file:
        addresses = file.read().split()
    assert len(addresses) == 1 and addresses[0].startswith("https://example.com/playground?visit="), addresses
    landmark = find(window, "landmark", "ask_url")
    eventually(lambda: "Done" in text(landmark), "the end of the call")
    assert desk.quit(process)[0] == 0


def place(desk):
    """The window comes back where it was left, as large as it was left."""
    process, window = desk.open()
    ready(window)
    first = window_id(process)
    subprocess.run(["xdotool", "windowsize", "--sync", first, "1000", "640"], check=True)
    subprocess.run(["xdotool", "windowmove", "--sync", first, "220", "130"], check=True)
    left = geometry(first)
    assert "1000x640" in left, left
    screenshot("window-small")
    assert desk.quit(process)[0] == 0
    process, window = desk.open()
    ready(window)
    eventually(lambda: geometry(window_id(process)) == left, f"the window at {left}, it is at {geometry(window_id(process))}")
    assert desk.quit(process)[0] == 0


def window_id(process):
    search = ["xdotool", "search", "--onlyvisible", "--pid", str(process.pid), "--name", "Jackfield"]
    return subprocess.run(search, capture_output=True, text=True, check=True).stdout.split()[0]


def geometry(identifier):
    """Position and size, without the window's number."""
    lines = subprocess.run(["xdotool", "getwindowgeometry", identifier], capture_output=True, text=True, check=True).stdout
    return " ".join(lines.split()[2:])


def restart(desk):
    process, window = desk.open()
    ready(window)
    add(window, desk.command_line_server(), "jackfield")
    ready(window, "jackfield")
    screenshot("two-servers")
    focus(find(window, "entry", "Filter servers"))
    keys("alt+F4")
    below = children(process.pid)
    status = process.wait(15)
    assert status == 0, f"exit status {status}: {desk.logs()}"
    eventually(lambda: not [pid for pid in below if alive(pid)], f"the end of {below}", 5)
    process, window = desk.open()
    ready(window)
    ready(window, "jackfield")
    assert desk.quit(process)[0] == 0


def second_start(desk):
    first, window = desk.open()
    ready(window)
    identifier = window_id(first)
    subprocess.run(["xdotool", "windowminimize", identifier], check=True)
    eventually(lambda: active() != identifier, "the first window out of the way")
    second = desk.start()
    assert second.wait(20) == 0, desk.logs()
    eventually(lambda: active() == identifier, "the first window in front")
    assert first.poll() is None
    assert desk.quit(first)[0] == 0
    # A socket that a kill left behind is in nobody's way.
    first, window = desk.open()
    ready(window)
    first.kill()
    first.wait()
    third, window = desk.open()
    ready(window)
    assert desk.quit(third)[0] == 0


def active():
    return subprocess.run(["xdotool", "getactivewindow"], capture_output=True, text=True).stdout.strip()


def kill(desk):
    """kill -9 leaves no prompt window, and no server, not even one that another program started and that heeds nothing."""
    process, window = desk.open()
    ready(window)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stubborn.py")
    add(window, f"/usr/bin/python3 {script}", "stubborn")
    ready(window, "stubborn")
    press(find(window, "table row", "Playground"))
    choose(window, "ask_form")
    run(window)
    _, prompt = desk.prompt(process)
    below = children(process.pid)
    servers = [pid for pid, line in below.items() if "stubborn.py" in line]
    assert len(servers) == 2, below
    process.kill()
    process.wait()
    eventually(lambda: not alive(prompt), "the end of the prompt window")
    eventually(lambda: not [pid for pid in below if alive(pid)], f"the end of {below}")
    process, window = desk.open()
    ready(window)
    ready(window, "stubborn")
    assert desk.quit(process)[0] == 0
    eventually(lambda: not [pid for pid in below if alive(pid)], f"the end of {below}", 5)


def states(desk):
    """The dark window, a failed server, and the window without any server."""
    process, window = desk.open(GTK_THEME="Adwaita:dark")
    ready(window)
    choose(window, "show_content")
    run(window)
    time.sleep(2)
    screenshot("window-dark")
    choose(window, "ask_form")
    run(window)
    prompt, pid = desk.prompt(process)
    screenshot("prompt-dark")
    press(find(prompt, "push button", "Cancel"))
    eventually(lambda: not alive(pid), "the end of the prompt window")
    desk.quit(process)

    process, window = desk.open()
    ready(window)
    add(window, "/usr/bin/python3 -c 'import sys; print(\"no token\", file=sys.stderr); sys.exit(3)'", "python3")
    row = find(window, "table row", "python3")
    press(row)
    shows(window, "status 3")
    screenshot("error-light")
    for name in ("python3", "Playground"):
        press(find(window, "table row", name))
        press(find(window, ("combo box", "push button"), f"More actions for {name}"))
        press(find(window, "menu item", "Remove"))
        dialog = find(window, ("dialog", "alert"))
        press(find(dialog, "push button", "Remove"))
        eventually(lambda: not seek(window, "table row", name), f"the removal of {name}")
    screenshot("empty-light")
    assert desk.quit(process)[0] == 0
    # A removed Playground stays removed.
    process, window = desk.open()
    find(window, "push button", "Add a server")
    time.sleep(1)
    assert not seek(window, "table row", "Playground"), dump(window)
    assert desk.quit(process)[0] == 0


def message(process):
    """The native message of a program that can not start."""
    return eventually(
        lambda: (window := windows_of(process.pid)) and seek(window, ("alert", "dialog"), None), "the native message"
    )


def damaged(desk):
    """A damaged file is offered to be set aside, and is never lost."""
    os.makedirs(desk.data, mode=0o700)
    path = os.path.join(desk.data, "jackfield.db")
    with open(path, "wb") as file:
        file.write(b"this is no database " * 500)
    process = desk.start()
    dialog = message(process)
    screenshot("damaged")
    assert "damaged" in text(dialog), text(dialog)
    press(find(dialog, "push button", "No"))
    assert process.wait(15) == 1, desk.logs()
    with open(path, "rb") as file:
        assert file.read().startswith(b"this is no database"), "the file was changed"
    process = desk.start()
    press(find(message(process), "push button", "Yes"))
    eventually(lambda: (window := windows_of(process.pid)) and seek(window, "table row", "Playground, Ready"), "the Playground")
    kept = [name for name in os.listdir(desk.data) if name.startswith("jackfield-aside-")]
    assert any(open(os.path.join(desk.data, name), "rb").read().startswith(b"this is no database") for name in kept), kept
    assert desk.quit(process)[0] == 0


def newer(desk):
    """Data of a newer version are left as they are."""
    process, window = desk.open()
    ready(window)
    assert desk.quit(process)[0] == 0
    path = os.path.join(desk.data, "jackfield.db")
    connection = sqlite3.connect(path)
    table = next(row[0] for row in connection.execute("select name from sqlite_master where name like '%version%'"))
    connection.execute(f"insert into {table}(version_id, is_applied) values (99999, 1)")
    connection.commit()
    connection.close()
    before = open(path, "rb").read()
    process = desk.start()
    dialog = message(process)
    screenshot("newer")
    assert "newer version" in text(dialog), text(dialog)
    press(find(dialog, "push button", None))
    assert process.wait(15) == 1, desk.logs()
    assert open(path, "rb").read() == before, "the file was changed"


def main(known):
    desk = Desk()
    try:
        known[sys.argv[1]](desk)
    except BaseException:
        screenshot(f"failed-{sys.argv[1]}")
        print(desk.logs(), file=sys.stderr)
        raise
    finally:
        desk.close()


if __name__ == "__main__":
    main(globals())
