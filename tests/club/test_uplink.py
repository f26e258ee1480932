"""The uplink between a real store and a real broker: what is told, and that nothing is lost or doubled."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from companion.club import messages as club
from companion.core.actions import Outcome
from companion.core.clock import later, wall_time
from companion.doors import uplink as door
from companion.doors.messages import View
from companion.doors.results import Call
from companion.games import RULES
from companion.referee.identity import identity_of
from companion.referee.journal.lines import parse
from companion.referee.store import Store
from companion.uplink.serve import TakenOverError
from tests.club.club_tables import LONGEST_S, Listener, Said, Table, Uplinked, noted, uplinked, version
from tests.club.played import BEGAN, GAME, played, simulated
from tests.club.servers import Broker, broker, mosquitto

pytestmark = pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not here (Debian: mosquitto)")


@pytest.fixture
def own() -> Iterator[Broker]:
    """A broker of this test alone."""
    with broker("log_dest stderr\nlog_type information\n") as running:
        yield running


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as all_of_it:
        yield all_of_it


@pytest.fixture
def listener(own: Broker, stack: ExitStack) -> Listener:
    one = Listener(own.port)
    stack.callback(one.close)
    return one


@pytest.fixture
def table(own: Broker, tmp_path: Path, stack: ExitStack) -> Table:
    one = Table(tmp_path / "table", own)
    stack.callback(one.close)
    return one


def online(said: Said) -> bool:
    return said.kind == "status" and bool(said.payload) and said.read().online


def told_all(results: int) -> Callable[[Said], bool]:
    """Whether the table says that so many results were told."""
    return lambda said: online(said) and said.read().results == results


def journal_of(heard: list[Said], game_id: str) -> bytes:
    pieces = [one.read() for one in heard if one.kind == "entries"]
    lines: dict[int, str] = {}
    for piece in pieces:
        if piece.game_id == game_id:
            lines |= dict(enumerate(piece.lines, piece.first))
    return "".join(f"{lines[at]}\n" for at in range(len(lines))).encode()


def test_a_game_that_is_over_reaches_the_broker_with_its_whole_journal(
    table: Table, listener: Listener
) -> None:
    with uplinked(table):
        listener.until(online)
        table.play(names=((0, "Ada Lovelace"),))
        heard = listener.until(told_all(1))
    (result,) = [one.read() for one in heard if one.kind == "result"]
    assert (result.game, result.outcome, result.began) == (GAME, simulated(1)[1], BEGAN)
    raw = journal_of(heard, result.game_id)
    header, entries = parse(raw, RULES)
    assert tuple(entries) == simulated(1)[0]
    assert header.names == ()
    assert club.digest(raw.decode().splitlines()) == result.digest
    assert b"Ada" not in b"".join(one.payload for one in heard), "nobody consented"
    assert not listener.next("status").read().online


def test_what_was_told_is_not_told_again_and_what_was_played_meanwhile_is(
    table: Table, listener: Listener
) -> None:
    played(table.path, seed=1)
    with uplinked(table):
        first = listener.until(told_all(1))
    played(table.path, seed=2)
    with uplinked(table):
        again = listener.until(told_all(2))
    (one,) = {said.read().game_id for said in first if said.kind == "result"}
    assert [said.read().game_id == one for said in again if said.kind == "result"] == [False]


def test_a_broker_that_went_in_the_middle_gets_everything_once_it_is_back(
    own: Broker, table: Table, stack: ExitStack
) -> None:
    hub = Listener(own.port, name="hub", kept=True)
    for seed in range(3):
        played(table.path, seed=seed)
    with uplinked(table):
        hub.next("result")
        own.stop(signal.SIGKILL)
        own.lose_everything()
        table.play(seed=3)
        own.start()
        heard = hub.until(told_all(4))
        results = {one.read().game_id for one in heard if one.kind == "result"}
        if len(results) < 4:  # it was told before the broker forgot it, so the hub asks
            hub.publish(club.topic("home", "table", "ask"), club.encoded(club.Ask()))
            heard = hub.until(lambda said: said.kind == "result" and complete(results, said))
    hub.close()
    assert len(results) == 4


def complete(results: set[str], said: Said) -> bool:
    results.add(said.read().game_id)
    return len(results) == 4


def test_a_broker_that_lost_what_it_retained_has_it_again(
    own: Broker, table: Table, stack: ExitStack
) -> None:
    first = Listener(own.port)
    played(table.path)
    with uplinked(table):
        table.door.tell(View(seq=3, game=GAME))
        first.until(told_all(1))
        first.close()
        own.stop()
        own.lose_everything()
        own.start()
        other = Listener(own.port, name="other")
        heard = other.until(lambda said: online(said) and not said.read().trouble)
        if not any(one.kind == "result" and one.payload for one in heard):
            heard += other.until(lambda said: said.kind == "result")
        other.close()
    assert heard[-1].payload


class Command:
    """`companion uplink` as a user starts it."""

    def __init__(self, table: Table, *before: str, **how: Any) -> None:
        """`before`: words in front of the command."""
        file = table.folder / "given.toml"
        of_club = {"broker": "127.0.0.1", "port": table.settings.club.port}
        lines = [f"{name} = {json.dumps(value)}" for name, value in of_club.items()]
        folder = f"[storage]\nfolder = {json.dumps(str(table.folder))}\n"
        file.write_text("[club]\n" + "\n".join(lines) + "\n" + folder, encoding="utf-8")
        words = ["--settings", str(file), "uplink", "--socket", str(table.place)]
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", "companion", *words], stdout=subprocess.PIPE, text=True, **how
        )

    def end(self, how: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(how)
        said, _ = self.process.communicate(timeout=LONGEST_S)
        return self.process.returncode, said


def test_a_killed_uplink_goes_on_where_the_broker_is_and_a_stopped_one_says_goodbye(
    table: Table, listener: Listener
) -> None:
    for seed in range(4):
        played(table.path, seed=seed)
    first = Command(table)
    heard = listener.until(lambda said: said.kind == "result")
    first.end(signal.SIGKILL)
    second = Command(table)
    heard += listener.until(told_all(4))
    results = [version(one.read()) for one in heard if one.kind == "result"]
    assert len(set(results)) == 4, "none is lost, and what came twice is the same version"
    for game, entries, _ in set(results):
        assert journal_of(heard, game).count(b"\n") == entries + 1
    code, said = second.end(signal.SIGTERM)
    assert code == 0, said
    assert "home/table at 127.0.0.1" in said
    assert "hears this table" in said
    assert not listener.next("status").read().online


def test_a_table_that_was_restarted_is_found_again(table: Table, listener: Listener) -> None:
    command = Command(table)
    listener.until(online)
    table.restart()
    listener.until(lambda said: said.kind == "status" and not said.read().online)
    listener.until(online)
    table.play()
    listener.until(told_all(1))
    assert command.end(signal.SIGINT)[0] == 0


@pytest.mark.slow
def test_a_table_at_home_starts_its_uplink_and_both_say_goodbye(own: Broker, tmp_path: Path) -> None:
    """`companion play` with a broker in its settings, as somebody starts it at a laptop."""
    listener = Listener(own.port)
    file = tmp_path / "settings.toml"
    file.write_text(
        f'[club]\nbroker = "127.0.0.1"\nport = {own.port}\nhome_assistant = true\n'
        f'[storage]\nfolder = "{tmp_path}"\n[camera]\nkind = "none"\n',
        encoding="utf-8",
    )
    words = ["--settings", str(file), "play", GAME, "--chairs", "1,2,3"]
    table = subprocess.Popen(
        [sys.executable, "-m", "companion", *words],
        env={**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    heard = listener.until(lambda said: online(said) and said.read().game_id)
    assert heard[-1].read().game == GAME
    listener.until(lambda said: said.kind == "view" and said.read().game == GAME)
    table.send_signal(signal.SIGTERM)
    assert not listener.until(lambda said: said.kind == "status" and not online(said))[-1].read().online
    assert table.wait(LONGEST_S) == 0
    listener.close()


@pytest.mark.long
def test_a_table_that_went_without_a_word_is_told_as_offline(table: Table, listener: Listener) -> None:
    """The broker waits as long as the will says: ten seconds."""
    command = Command(table)
    listener.until(online)
    command.end(signal.SIGKILL)
    assert listener.next("status").read() == club.Status(online=False, store=listener_store(table))


def listener_store(table: Table) -> str:
    return identity_of(table.path).store


def test_a_win_that_was_taken_back_is_withdrawn_and_a_newer_outcome_replaces_it(
    table: Table, listener: Listener
) -> None:
    number = played(table.path)
    with uplinked(table):
        first = listener.until(told_all(1))
        outcome, entries = simulated(1)[1], len(simulated(1)[0])
        said = []
        for more, now in ((1, None), (2, outcome)):
            _rewrite(table.path, number, more, now)
            table.door.tell(door.Playing(number, GAME, entries + more, over=now is not None))
            said.append(listener.next("result").read())
    versions = [version(one.read()) for one in first if one.kind == "result"]
    versions += list(map(version, said))
    assert versions == sorted(set(versions))
    assert [version[2] for version in versions] == [True, False, True]


def _rewrite(path: Path, number: int, more: int, outcome: Outcome | None) -> None:
    """As a table does when something is taken back: entries are added, and the outcome changes."""
    from contextlib import closing

    import msgspec

    from companion.core.observations import TakenBack
    from companion.referee.journal import Entry

    entries = len(simulated(1)[0])
    entry: Any = Entry(entries + more - 1, TakenBack(at=10**12 + more))
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("INSERT INTO entries VALUES (?, ?, ?)", (number, entry.seq, msgspec.json.encode(entry)))
        raw.execute(
            "UPDATE games SET entries = ?, outcome = ? WHERE id = ?",
            (entries + more, None if outcome is None else msgspec.json.encode(outcome), number),
        )


def test_a_nickname_goes_only_with_consent_and_forget_reaches_the_club(
    own: Broker, listener: Listener, tmp_path: Path, stack: ExitStack
) -> None:
    table = Table(tmp_path / "open", own, club__nicknames="true")
    stack.callback(table.close)
    number = played(table.path, names=((0, "Ada"), (1, "Ben")))
    with uplinked(table):
        heard = listener.until(told_all(1))
    (result,) = [one.read() for one in heard if one.kind == "result"]
    assert [one.nickname for one in result.players] == ["Ada", "Ben", ""]
    assert _of_outbox(table).find(b"Ada") == -1
    with Store(table.path, RULES) as store:
        store.forget("Ada")
    listener.until(lambda said: said.kind == "status" and not said.read().online)
    with uplinked(table):
        heard = listener.until(lambda said: said.kind == "result" and bool(said.payload))
    (forget,) = [one.read() for one in heard if one.kind == "forget"]
    assert forget.seats == (club.ForgottenSeat(result.game_id, 0),)
    assert b"Ada" not in b"".join(one.payload for one in heard)
    cleared, told = (one for one in heard if one.kind == "result")
    assert cleared.payload == b""
    assert [one.nickname for one in told.read().players] == ["", "Ben", ""]
    assert number == 1


def _of_outbox(table: Table) -> bytes:
    return b"".join(file.read_bytes() for file in table.settings.store_folder().glob("uplink.sqlite*"))


def test_the_hub_asks_and_is_told_again(table: Table, listener: Listener) -> None:
    for seed in range(2):
        played(table.path, seed=seed, began=f"2026-11-2{seed}T18:00:00+00:00")
    ask = club.topic("home", "table", "ask")
    with uplinked(table):
        first = listener.until(told_all(2))
        older, newer = (one.read().game_id for one in first if one.kind == "result")
        listener.publish(ask, club.encoded(club.Ask(game_id=older)))
        again = listener.until(lambda said: online(said) and said.read().results == 2)
        assert {one.read().game_id for one in again if one.kind == "result"} == {older}
        assert journal_of(again, older) == journal_of(first, older)
        listener.publish(ask, club.encoded(club.Ask(since="2026-11-21T00:00:00+00:00")))
        again = listener.until(lambda said: online(said) and said.read().results == 2)
        assert {one.read().game_id for one in again if one.kind == "result"} == {newer}
    late = Listener(table.settings.club.port, club.topic("home", "table", "result"), name="late")
    assert late.next("result").read().game_id == newer, "the newest is retained, whatever was asked for"
    late.close()


def test_a_judge_is_called_once_however_often_the_table_says_it(table: Table, listener: Listener) -> None:
    call = Call("c1", "2026-11-25T20:00:00+00:00")
    with uplinked(table):
        listener.until(online)
        for _ in range(3):
            table.door.tell(door.Judge(call))
        assert listener.next("call").read() == call
        back = Call("c1", "2026-11-25T20:00:00+00:00", taken_back=True)
        table.door.tell(door.Judge(back))
        assert listener.next("call").read() == back


def task(**more: Any) -> club.Task:
    now = wall_time()
    plain = {"id": "t1", "round": 2, "expires": later(now, 3600 * 10**6), "game": GAME, "at": now}
    return club.Task(**{**plain, **more})


def heard_at(table: Table, wanted: Callable[[Any], bool]) -> Any:
    """What the table hears from its uplink, up to what is wanted."""
    while True:
        said = table.door.said.get(timeout=LONGEST_S)
        if wanted(said):
            return said


def test_a_task_is_shown_answered_by_its_game_and_not_shown_again(table: Table, listener: Listener) -> None:
    topic = club.topic("home", "table", "task")
    listener.publish(topic, club.encoded(task()), retain=True, expires_s=600)
    with uplinked(table):
        shown = heard_at(table, lambda said: isinstance(said, door.Next) and said.task is not None)
        assert (shown.task.id, shown.task.round) == ("t1", 2)
        number = played(table.path)
        table.door.tell(door.Playing(number, GAME, 3, over=False))
        table.door.tell(door.Playing(number, GAME, len(simulated(1)[0]), over=True))
        heard = listener.until(lambda said: said.kind == "done")
        (result,) = [one.read() for one in heard if one.kind == "result"]
        assert heard[-1].read() == club.TaskDone("t1", result.game_id)
        assert result.task == "t1"
        heard_at(table, lambda said: said == door.Next(None))
    while not table.door.said.empty():
        table.door.said.get_nowait()
    with uplinked(table):  # the retained task comes again
        listener.until(online)
        assert heard_at(table, lambda said: isinstance(said, door.Next)) == door.Next(None)


@pytest.mark.parametrize(("expires_s", "expires"), [(None, "2020-01-01T00:00:00+00:00"), (None, "never")])
def test_a_task_whose_time_is_over_is_ignored(
    table: Table, listener: Listener, expires_s: int | None, expires: str
) -> None:
    topic = club.topic("home", "table", "task")
    listener.publish(topic, club.encoded(task(expires=expires)), retain=True, expires_s=expires_s)
    with uplinked(table):
        assert heard_at(table, lambda said: isinstance(said, door.Next)) == door.Next(None)


def test_a_clock_a_day_ahead_ignores_no_task_is_told_and_loses_no_result(
    table: Table, listener: Listener
) -> None:
    """The desk's clock is a day behind the table's: its task lives as long as the broker says."""
    topic = club.topic("home", "table", "task")
    yesterday = later(wall_time(), -24 * 3600 * 10**6)
    played(table.path)
    with uplinked(table):
        listener.until(told_all(1))
        listener.publish(
            topic,
            club.encoded(task(expires=later(yesterday, 10**9), at=yesterday)),
            retain=True,
            expires_s=600,
        )
        shown = heard_at(table, lambda said: isinstance(said, door.Next) and said.task is not None)
        assert shown.task.id == "t1"
        assert listener.until(lambda said: online(said) and bool(said.read().trouble))[-1].read().trouble == (
            "ui.club.clock"
        )
        listener.publish(club.topic("home", "table", "ask"), club.encoded(club.Ask(at=wall_time())))
        listener.until(lambda said: online(said) and not said.read().trouble)
    assert noted(table)["trouble"] == ""


def test_of_two_uplinks_with_one_store_the_first_stops_and_says_why(
    own: Broker, listener: Listener, table: Table, tmp_path: Path, stack: ExitStack
) -> None:
    played(table.path)
    first = Uplinked(table)
    heard = listener.until(told_all(1))
    copy = Table(tmp_path / "copy", own)
    stack.callback(copy.close)
    shutil.copytree(table.settings.store_folder(), copy.settings.store_folder(), dirs_exist_ok=True)
    (copy.settings.store_folder() / "uplink.sqlite").unlink()
    with uplinked(copy):
        ended = first.wait()
        assert isinstance(ended, TakenOverError)
        assert "copy of these games" in str(ended)
        assert noted(table)["trouble"] == "ui.club.taken_over"
        again = listener.until(told_all(1))
        versions = {version(one.read()) for one in (*heard, *again) if one.kind == "result"}
        assert len(versions) == 1, "the same game by two uplinks is the same version"


def test_two_tables_with_one_name_are_told_and_the_second_waits_with_everything(
    own: Broker, listener: Listener, table: Table, tmp_path: Path, stack: ExitStack
) -> None:
    played(table.path)
    other = Table(tmp_path / "other", own)
    stack.callback(other.close)
    played(other.path, seed=2)
    with uplinked(table):
        listener.until(told_all(1))
        with uplinked(other):
            linked = heard_at(
                other, lambda said: isinstance(said, door.Linked) and said.trouble.endswith("clash")
            )
            assert linked == door.Linked(now=False, trouble="ui.club.clash")
        assert noted(other)["trouble"] == "ui.club.clash"
        assert noted(other)["waiting"] == "1"
    listener.until(lambda said: said.kind == "status" and not said.read().online)
    with uplinked(other):  # the name is free now
        heard = listener.until(told_all(1))
    assert [one.read().entries for one in heard if one.kind == "result"] == [len(simulated(2)[0])]


def test_a_password_that_is_wrong_is_told_and_no_name_leaves(tmp_path: Path, stack: ExitStack) -> None:
    with broker("log_dest stderr\nlog_type information\n", anonymous=False) as strict:
        table = Table(tmp_path / "table", strict)
        stack.callback(table.close)
        with uplinked(table):
            linked = heard_at(
                table, lambda said: isinstance(said, door.Linked) and said.trouble.endswith("refused")
            )
            assert not linked.now
        assert noted(table)["trouble"] == "ui.club.refused"


@pytest.fixture
def strict(checkout: Path) -> Iterator[Broker]:
    """A broker with names, passwords and the rights of the sample."""
    if shutil.which("mosquitto_passwd") is None:
        pytest.skip("mosquitto_passwd is not here (Debian: mosquitto)")
    folder = Path(tempfile.mkdtemp(prefix="club-acl-"))
    folder.chmod(0o755)
    passwords = folder / "passwords"
    passwords.touch()
    for user in ("table-1", "table-2", "companion-hub"):
        subprocess.run(["mosquitto_passwd", "-b", str(passwords), user, f"{user}'s"], check=True)
    passwords.chmod(0o644)
    shutil.copy(checkout / "systemd" / "club" / "acl", folder / "acl")
    rights = f"password_file {passwords}\nacl_file {folder / 'acl'}\n"
    with broker(f"log_dest stderr\nlog_type information\n{rights}", anonymous=False) as running:
        yield running
    shutil.rmtree(folder)


@pytest.mark.parametrize(("topic", "trouble"), [("table-1", ""), ("table-2", "ui.club.not_allowed")])
def test_by_the_samples_rights_a_table_speaks_for_itself_and_for_no_other(
    strict: Broker, tmp_path: Path, stack: ExitStack, topic: str, trouble: str
) -> None:
    password = tmp_path / "password"
    password.write_text("table-1's\n", encoding="utf-8")
    own = {"club__user": "table-1", "club__password_file": str(password), "club__table": topic}
    table = Table(tmp_path / "table", strict, **own)
    stack.callback(table.close)
    played(table.path)
    hub = Listener(strict.port, "companion/v1/+/+/+", user="companion-hub")
    stack.callback(hub.close)
    with uplinked(table):
        if trouble:
            heard_at(table, lambda said: isinstance(said, door.Linked) and said.trouble == trouble)
        else:
            hub.until(told_all(1))
    assert noted(table)["waiting"] == ("1" if trouble else "0")


def test_views_are_at_most_two_a_second_and_the_last_one_stays(table: Table, listener: Listener) -> None:
    with uplinked(table):
        listener.until(online)
        for seq in range(50):
            table.door.tell(View(seq=seq, game=GAME))
        heard = listener.until(lambda said: said.kind == "view" and said.read().seq == 49)
    assert len([one for one in heard if one.kind == "view"]) <= 3
