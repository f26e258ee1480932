"""The demo: a simulated table through pins and pixels, the same each time, recorded, taken over, left."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import wave
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
import pygame
import pytest

from companion.__main__ import main
from companion.core import observations as ob
from companion.core.actions import SECOND, Micros, Setup
from companion.core.clock import ManualClock
from companion.games import RULES
from companion.games.kinapa.rules import model
from companion.games.kit.trick_table import CardPlayed
from companion.games.kit.world import PlayStyle
from companion.language.language import Language
from companion.programs import demo as _demo_run
from companion.programs.build_app import open_voice
from companion.programs.simulated_host import DemoHost, RealTimeVoice
from companion.referee.journal import MemoryJournal, json_lines, make_header, replay_state
from companion.referee.loop import Announcement, Inbox
from companion.settings.model import Settings, SoundSettings
from companion.simulation.simulated_table import READING_TIME, SimulatedTable
from companion.table.app import App
from companion.table.runtime import AppParts, Runtime
from companion.ui import commands as do
from companion.ui.frame import UiState
from companion.ui.pages import build_pages
from companion.ui.pages.base import PageResources
from companion.ui.toolkit import inputs
from companion.ui.toolkit.window import Window
from companion.vision.renderer import EASY
from tests.language.voice.silent_voice import SilentVoice
from tests.processes import running

LAST_LINES = re.compile(
    r"The table pressed and the camera read: (\d+) presses, (\d+) pictures, "
    r"(\d+) readings, (\d+) of them unsure\.\n"
    r"(Demo closed|Won by (.+)) after (\d+) rulings?\. Play yourself: companion play kinapa\n\Z"
)
KINAPA = RULES["kinapa"]
ENTRIES = 20
"""The demo that is left is left after so many."""


class Shown(NamedTuple):
    """A demo at full speed, and what it said."""

    folder: Path
    code: int
    out: str


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """A whole recorded game."""
    return run(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The same demo, left in its middle."""
    return run(tmp_path_factory.mktemp("demo"), entries=ENTRIES)


def run(folder: Path, *, entries: int = 10_000) -> Shown:
    """`demo --fast --record`; somebody leaves after so many entries."""
    demo_app = _demo_run.build_demo_app

    def leaving(settings: Settings, host: DemoHost, shared: Runtime, *window: Any, **more: Any) -> App:
        app = demo_app(settings, host, shared, *window, **more)

        def leave(ruling: Announcement) -> None:
            app.navigation.quit_requested |= ruling.entry.seq >= entries

        host.session._listeners += (leave,)
        return app

    with pytest.MonkeyPatch.context() as patch, (folder / "out.txt").open("w+", encoding="utf-8") as out:
        patch.setattr(_demo_run, "build_demo_app", leaving)
        patch.setattr(sys, "stdout", out)
        code = main(["demo", "--fast", "--seed", "5", "--record", str(folder / "kept")])
        patch.undo()
        out.seek(0)
        return Shown(folder / "kept", code, out.read())


@pytest.mark.long
def test_a_whole_demo_exits_0_and_names_its_winner(whole: Shown) -> None:
    assert whole.code == 0
    found = LAST_LINES.search(whole.out)
    assert found is not None, whole.out
    header, entries = json_lines.read_journal_file(whole.folder / "journal.jsonl", RULES)
    state = replay_state(KINAPA, header.setup.with_options(KINAPA.options), entries)
    outcome = KINAPA.outcome(state)
    assert outcome is not None
    assert outcome.termination == "second_pair"
    assert found[6] == " and ".join(f"chair {chair + 1}" for chair in outcome.winners)
    assert int(found[1]) == sum(isinstance(entry.cause, ob.ButtonPressed) for entry in entries)


@pytest.mark.slow
def test_a_demo_that_was_left_exits_0_and_names_no_winner(left: Shown) -> None:
    assert left.code == 0
    found = LAST_LINES.search(left.out)
    assert found is not None, left.out
    assert found[5] == "Demo closed"
    assert min(int(found[1]), int(found[2]), int(found[3])) > 3


