"""`companion page`: what it says where something is missing or wrong."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from companion.__main__ import main
from companion.core.errors import EXIT_PORT_TAKEN
from companion.network.web import serve
from companion.system.extras import LIBRARIES, install_command

WITHOUT = f"""
import sys
for name in {LIBRARIES["page"]!r}:
    sys.modules[name] = None
from importlib import util
known = util.find_spec
util.find_spec = lambda name, *more: None if name in {LIBRARIES["page"]!r} else known(name, *more)
from companion.__main__ import main
sys.exit(main(["page", "--simulate"]))
"""


def test_without_its_libraries_one_sentence_names_the_command_that_adds_them() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"companion: this needs the library anyio: {install_command('page')}\n"


@pytest.mark.parametrize("library", LIBRARIES["page"])
def test_the_table_imports_none_of_the_pages_libraries(library: str) -> None:
    asked = "import sys, companion.programs.play, companion.programs.run_table"
    asked += f"; sys.exit({library!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "there is no port 70000"),
        (["kinapa"], "GAME and --seats are for simulated people"),
        (["--simulate", "chess"], "chess"),
        (["--certificate", "table.crt"], "--certificate and --key belong together"),
        (["--certificate", "/no.crt", "--key", "/no.key"], "there is no file /no.crt"),
        (["--certificate", __file__, "--key", __file__], "is no certificate that goes with the key"),
        (["--simulate", "kinapa", "--seats", "99"], "99"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["page", *words]) != 0
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1


def test_without_a_network_it_is_said_that_only_this_computer_watches(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for address, alone in (("127.0.0.1", True), ("192.168.1.5", False)):
        serve._print_addresses(address, 8420, "012345", "0" * 32)
        assert ("Only this computer" in capsys.readouterr().out) is alone


def test_a_port_that_is_taken_is_named_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert (
            main(["page", "--host", "127.0.0.1", "--port", str(port), "--socket", "/nowhere"])
            == EXIT_PORT_TAKEN
        )
    assert f"can't serve at 127.0.0.1:{port}" in capsys.readouterr().err
