"""`companion uplink` as a process: killed, stopped, and beside a table that comes and goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from club.tests.uplink.club_tables import ClubListener, journal_of, told_all, version
from companion.programs.store_responder import load_store_keys
from companion_club import messages as club
from companion_club.cli import LIBRARIES
from tests.home.played import GAME, played
from tests.home.servers import Broker
from tests.home.uplinked_tables import LONGEST_S, Command, Said, Table, offline, online
from tests.processes import running


def test_a_killed_uplink_goes_on_where_the_broker_is_and_a_stopped_one_says_goodbye(
    table: Table, listener: ClubListener
) -> None:
    for seed in range(4):
        played(table.path, seed=seed)
    first = Command(table)
    heard = listener.until(online)
    run = heard[-1].read().run
    heard += listener.until(lambda said: said.kind == "result")
    first.end(signal.SIGKILL)
    second = Command(table)  # the first may have told all before it was killed: it is heard that this one did
    heard += listener.until(lambda said: told_all(4)(said) and said.read().run != run)
    results = [version(one.read()) for one in heard if one.kind == "result"]
    assert len(set(results)) == 4, "none is lost, and what came twice is the same version"
    for game, entries, _ in set(results):
        assert journal_of(heard, game).count(b"\n") == entries + 1
    code, said = second.end(signal.SIGTERM)
    assert code == 0, said
    assert "home/table at 127.0.0.1" in said
    assert "hears this table" in said
    listener.until(offline)


def test_a_table_that_was_restarted_is_found_again(table: Table, listener: ClubListener) -> None:
    command = Command(table)
    listener.until(online)
    table.restart()
    listener.until(offline)
    listener.until(online)
    table.play()
    listener.until(told_all(1))
    assert command.end(signal.SIGINT)[0] == 0


def shows_game(said: Said) -> bool:
    return said.kind == "view" and said.read().game == GAME


@pytest.mark.slow
def test_a_table_at_home_starts_its_uplink_and_both_say_goodbye(
    own: Broker, listener: ClubListener, tmp_path: Path
) -> None:
    """`companion play` with a broker in its settings, as somebody starts it at a laptop."""
    file = tmp_path / "settings.toml"
    file.write_text(
        f'[club]\nbroker = "127.0.0.1"\nport = {own.port}\nhome_assistant = true\n'
        f'[storage]\nfolder = "{tmp_path}"\n[camera]\nkind = "none"\n',
        encoding="utf-8",
    )
    words = ["--settings", str(file), "play", GAME, "--chairs", "1,2,3"]
    with running(
        [sys.executable, "-m", "companion", *words],
        env={**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as table:
        heard = listener.until(lambda said: online(said) and said.read().game_id)
        assert heard[-1].read().game == GAME
        if not any(map(shows_game, heard)):  # the screen may be told of before or after the game
            listener.until(shows_game)
        table.send_signal(signal.SIGTERM)
        listener.until(offline)
        assert table.wait(LONGEST_S) == 0


@pytest.mark.long
def test_a_table_that_went_without_a_word_is_told_as_offline(table: Table, listener: ClubListener) -> None:
    """The broker waits as long as the will says: ten seconds."""
    command = Command(table)
    listener.until(online)
    command.end(signal.SIGKILL)
    assert listener.next("status").read() == club.Status(
        online=False, store=load_store_keys(table.path).store
    )


def test_the_uplink_of_a_club_needs_no_library_of_its_hub_and_none_of_the_table() -> None:
    """On a Pi it lives in the page's environment."""
    table = ("numpy", "pygame", "cv2", "gpiozero", "reportlab")
    hub = tuple(name for name in LIBRARIES if name != "paho")
    asked = (
        f"import sys; sys.modules.update(dict.fromkeys({table + hub!r}))"
        "; from companion.home.serve import uplink_class; print(uplink_class().__name__)"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "ClubUplink\n"