@pytest.mark.long
def test_one_seed_writes_the_same_journal_byte_by_byte_but_for_the_date(whole: Shown, left: Shown) -> None:
    """And for how many entries there are, and the checksums: they follow from the whole header."""
    differs = re.compile(rb',"(date|sum)":"[^"]*"|,"entries":\d+')
    one, other = (
        [differs.sub(b"", line) for line in (demo.folder / "journal.jsonl").read_bytes().splitlines()]
        for demo in (whole, left)
    )
    assert one[0] == other[0]
    together = [mine for mine, its in zip(one, other, strict=False) if mine == its]
    assert len(together) >= ENTRIES
    assert other[1 : ENTRIES + 1] == one[1 : ENTRIES + 1]


@pytest.mark.long
def test_one_seed_looks_and_sounds_the_same(whole: Shown, left: Shown) -> None:
    for name, last in (("camera", None), ("screens", -1)):  # the last screen shows how it was left
        kept = sorted((left.folder / name).iterdir())[:last]
        assert kept
        for path in kept:
            assert path.read_bytes() == (whole.folder / name / path.name).read_bytes(), path.name
    one, other = ((demo.folder / "sound.wav").read_bytes()[44:] for demo in (whole, left))
    length = len(other) * 3 // 4
    assert one[:length] == other[:length]


@pytest.mark.long
def test_without_a_display_it_says_so_and_tells_its_rulings(whole: Shown) -> None:
    first, *told = whole.out.splitlines()
    assert first.startswith("No display")
    stamped = [line for line in told if re.match(r" +\d+\.\d\d  \S", line)]
    assert len(stamped) > 10
    assert float(stamped[0].split()[0]) < 15, "the first ruling is seen within 15 s"


@pytest.mark.long
def test_what_is_recorded_is_whole(whole: Shown) -> None:
    folder = whole.folder
    header, entries = json_lines.read_journal_file(folder / "journal.jsonl", RULES)
    assert (header.kind, header.seed) == ("demo", 5)
    assert len(list((folder / "camera").glob("*.jpg"))) >= 2
    told = [entry.seq for entry in entries if any(not KINAPA.is_silent(event) for event in entry.events)]
    screens = sorted(int(path.name[:5]) for path in (folder / "screens").glob("*.png"))
    assert screens == told, "one screen per ruling"
    with wave.open(str(folder / "sound.wav")) as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2")
        seconds = sound.getnframes() / sound.getframerate()
    assert np.abs(samples).max() > 1_000
    assert seconds > entries[-1].cause.at / SECOND / 3


@pytest.mark.long
def test_presses_come_through_pins_and_cards_through_pixels(whole: Shown) -> None:
    _, entries = json_lines.read_journal_file(whole.folder / "journal.jsonl", RULES)
    pressed = [entry.cause for entry in entries if isinstance(entry.cause, ob.ButtonPressed)]
    assert {press.source for press in pressed} == {"gpio"}
    seen = [entry.cause for entry in entries if isinstance(entry.cause, ob.TableSeen)]
    assert seen
    assert all(region.lies_since <= cause.at - READING_TIME for cause in seen for region in cause.regions)
    faces = [face for cause in seen for region in cause.regions for face in region.faces]
    assert all(0 < face.confidence < 1 or face.card == "unknown" for face in faces), "recognised, not told"
    turned = [entry for entry in entries if any(isinstance(e, model.ObjectTurned) for e in entry.events)]
    assert turned
    assert all(isinstance(entry.cause, ob.TableSeen) for entry in turned[:1])


@pytest.mark.long
@pytest.mark.parametrize("game", ["euchre"])
def test_an_evening_of_cards_is_played_through_pixels_to_its_end(game: str, tmp_path: Path) -> None:
    assert main(["demo", game, "--fast", "--seed", "5", "--record", str(tmp_path / "kept")]) == 0
    rules = RULES[game]
    header, entries = json_lines.read_journal_file(tmp_path / "kept" / "journal.jsonl", RULES)
    outcome = rules.outcome(replay_state(rules, header.setup.with_options(rules.options), entries))
    assert outcome is not None
    assert outcome.winners
    played = [entry for entry in entries if any(isinstance(event, CardPlayed) for event in entry.events)]
    read = [entry for entry in played if isinstance(entry.cause, ob.TableSeen)]
    assert len(read) > 0.99 * len(played)


