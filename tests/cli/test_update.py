"""Updating from the command line: looked at by anybody, installed by root and only what is named."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from companion.cli import update
from companion.system import update_install
from companion.system.bundle import CHECKSUM_FILE, OWNER_KEY_FILE
from hardware import buttons
from hardware.errors import GpioMissingError
from tests.cli.command_line import Command

pytestmark = pytest.mark.skipif(
    Path("/", OWNER_KEY_FILE).exists() or not hasattr(os, "geteuid"), reason="a table of its own"
)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    place = tmp_path / "bundle"
    (place / "wheels").mkdir(parents=True)
    names = ("RELEASE", "install.sh", "wheels/table_companion-0.2.0-py3-none-any.whl")
    for name in names:
        (place / name).write_text(name)
    lines = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in names]
    (place / CHECKSUM_FILE).write_text("".join(lines))
    return place


def digest_of(bundle: Path) -> str:
    return hashlib.sha256((bundle / CHECKSUM_FILE).read_bytes()).hexdigest()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was handed to the installer, by root."""
    found: list[tuple[str, str]] = []

    def install(folder: Path, asked: str) -> str:
        found.append((folder.name, asked))
        return "0.2.0"

    monkeypatch.setattr(update_install, "install_bundle", install)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return found


def test_a_bundle_is_shown_with_its_digest_and_what_installs_it(
    companion: Command, bundle: Path, installed: Sequence[object]
) -> None:
    said = companion("update", str(bundle))
    assert said.code == 0
    assert said.out.startswith(f"Version 0.2.0 in {bundle}\n")
    assert f"sudo companion update {bundle} --digest {digest_of(bundle)}\n" in said.out
    assert "compare the digest" in said.out
    assert not installed


def test_the_named_digest_is_the_yes(
    companion: Command, bundle: Path, installed: Sequence[tuple[str, str]]
) -> None:
    said = companion("update", str(bundle), "--digest", digest_of(bundle).upper())
    assert said.code == 0
    assert installed == [("bundle", f"agreed-{digest_of(bundle)}")]
    assert said.out.endswith("Version 0.2.0 is in place.\n")


def test_another_digest_is_no_yes(companion: Command, bundle: Path, installed: Sequence[object]) -> None:
    said = companion("update", str(bundle), "--digest", "0" * 64)
    assert said.code == 2
    assert "another digest" in said.err
    assert not installed


@pytest.mark.parametrize("words", [("--back",), ("--asked", "agreed-0"), ("--digest", "0" * 64)])
def test_who_is_not_root_is_told_to_use_sudo(
    companion: Command, monkeypatch: pytest.MonkeyPatch, words: Sequence[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said = companion("update", *words)
    assert said.code == 2
    assert "sudo" in said.err


def test_a_folder_without_a_bundle_is_refused_in_a_sentence(companion: Command, tmp_path: Path) -> None:
    said = companion("update", str(tmp_path))
    assert said.code == 1
    assert "holds no bundle" in said.err


def test_broken_settings_do_not_keep_the_old_version_from_coming_back(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.toml").write_text("[[[")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(update_install, "restore_previous", lambda: "0.1.0")
    said = companion("--settings", str(tmp_path / "broken.toml"), "update", "--back")
    assert (said.code, said.out.partition(" is")[0]) == (0, "Version 0.1.0")


@pytest.mark.parametrize(
    ("screen", "in_front", "asked"),
    [
        ("tty1", "tty1\n", True),
        ("tty1", "tty2\n", False),
        ("none/tty1", "tty1\n", False),
        ("tty1", None, False),
    ],
)
def test_the_button_counts_only_while_root_says_on_the_screen_what_it_is_held_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, screen: str, in_front: str | None, asked: bool
) -> None:
    """Who has the table's user can put another console in front before the table is stopped."""
    monkeypatch.setattr(update, "CONSOLE_DEVICE", tmp_path / screen)
    monkeypatch.setattr(update, "IN_FRONT", tmp_path / "active")
    if in_front is not None:
        (tmp_path / "active").write_text(in_front)
    read: list[str] = []

    def ok_is_held(*_: object) -> bool:
        read.append((tmp_path / screen).read_text())
        return True

    monkeypatch.setattr(buttons, "is_ok_button_held", ok_is_held)
    assert update._is_ok_held("Table companion 0.2.0") == asked
    assert ["Table companion 0.2.0" in words for words in read] == [True] * asked


def test_of_a_tree_that_is_only_put_together_nobody_says_that_it_has_no_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package in an image would leave a table with a button where the PIN alone is enough."""

    def none(chip: int | None) -> None:
        raise GpioMissingError("no pins here")

    monkeypatch.setattr(buttons, "open_pin_factory", none)
    monkeypatch.setattr(update, "RUNNING", tmp_path)
    assert not update._has_pins()
    monkeypatch.setattr(update, "RUNNING", tmp_path / "none")
    assert update._has_pins()
