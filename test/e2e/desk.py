"""Starts the real program and drives it as a person would, through the accessibility tree (AT-SPI) and the keyboard.

Only for a screen of its own (build/screen.sh): it types with xdotool. Everything that a Desk starts is ended by its pid.
"""
import os
import signal
import subprocess
import time
import warnings

import gi

gi.require_version("Atspi", "2.0")
warnings.simplefilter("ignore", DeprecationWarning)
from gi.repository import Atspi, GLib  # noqa: E402

# An answer may be late on a busy machine, and a press must not be repeated.
Atspi.set_timeout(15000, 30000)

PATIENCE = float(os.environ.get("E2E_PATIENCE", "45"))


def eventually(probe, what, timeout=PATIENCE):
    """Calls probe until it returns something true. Nodes vanish while a page changes; that counts as not yet."""
    end = time.monotonic() + timeout
    problem = None
    while time.monotonic() < end:
        try:
            found = probe()
            if found:
                return found
        except GLib.Error as error:
            problem = error
        time.sleep(0.15)
    raise AssertionError(f"{what} did not happen within {timeout:.0f} s ({problem})")


def walk(node, depth=0):
    yield node, depth
    if depth > 60:
        return
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child is not None:
            yield from walk(child, depth + 1)


def text(node):
    """All text below a node, as it is read out."""
    parts = []
    for child, _ in walk(node):
        interface = child.get_text_iface()
        if interface:
            part = Atspi.Text.get_text(interface, 0, -1).replace("\ufffc", "").strip()
            if part:
                parts.append(part)
        elif child.get_name():
            parts.append(child.get_name())
    return "\n".join(parts)


def dump(node):
    lines = []
    for child, depth in walk(node):
        states = child.get_state_set()
        marks = "".join(
            mark
            for mark, state in (("*", Atspi.StateType.FOCUSED), ("!", Atspi.StateType.INVALID_ENTRY))
            if states.contains(state)
        )
        lines.append(f"{'  ' * depth}{child.get_role_name()} {child.get_name()!r}{marks}")
    return "\n".join(lines)


def windows_of(pid):
    """The accessible application of a process, or None."""
    desktop = Atspi.get_desktop(0)
    for index in reversed(range(desktop.get_child_count())):
        application = desktop.get_child_at_index(index)
        # One without windows is what a process left behind that replaced itself.
        if application and application.get_process_id() == pid and application.get_child_count() > 0:
            return application
    return None


def enabled(node):
    return node.get_state_set().contains(Atspi.StateType.SENSITIVE)


def seek(root, role, name):
    """The first node with the role whose name is, or begins with, the wanted one."""
    roles = (role,) if isinstance(role, str) else role
    best = None
    for node, _ in walk(root):
        if node.get_role_name() not in roles:
            continue
        label = node.get_name() or ""
        if name is None or label == name:
            return node
        if best is None and label.startswith(name):
            best = node
    return best


def find(root, role, name=None, timeout=PATIENCE):
    try:
        return eventually(lambda: seek(root, role, name), f"{role} {name!r}", timeout)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{dump(root)}") from None


def press(node):
    """Does what a click does."""
    assert node.get_action_iface() is not None, f"{node.get_role_name()} {node.get_name()!r} can not be pressed"
    assert Atspi.Action.do_action(node.get_action_iface(), 0)


def focus(node):
    """Focuses a control, and makes sure that the keyboard really goes there."""

    def focused():
        Atspi.Component.grab_focus(node.get_component_iface())
        time.sleep(0.1)
        return node.get_state_set().contains(Atspi.StateType.FOCUSED)

    eventually(focused, f"focus on {node.get_name()!r}")


def keys(*names):
    subprocess.run(["xdotool", "key", "--clearmodifiers", *names], check=True)


def write(value):
    subprocess.run(["xdotool", "type", "--clearmodifiers", "--delay", "8", value], check=True)


def fill(node, value):
    """Types into a field, and waits until all of it has arrived."""
    focus(node)
    keys("ctrl+a")
    write(value)
    eventually(lambda: text(node).strip() == value, f"{value!r} in {node.get_name()!r}")


def screenshot(name):
    folder = os.environ["E2E_SHOTS"]
    os.makedirs(folder, exist_ok=True)
    time.sleep(0.5)  # what was just changed has to be painted
    subprocess.run(["import", "-window", "root", os.path.join(folder, name + ".png")], check=True)


def children(pid):
    """Processes below a process, from /proc, with their command lines."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue  # ended meanwhile
    below, todo = {}, [pid]
    while todo:
        current = todo.pop()
        for child, parent in parents.items():
            if parent == current:
                below[child] = command_line(child)
                todo.append(child)
    return below


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Desk:
    """One data directory and the programs on it."""

    def __init__(self):
        self.folder = os.environ["E2E_FOLDER"]
        self.binary = os.environ["E2E_BINARY"]
        self.data = os.path.join(self.folder, "data")
        self.running = []

    def command_line_server(self):
        """A server as a command: the command line's own Playground."""
        program = os.path.join(os.path.dirname(self.binary), "jackfield")
        return f"{program} --data-dir {self.folder}/other playground --stdio"

    def start(self, *arguments, **environment):
        log = open(os.path.join(self.folder, f"desktop-{len(self.running)}.log"), "w")
        process = subprocess.Popen(
            [self.binary, "--data-dir", self.data, *arguments],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
        )
        log.close()
        self.running.append(process)
        return process

    def window(self, process):
        """The accessible main window."""

        def there():
            assert process.poll() is None, f"the program ended with {process.poll()}: {self.logs()}"
            return windows_of(process.pid)

        return eventually(there, "the window")

    def open(self, *arguments, **environment):
        process = self.start(*arguments, **environment)
        return process, self.window(process)

    def quit(self, process, how=signal.SIGTERM, within=12):
        """Ends the program and says how long that took. Nothing of it may be left."""
        below = children(process.pid)
        started = time.monotonic()
        process.send_signal(how)
        try:
            status = process.wait(within)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)
            raise AssertionError(f"it still runs {within} s after the signal: {self.logs()}") from None
        took = time.monotonic() - started
        eventually(lambda: not [pid for pid in below if alive(pid)], f"the end of all of {below}", 5)
        return status, took

    def prompt(self, process):
        """The accessible prompt window of a running program, and its pid."""

        def there():
            for pid, line in children(process.pid).items():
                if line.endswith("--prompt"):
                    window = windows_of(pid)
                    if window and seek(window, "push button", "Decline"):
                        return window, pid
            return None

        return eventually(there, "the prompt window")

    def logs(self):
        parts = []
        for name in sorted(os.listdir(self.folder)) + [os.path.join("data", "jackfield.log")]:
            path = os.path.join(self.folder, name)
            if name.endswith(".log") and os.path.exists(path):
                with open(path, errors="replace") as file:
                    parts.append(f"--- {name}\n{file.read()[-6000:]}")
        return "\n".join(parts)

    def close(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()