@pytest.mark.long
def test_its_causes_judged_again_give_its_rulings(whole: Shown) -> None:
    assert main(["replay", str(whole.folder / "journal.jsonl")]) == 0


@pytest.mark.long
def test_the_count_is_heard_where_the_journal_says(whole: Shown) -> None:
    """The closing beep begins with the window's end, and is not cut short."""
    folder = whole.folder
    _, entries = json_lines.read_journal_file(folder / "journal.jsonl", RULES)
    opened = next(e for entry in entries for e in entry.events if isinstance(e, model.CountOpened))
    assert opened.by == "sound"
    with wave.open(str(folder / "sound.wav")) as sound:
        rate = sound.getframerate()
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2").astype(float)

    def loudness(begin: Micros, micros: Micros) -> float:
        first = begin * rate // SECOND
        return float(np.sqrt(np.mean(samples[first : first + micros * rate // SECOND] ** 2)))

    end = opened.first_beat + 3 * SECOND
    assert loudness(end - 60_000, 50_000) < 200, "silence before the beep"
    for part in range(3):
        assert loudness(end + part * 100_000, 100_000) > 2_000, "the beep"
    for beat in range(3):
        assert loudness(opened.first_beat + beat * SECOND, 30_000) > 500, "the tick of a beat"


# At hand ----------------------------------------------------------------------------------------------------


class Watching:
    """A demo in pieces, so that a test may touch it: no thread, no recogniser's slowness."""

    def __init__(self, styles: tuple[PlayStyle, ...] = (PlayStyle.LAWFUL,) * 4) -> None:
        self.clock = ManualClock()
        self.inbox: Inbox = SimpleQueue()
        journal = MemoryJournal(
            make_header("kinapa", Setup((0, 1, 2, 3), KINAPA.options()), kind="demo", seed=2)
        )
        voice = open_voice(Language("en"), SoundSettings(), self.clock, silent=True)
        shared = Runtime(self.clock, self.inbox, voice)
        self.host = DemoHost(
            lambda fingers: SimulatedTable(
                KINAPA,
                journal,
                seed=2,
                styles=styles,
                clock=self.clock,
                inbox=self.inbox,
                fingers=fingers,
                conditions=EASY,
            ),
            shared,
            threads=False,
        )
        self.window = Window((1024, 600))
        self.app = App(
            self.host,
            shared,
            AppParts(session=self.host.session),
            window=self.window,
            pages=build_pages(PageResources((1024, 600), Language)),
            ui_state=UiState(),
        )
        self.window.read_events()

    def until(self, phase: str, latest: Micros = 60 * SECOND) -> None:
        while self.host.session.game.referee.state.phase != phase:
            assert self.clock.now() < latest, self.host.session.game.referee.state.phase
            self.clock.move_to(max(self.app.next_due(), self.clock.now() + 1))
            self.app.run_once()

    def run(self, micros: Micros) -> None:
        until = self.clock.now() + micros
        while self.clock.now() < until:
            self.clock.move_to(min(until, max(self.app.next_due(), self.clock.now() + 1)))
            self.app.run_once()

    @property
    def sources(self) -> list[tuple[int | None, str]]:
        causes = (entry.cause for entry in self.host.session.game.referee.journal.entries)
        return [(cause.chair, cause.source) for cause in causes if isinstance(cause, ob.ButtonPressed)]


@pytest.fixture
def watching() -> Watching:
    return Watching()


def test_a_key_takes_a_chair_over_and_its_cards_still_move(watching: Watching) -> None:
    watching.until("announcing")
    emperor = watching.host.session.game.referee.state.emperor
    watching.app._handle(inputs.KeyPressed(str(emperor + 1), str(emperor + 1)))
    watching.app._handle(inputs.KeyReleased(str(emperor + 1)))
    assert watching.host.table.people.seized == {emperor}
    demo = watching.host.demo_info()
    assert demo.caption is not None
    assert dict(demo.caption.parts) == {"chair": emperor}
    pressed = len(watching.sources)
    watching.run(10 * SECOND)
    assert watching.host.session.game.referee.state.phase == "announcing", "it is their turn to announce"
    assert [source for chair, source in watching.sources[pressed:] if chair == emperor] == ["key"]
    (mine,) = watching.host.session.game.referee.state.desk.marks
    assert mine[1].cursor == 1
    watching.app.carry_out(do.DeclareAction(mine[1].actions[4]))
    watching.until("counting")


def test_a_touch_takes_a_chair_over_too(watching: Watching) -> None:
    watching.until("announcing")
    watching.app.carry_out(do.ChairPress(2, down=True))
    assert watching.host.table.people.seized == {2}
    watching.app.carry_out(do.ChairPress(7, down=True))
    assert watching.host.table.people.seized == {2}, "nobody sits there"


def test_it_can_be_paused_and_goes_on(watching: Watching) -> None:
    watching.until("counting")
    watching.app.carry_out(do.PauseGame())
    watching.run(5 * SECOND)
    assert watching.host.demo_info().paused
    entries = len(watching.host.session.game.referee.journal.entries)
    watching.run(20 * SECOND)
    assert len(watching.host.session.game.referee.journal.entries) == entries
    watching.app.carry_out(do.ContinueGame())
    watching.until("pairing")


def test_escape_asks_and_then_leaves_it_abandoned(watching: Watching) -> None:
    watching.until("announcing")
    watching.app._handle(inputs.KeyPressed("escape"))
    assert not watching.app.quit_requested
    watching.app._handle(inputs.KeyPressed("return"))
    assert watching.app.quit_requested
    outcome = KINAPA.outcome(watching.host.session.game.referee.state)
    assert outcome is not None
    assert (outcome.termination, outcome.winners) == ("abandoned", ())


def test_a_game_of_ones_own_is_not_begun_in_a_demo(watching: Watching) -> None:
    watching.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
    trouble = watching.app.frame().trouble
    assert trouble is not None
    assert trouble.key == "shared.trouble.demo"


def test_the_picture_is_the_cameras_and_a_hand_is_seen_in_it(watching: Watching) -> None:
    watching.until("announcing")
    bare = watching.host.picture()
    assert bare.shape == (720, 1280, 3)
    watching.until("placing")
    assert np.abs(watching.host.picture().astype(int) - bare).max() > 60


class Paced(ManualClock):
    """A clock whose pace a test may set."""


def test_at_another_pace_the_count_is_shown_and_nothing_is_said() -> None:
    clock, voice = Paced(), SilentVoice()
    paced = RealTimeVoice(voice, clock)  # type: ignore[arg-type]
    paced.say([])
    clock.speed = 4.0
    from companion.core.view import Sentence

    paced.say([Sentence("kinapa.HandsLocked")])
    assert voice.said == []
    clock.speed = 1.0
    paced.say([Sentence("kinapa.HandsLocked")])
    assert [sentence.key for sentence in voice.said] == ["kinapa.HandsLocked"]


# At a table's pace ------------------------------------------------------------------------------------------


@pytest.mark.long
def test_interrupted_it_says_what_was_seen_and_leaves_its_record(tmp_path: Path) -> None:
    """At the pace of a table, with every thread: the first announcement, then Ctrl-C."""
    words = ["demo", "--seed", "5", "--record", str(tmp_path / "kept")]
    with running(
        [sys.executable, "-m", "companion", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        first, *_ = (child.stdout.readline() for _ in range(4))
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
    assert first.startswith("No display")
    assert child.returncode == 130
    assert "Traceback" not in err
    found = LAST_LINES.search(out)
    assert found is not None, out
    assert found[6] is None
    _, entries = json_lines.read_journal_file(tmp_path / "kept" / "journal.jsonl", RULES)
    assert isinstance(entries[-1].cause, ob.AbandonRequested)
    assert (tmp_path / "kept" / "sound.wav").stat().st_size > 1_000
    assert pygame.image.load(next((tmp_path / "kept" / "screens").iterdir())).get_size() == (1280, 720)
