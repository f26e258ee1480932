"""`companion play` as a table uses it: the real app, window and store, with keys and the mouse."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pygame
import pytest
from msgspec.structs import replace

from companion.__main__ import main
from companion.appliance.systemd import Service
from companion.camera.evidence import pictures
from companion.core import observations as ob
from companion.core.actions import SECOND, Micros, Setup
from companion.core.clock import ManualClock
from companion.core.errors import CompanionError
from companion.core.events import WindowVoided
from companion.core.view import Sentence
from companion.games import RULES
from companion.referee.journal import Entry, header_of
from companion.referee.store import Store
from companion.run.build_app import build_shared
from companion.run.real_table import RealTable
from companion.settings.model import Camera, Settings, Storage
from companion.settings.model import Screen as Small
from companion.table import games
from companion.table.session import Session
from companion.teach.lesson import load
from companion.ui import commands as do
from companion.ui.frame import GameFrame
from companion.ui.houserules import house_rules, word
from hardware.camera import Frame
from hardware.camera_worker import CameraWorker

SIZED = {"screen.size": "test"}
"""The window keeps its size, whatever display there is."""
PATIENCE = 30.0
"""Seconds after which a wait for the journal's writer has failed."""


class Playing:
    """The whole of `companion play` but for the wait in its loop."""

    def __init__(self, folder: Path, page: str = "home") -> None:
        self.settings = Settings(
            storage=Storage(folder=str(folder)),
            camera=Camera(kind="none"),
            screen=Small(size=(1024, 600)),
            origins=SIZED,
        )
        self.open()
        self.app = self.table.app(page)
        self.window = self.app.window
        self.window.pump()

    def open(self, **more: Any) -> None:
        """The table that the settings name, under a clock that is moved by hand."""
        self.clock = ManualClock()
        shared = build_shared(self.settings, self.clock, silent=True)
        self.inbox = shared.inbox
        self.table = RealTable(self.settings, shared, **more)
        self.host, self.games = self.table.host, self.table.games

    @property
    def session(self) -> Session:
        assert self.app.session is not None
        return self.app.session

    @property
    def state(self) -> Any:
        return self.session.game.referee.state

    def run(self, micros: Micros = SECOND // 5) -> None:
        """Go on for a while; what was judged is written before the clock moves on."""
        until = self.clock.now() + micros
        while self.clock.now() < until:
            self.clock.move_to(min(until, max(self.app.due(), self.clock.now() + 1)))
            self.app.turn()
            while self.app.session is not None and self.session.game.waiting:
                woken = self.inbox.get(timeout=PATIENCE)
                if woken is not None:
                    self.inbox.put(woken)
                self.app.turn()

    def key(self, name: str, hold: Micros = SECOND // 10) -> None:
        code = pygame.key.key_code(name)
        pygame.event.post(
            pygame.event.Event(pygame.KEYDOWN, key=code, mod=0, unicode=name if len(name) == 1 else "")
        )
        self.run(hold)
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=code, mod=0))
        self.run()

    def touch(self, key: str) -> None:
        page = self.app._pages[self.app.page]
        place = {target.key: target.rect.center for target in page.sheet(self.app.frame()).targets}[key]
        for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            pygame.event.post(pygame.event.Event(kind, button=1, pos=place, touch=False))
        self.run()

    def choose(self, *words: str) -> None:
        """Somebody says this on the screen."""
        verb, value = words[0], int(words[1]) if len(words) > 1 else None
        actions = RULES["kinapa"].legal_actions(self.state)
        (action,) = [a for a in actions if a.verb == verb and value in {a.value, None}][:1]
        self.app.carry_out(do.Say(action))
        self.run()

    def close(self) -> None:
        if self.app.session is not None:
            self.host.put_away(self.app.session)
        self.table.close()
        self.window.close()


Open = Callable[..., Playing]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Open]:
    opened: list[Playing] = []

    def open_(page: str = "home") -> Playing:
        opened.append(Playing(tmp_path / "games", page))
        return opened[-1]

    yield open_
    for one in opened:
        one.close()


