"""`companion desk`: what it says where something is missing or wrong, and the first login."""

from __future__ import annotations

import re
import signal
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.core.errors import EXIT_INTERRUPTED, EXIT_PORT_TAKEN
from companion.system.extras import CLUB_PACKAGE, install_command
from companion_club.cli import LIBRARIES
from companion_club.desk import accounts, serve
from tests.outside_programs import needs
from tests.processes import running

WITHOUT = f"""
import sys
for name in {LIBRARIES!r}:
    sys.modules[name] = None
from importlib import util
known = util.find_spec
util.find_spec = lambda name, *more: None if name in {LIBRARIES!r} else known(name, *more)
from companion.__main__ import main
sys.exit(main(["desk", "--simulate"]))
"""


def test_without_its_libraries_one_sentence_names_the_command_that_adds_them() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    command = install_command("hub", package=CLUB_PACKAGE)
    assert done.stderr == f"companion: this needs the library anyio: {command}\n"


def test_the_table_imports_none_of_the_desks_libraries() -> None:
    libraries = {*LIBRARIES, "psycopg"}
    asked = (
        "import sys, companion.programs.play, companion.programs.run_table; "
        f"print(sorted({libraries!r} & {{*sys.modules}}))"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "there is no port 70000"),
        (["--by-hand"], "--by-hand and --game are for simulated tables"),
        (["--simulate", "0"], "one laptop simulates 1 to 60 tables"),
        (["--simulate", "3", "--speed", "0"], "--speed is how many times as fast"),
        (["--simulate", "3", "--game", "chess"], "chess"),
        (["--database", "mysql://club", "--password", "desk"], "mysql://… is no database for a club"),
        (["--certificate", "/nowhere.pem"], "there is no file /nowhere.pem"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = (
        []
        if "--database" in words or "--simulate" in words
        else ["--database", str(tmp_path / "club.sqlite")]
    )
    assert main(["desk", *kept, *words]) != 0
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1


def test_a_port_that_is_taken_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["desk", "--database", str(tmp_path / "club.sqlite"), "--port", port]) == EXIT_PORT_TAKEN
    assert f"can't serve at 127.0.0.1:{port}" in (told := capsys.readouterr().err)
    assert "is the desk running already?" in told


def test_a_password_that_is_lost_is_set_again_by_whoever_has_the_computer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = str(tmp_path / "club.sqlite")
    assert main(["desk", "--database", where, "--password", "desk"]) == 0
    assert "Log in as desk with the password" in capsys.readouterr().out, "the first one is made"
    assert main(["desk", "--database", where, "--password", "Olga"]) != 0
    assert "here is no login 'Olga'; there are: desk." in capsys.readouterr().err
    made = serve.open_desk(where)
    with made.reading_sessions() as session:
        assert accounts.role_of(session, "desk") == accounts.DESK
    with made.writing_sessions.begin() as session:
        first = accounts.new_login(session, "Olga", accounts.JUDGE)
    assert main(["desk", "--database", where, "--password", "olga"]) == 0
    found = re.search(r"with the password (\S+)", capsys.readouterr().out)
    assert found
    with made.reading_sessions() as session:
        kept = accounts.password_hash_of(session, "Olga")
        assert accounts.role_of(session, "Olga") == accounts.JUDGE
    assert accounts.verify_password(kept, found[1])
    assert not accounts.verify_password(kept, first)
    made.engine.dispose()


@needs("openssl")
@pytest.mark.slow
def test_stopped_while_a_browser_is_open_it_says_nothing_more(checkout: Path, tmp_path: Path) -> None:
    """The browser has a stream and a connection that it keeps, both by TLS, and answers no goodbye."""
    made = [str(checkout / "club" / "systemd" / "certificate.sh"), "127.0.0.1", str(tmp_path)]
    subprocess.run(made, check=True, capture_output=True)
    words = ["--database", str(tmp_path / "club.sqlite"), "--port", "0"]
    words += ["--certificate", str(tmp_path / "server.crt"), "--key", str(tmp_path / "server.key")]
    program = (
        "import runpy, signal;"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"  # ignored in a background job
        "runpy.run_module('companion', run_name='__main__')"
    )
    with running(
        [sys.executable, "-c", program, "desk", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as desk:
        assert desk.stdout is not None
        found = re.search(r"https://[^:]+:(\d+)/", desk.stdout.readline())
        assert found
        trust = ssl.create_default_context(cafile=str(tmp_path / "ca.crt"))
        with socket.create_connection(("127.0.0.1", int(found[1]))) as plain:
            browser = trust.wrap_socket(plain, server_hostname="127.0.0.1", suppress_ragged_eofs=True)
            browser.sendall(f"GET /login HTTP/1.1\r\nHost: 127.0.0.1:{found[1]}\r\n\r\n".encode())
            assert browser.recv(8) == b"HTTP/1.1"
            desk.send_signal(signal.SIGINT)
            _, said = desk.communicate(timeout=60)
            browser.close()
    assert (desk.returncode, said) == (EXIT_INTERRUPTED, "")


def asked_by_proxy(port: int, forwarded: str) -> bytes:
    """The first line of the desk's answer to somebody for whom this computer speaks."""
    with socket.create_connection(("127.0.0.1", port)) as browser:
        heads = f"Host: desk.club.example\r\nX-Forwarded-For: {forwarded}\r\nX-Forwarded-Proto: https"
        browser.sendall(f"GET /login HTTP/1.1\r\n{heads}\r\nConnection: close\r\n\r\n".encode())
        return browser.recv(64).partition(b"\r\n")[0]


@pytest.mark.parametrize("trusted", [True, False])
def test_a_proxy_is_believed_where_it_is_named(tmp_path: Path, trusted: bool) -> None:
    words = ["--database", str(tmp_path / "club.sqlite"), "--port", "0"]
    words += ["--proxy", "127.0.0.1"] if trusted else []
    program = [sys.executable, "-m", "companion", "desk", *words]
    with running(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as desk:
        assert desk.stdout is not None
        found = re.search(r"http://[^:]+:(\d+)/", desk.stdout.readline())
        assert found
        port = int(found[1])
        near, far = asked_by_proxy(port, "192.168.1.9"), asked_by_proxy(port, "8.8.8.8")
        assert near == (b"HTTP/1.1 200 OK" if trusted else b"HTTP/1.1 403 Forbidden")
        assert far == b"HTTP/1.1 403 Forbidden"
