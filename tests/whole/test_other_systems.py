"""Windows and macOS as far as they can be had here: what only POSIX or Linux has is taken away.

The systems themselves are in the hosted CI's file, where nothing of ours has run yet.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system itself is tried"),
]

ELSEWHERE = """
import os, select, shutil, signal, socket, sys, types
import platformdirs, numpy, pygame, cv2  # libraries look at the system while they load: these know others
import subprocess, tempfile, uuid, webbrowser

system = sys.argv.pop(1)
modules = ["gpiod", "lgpio", "picamera2", "libcamera", "evdev"]
gone = {
    os: ["posix_fadvise", "posix_fallocate", "sched_getaffinity", "sched_setscheduler"],
    socket: ["SOCK_CLOEXEC", "AF_NETLINK"],
    select: ["epoll"],
}
if system == "win32":
    modules += ["fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "syslog", "readline", "curses"]
    gone[os] += ["geteuid", "getuid", "getgid", "getegid", "getgroups", "fork", "chown", "fchown", "fchmod"]
    gone[os] += ["mkfifo", "mknod", "setsid", "killpg", "getpgid", "uname", "getloadavg", "nice", "sysconf"]
    gone[os] += ["O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "pread", "pwrite"]
    gone[socket] += ["AF_UNIX"]
    gone[signal] = ["SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGQUIT", "SIGCHLD", "setitimer"]
    locks = types.ModuleType("msvcrt")
    locks.LK_NBLCK, locks.locking = 2, lambda descriptor, how, size: None
    sys.modules["msvcrt"] = locks
    # What newer Pythons ask of Windows itself; and nothing there opens a file beside an open folder.
    shutil._winapi = types.SimpleNamespace(NeedCurrentDirectoryForExePath=lambda name: False)
    shutil._use_fd_functions = False
for name in modules:
    sys.modules[name] = None
for module, names in gone.items():
    for name in names:
        delattr(module, name)
sys.platform = system
from companion.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def run(system: str, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    here = {**os.environ, "HOME": str(home), "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    return subprocess.run(
        [sys.executable, "-c", ELSEWHERE, system, *words],
        capture_output=True, text=True, check=False, timeout=300, env=here, cwd=home,
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_a_demo_is_played_to_its_end_and_doctor_sends_nobody_to_apt(system: str, tmp_path: Path) -> None:
    played = run(system, tmp_path, "demo", "kobayakawa", "--fast", "--seed", "3")
    assert played.returncode == 0, played.stderr
    assert "Won by chair" in played.stdout
    looked = run(system, tmp_path, "doctor")
    assert "couldn't be checked" not in looked.stdout, looked.stdout
    assert "apt" not in looked.stdout.split(), looked.stdout


def test_where_no_window_opens_it_is_one_sentence(tmp_path: Path) -> None:
    here = {**os.environ, "HOME": str(tmp_path), "SDL_VIDEODRIVER": "cocoa", "SDL_AUDIODRIVER": "dummy"}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, "darwin", "practice", "dnup"],
        capture_output=True, text=True, check=False, timeout=300, env=here, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("companion: ")]
    assert "needs a screen" in sentence
    assert "Traceback" not in done.stderr