@pytest.fixture
def companion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*words: str) -> str:
        capsys.readouterr()
        assert main(["--set", f"storage.folder={tmp_path / 'games'}", *words]) == 0
        return capsys.readouterr().out

    return run


def seated(playing: Playing) -> Playing:
    """Four people join by their keys, and the game begins."""
    for key in "1357":
        playing.key(key)
    playing.touch("start")
    assert playing.app.page == "game"
    return playing


def test_what_a_game_is_about_is_read_and_told_before_it(play: Open) -> None:
    """Somebody who cannot read the screen hears all four sentences, one after another."""
    table = play("setup")
    table.touch("about")
    heard: list[str] = []
    table.touch("say")
    for _ in range(400):
        said = table.host.voice.caption
        if said is not None and said.key not in heard[-1:]:
            heard.append(said.key)
        table.run(SECOND // 10)
    assert heard == ["kinapa.about.who", *(f"kinapa.about.goal.{number}" for number in (1, 2, 3))]
    table.touch("close")
    seated(table)


def test_house_rules_that_differ_from_the_rulebook_are_told_when_the_game_starts(play: Open) -> None:
    table = play("setup")
    table.touch("rules")
    asked = next(rule for rule in house_rules(RULES["kinapa"].options()) if len(rule.choices) > 1)
    table.touch(f"rule:{asked.key}")
    table.touch("close")
    for key in "1357":
        table.key(key)
    table.touch("start")
    heard: list[str] = []
    for _ in range(200):
        said = table.host.voice.caption
        if said is not None and said.key not in heard[-1:]:
            heard.append(said.key)
        table.run(SECOND // 10)
    rule = f"kinapa.option.{asked.key}"
    told = [key for key in heard if key.startswith("kinapa.option.")]
    assert told == [rule, f"{rule}.{word(asked.after)}"]


class Fed:
    """systemd's watchdog, which ends a program that does not feed it."""

    def __init__(self) -> None:
        self.times = 0

    def alive(self) -> None:
        self.times += 1

    def close(self) -> None:
        """Nothing is held."""


def test_the_watchdog_is_fed_while_a_practice_game_is_on_the_table(play: Open) -> None:
    table = play()
    table.app.carry_out(do.Practice("kobayakawa"))
    table.host._service = watchdog = cast("Service", Fed())
    table.run(2 * SECOND)
    assert table.app.host is not table.host
    assert cast("Fed", watchdog).times > 10


def test_a_whole_turn_by_keys_is_stored_listed_and_gone_on_with(
    play: Open, companion: Callable[..., str], tmp_path: Path
) -> None:
    table = seated(play("setup"))
    table.key("3")  # seat 1 holds cat 1
    assert table.state.emperor == 1
    for _ in range(4):
        table.key("right")
    table.key("space")
    assert table.state.turn.number == 5
    table.run(2 * SECOND)
    assert table.state.phase == "counting", "the count opened by sound"
    table.key("7")
    assert table.state.turn.raised == (3,)
    table.run(4 * SECOND)
    assert table.state.phase == "pairing"
    table.key("3")  # a tap: no pair
    assert table.state.phase == "choosing"
    table.key("space")
    table.key("space")
    table.key("space")
    assert table.state.phase == "turning"
    table.choose("turn")
    assert table.state.phase == "placing"
    if any(action.verb == "lies_at" for action in RULES["kinapa"].legal_actions(table.state)):
        table.choose("lies_at", "1")  # it is known by now that there is no camera
    table.key("space")  # the first choice: hide
    assert table.state.turns == 1
    assert table.state.phase in {"announcing", "succeeding"}
    view, entries = table.session.view, len(table.session.game.referee.journal.entries)
    presses = [
        e.cause for e in table.session.game.referee.journal.entries if isinstance(e.cause, ob.ButtonPressed)
    ]
    assert {press.source for press in presses} == {"key"}
    table.key("escape")
    assert table.app.glass.overlay == "menu"
    table.app.carry_out(do.Leave())
    assert table.app.page == "home"
    table.close()

    listed = companion("games")
    assert "kinapa" in listed
    assert "unfinished" in listed
    assert companion("export", "1").count("\n") == entries + 1
    assert "names its hidden cards" in companion("export", "1", str(tmp_path / "game.jsonl"))

    again = play()
    again.app.carry_out(do.Resume("1"))
    again.run()
    assert again.session.view == view
    assert isinstance(again.session.game.referee.journal.entries[entries].cause, ob.Restarted)
    assert again.clock.now() > again.session.game.referee.journal.entries[entries].cause.at
    again.choose("announce") if again.state.phase == "announcing" else again.choose("crown")
    assert len(again.session.game.referee.journal.entries) > entries + 1


def test_a_game_that_was_broken_into_is_offered_to_go_on_and_one_that_was_left_is_not(play: Open) -> None:
    first = play("setup")
    assert first.games.interrupted() is None
    seated(first)
    first.choose("claim_cat")
    first.host._stopping = lambda: True
    first.host.put_away(first.session)  # as the service does when the machine is switched off
    first.games.close()
    second = play()
    assert second.games.interrupted() == "1"
    second.app.carry_out(do.Resume("1"))
    second.run()
    second.app.carry_out(do.Leave())
    assert (second.app.page, second.games.interrupted()) == ("home", None)


def test_last_evenings_seats_are_in_and_a_forgotten_name_is_not_told(play: Open) -> None:
    first = play("setup")
    first.app.carry_out(do.Start("kinapa", (0, 2, 4, 6), None, ((2, "Zoé"), (4, "Anna"))))
    first.run()
    first.key("1")
    first.close()
    with Store(first.settings.store_file(), RULES) as store:
        store.forget("Zoé")
    second = play()
    draft = second.app.glass.draft
    assert (draft.game, draft.chairs, draft.last) == ("kinapa", (0, 2, 4, 6), (0, 2, 4, 6))
    assert draft.names == ((4, "Anna"),)
    second.key("7", hold=SECOND)
    assert second.session.game.referee.setup.chairs == (0, 2, 4, 6)


def test_home_reads_no_lesson_until_one_is_chosen(play: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    monkeypatch.setattr(games, "load", lambda file: read.append(file) or load(file))
    table = play()
    table.run()
    assert read == []
    table.touch("learn")
    assert read != []


def test_the_shown_game_list_offers_what_is_stored(play: Open) -> None:
    table = seated(play("setup"))
    table.key("1")
    table.app.carry_out(do.Show("home"))
    table.run()
    (stored,) = table.games.stored()
    assert (stored.game, stored.chairs, stored.finished) == ("kinapa", (0, 2, 4, 6), False)
    table.app.carry_out(do.Show("games"))
    table.run()
    table.app.carry_out(do.Resume(stored.game_id))
    table.run()
    assert table.state.phase == "announcing"


def test_another_program_at_the_same_table_is_named(play: Open) -> None:
    play()
    with pytest.raises(CompanionError, match=f"process {os.getpid()}"):
        play()


def test_a_game_that_is_not_there_is_told_on_the_screen(play: Open) -> None:
    table = play()
    table.app.carry_out(do.Resume("9"))
    table.run()
    trouble = table.app.frame().trouble
    assert trouble is not None
    assert trouble.key == "shared.trouble.unknown"


def test_a_store_that_cannot_be_written_is_shown_and_written_when_it_can(play: Open, tmp_path: Path) -> None:
    """A file lies where the table's folder should be; the game goes on, and is written whole afterwards."""
    blocked = tmp_path / "games"
    blocked.write_text("in the way")
    table = seated(play("setup"))
    table.key("1")
    frame = table.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.trouble is not None
    assert frame.trouble.key == "shared.alarm.storage.lost"
    assert table.state.phase == "announcing"
    assert frame.say is not None, "what is not saved is told all the same"
    blocked.unlink()
    table.key("right")
    journal = table.session.game.referee.journal
    table.host.put_away(table.session)
    assert journal.trouble is None
    with Store(table.settings.store_file(), RULES) as store:
        (game,) = store.games()
        assert store.read(game.game)[1] == list(journal.entries)
    table.app.at.session = None


def test_a_camera_that_does_not_see_the_mat_is_told(play: Open) -> None:
    table = seated(play("setup"))
    assert table.app.frame().trouble is None
    blank = np.zeros((720, 1280, 3), np.uint8)
    assert table.host._reader.step(blank, 0) == ()
    trouble = table.app.frame().trouble
    assert trouble is not None
    assert trouble.key == "shared.trouble.marks"
    table.app.carry_out(do.Show("home"))
    assert table.app.frame().trouble is None


def test_house_rules_of_the_table_are_played_and_written_down(play: Open) -> None:
    table = play("setup")
    table.games.settings = replace(table.settings, rules={"kinapa": {"hand": "hold"}})
    seated(table)
    assert table.session.game.referee.journal.header.setup.options["hand"] == "hold"


# As a program of its own ------------------------------------------------------------------------------------

CHILD = """
import sys
from queue import SimpleQueue
from pathlib import Path
from companion.core.actions import SECOND, Setup
from companion.referee.loop import RefereedGame
from companion.referee.journal import header_of
from companion.core import observations as ob
from companion.core.actions import Action
from companion.referee.referee import Referee
from companion.games import RULES
from companion.referee.store import Store
woken = SimpleQueue()
rules = RULES["kinapa"]
journal = Store(Path(sys.argv[1]), RULES).create(
    header_of("kinapa", Setup((0, 1, 2, 3), rules.options())), wake=lambda: woken.put(None))
game = RefereedGame(Referee(rules, journal), chance=lambda lots: 0)
game.post(ob.Declared(at=SECOND, action=Action(0, "claim_cat")))
game.post(ob.Declared(at=2 * SECOND, action=Action(0, "announce", 7)))
game.post(ob.CueHeard(at=3 * SECOND, cue="kinapa.count", attempt=1))
game.post(ob.ButtonPressed(at=5 * SECOND, chair=2))
game.step(5 * SECOND + 100_000)
told = 0
while told < len(journal.entries):
    woken.get()
    told += len(game.announced())
print(told, flush=True)
sys.stdin.read()
"""


class Pulled:
    """USB buttons whose cable is pulled."""

    gone = True

    def poll(self) -> int:
        return 0

    def close(self) -> None:
        """Nothing is open."""


def test_while_the_usb_cable_is_pulled_the_screen_says_so_and_keys_count(play: Open) -> None:
    table = seated(play("setup"))
    cable = Pulled()
    table.host._encoder = cable  # type: ignore[assignment]
    assert table.app.frame().trouble == Sentence("shared.trouble.unplugged")
    table.key("3")
    assert table.state.emperor == 1
    cable.gone = False
    assert table.app.frame().trouble is None


def test_killed_in_mid_count_nothing_told_is_lost_and_the_count_is_asked_for_again(
    play: Open, tmp_path: Path
) -> None:
    settings = Settings(storage=Storage(folder=str(tmp_path / "games")))
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(settings.store_file())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        told = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
    table = play()
    table.app.carry_out(do.Resume("1"))
    table.run()
    entries = table.session.game.referee.journal.entries
    assert [type(entry.cause) for entry in entries[told:]] == [ob.Restarted, ob.CameraLost]
    assert entries[told].events[0] == WindowVoided("restart")
    assert (table.state.phase, table.state.turn.number, table.state.turn.raised) == ("recounting", 7, ())
    table.run(5 * SECOND)
    assert table.state.phase == "recounting", "no timer of the void count falls"
    table.choose("recount")
    table.run(5 * SECOND)
    assert table.state.phase == "pairing"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_the_program_in_order(tmp_path: Path, number: signal.Signals, code: int) -> None:
    settings = f"storage.folder={tmp_path / 'games'}"
    words = ["--verbose", "--set", settings, "--set", "camera.kind=none", "play", "kinapa"]
    with subprocess.Popen(
        [sys.executable, "-m", "companion", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stderr is not None
        for line in child.stderr:
            if "No buttons on pins" in line:  # its parts are being opened: signals are heard by now
                break
        child.send_signal(number)
        out, err = child.communicate(timeout=120)
    assert child.returncode == code
    assert "Traceback" not in err
    assert "No display" in out
    assert ("Stopped." in out) is (number is signal.SIGINT)


class Eyed:
    """A camera's worker that shows one picture and does jobs at once."""

    interval = 0
    frozen = False

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock

    def preview(self) -> Frame:
        return Frame(np.full((48, 64, 3), 77, np.uint8), self.clock.now())

    def do(self, job: Callable[[Any], None]) -> None:
        job(None)

    def ask(self, look: Any) -> None:
        """Everything is looked at always."""

    def start(self) -> None:
        """There is no thread."""

    def close(self) -> None:
        """Nothing is held."""


def test_a_camera_that_shows_one_picture_for_a_minute_is_told(play: Open) -> None:
    table = play("setup")
    eye = Eyed(table.clock)
    table.host._worker = cast("CameraWorker", eye)
    seated(table)
    assert table.app.frame().trouble is None
    eye.frozen = True
    table.run()
    assert table.app.frame().trouble == Sentence("shared.camera.frozen")


@pytest.mark.parametrize("wanted", [False, True])
def test_pictures_of_rulings_are_kept_only_where_the_settings_ask_for_it(
    play: Open, tmp_path: Path, wanted: bool
) -> None:
    table = play("setup")
    table.host.settings = replace(
        table.settings, storage=Storage(folder=table.settings.storage.folder, evidence=wanted)
    )
    table.host._worker = cast("CameraWorker", Eyed(table.clock))
    seated(table)
    table.key("3")
    assert table.state.emperor == 1
    assert bool(pictures(table.settings.store_folder())) is wanted


def test_a_stored_game_that_no_table_could_have_played_is_refused_before_it_is_shown(tmp_path: Path) -> None:
    rules = RULES["kinapa"]
    header = header_of("kinapa", Setup((0, 1, 2, 3), rules.options()))
    crowned = msgspec.convert({"kind": "EmperorCrowned", "seat": 99}, rules.events)
    with Store(tmp_path / "table" / "games.sqlite", RULES) as store:
        journal = store.create(header)
        journal.append(Entry(0, ob.ButtonPressed(at=1, chair=0), (crowned,)))
        assert journal.close()
    table = Playing(tmp_path)
    with pytest.raises(CompanionError, match="game 1: line 2: no table could come to this"):
        table.table.games.resume("1")
    table.close()


@pytest.mark.parametrize("opened", ["before", "after"])
def test_whoever_has_the_log_of_a_won_game_open_cannot_take_the_end_back(play: Open, opened: str) -> None:
    one = play()
    one.app.carry_out(do.Start("kobayakawa", (0, 1, 2), None))
    one.run()
    rules, rng = one.session.game.referee.rules, random.Random(1)
    if opened == "before":
        one.key("l")
    while not one.session.game.over:
        actions = sorted(rules.legal_actions(one.state), key=str)
        one.inbox.put(ob.Declared(at=one.clock.now(), action=rng.choice(actions)))
        one.run()
    assert (one.app.glass.overlay == "log") == (opened == "before")
    if opened == "after":
        assert one.session.game.referee.undoable() is not None
        assert not one.app.frame().log, "what the log names is not on its way to the screen before"
        one.key("l")
    assert one.app.glass.overlay == "log"
    assert one.session.game.referee.undoable() is None
