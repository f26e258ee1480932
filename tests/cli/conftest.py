"""A command line at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.__main__ import main
from tests.cli.command_line import Command, Said


@pytest.fixture
def companion(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """The command `companion`, with games in a folder of this test."""

    def run(*words: str) -> Said:
        capsys.readouterr()
        code = main(["--set", f"storage.folder={tmp_path / 'games'}", *words])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return Said(code, said.out, said.err)

    return run
