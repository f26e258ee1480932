"""Timing practice: what counts as a reaction, too early, missed; with keys, with pins, without a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from random import Random

import pytest

from companion.__main__ import main
from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.exhibits import DrillResult, DrillStage
from companion.games.kabuki.drill import ANSWER_TIME, DEFAULT_SIGNALS, JOINING_TIME, KabukiDrill
from companion.games.kabuki.rules.model import DESIGN_COLOURS
from companion.language.language import Language
from companion.programs.drill import DrillLoop, Inbox, SimulatedPeople
from companion.ui.frame import UiState
from companion.ui.pages.base import PageResources
from companion.ui.pages.drill import DrillPage
from companion.ui.toolkit import inputs
from companion.ui.toolkit.window import Window
from hardware.simulated_panel import SimulatedPanel

MS: Micros = 1_000


class Least:
    """Chance that always takes the least and the first."""

    def randint(self, a: int, b: int) -> int:
        return a

    def choice(self, seq: Sequence[str]) -> str:
        return seq[0]


def begun(*chairs: int, signals: int = DEFAULT_SIGNALS) -> tuple[KabukiDrill, Micros]:
    """A drill whose first decoy lies since the instant that is given back."""
    drill = KabukiDrill(Least(), signals=signals)
    for chair in chairs:
        drill.press(chair, 0)
    drill.advance(JOINING_TIME)
    at = JOINING_TIME + 2 * SECOND
    drill.advance(at)
    drill.mark_shown(at)
    return drill, at


def twin(drill: KabukiDrill, at: Micros) -> Micros:
    """The twin lies there and was shown; since when."""
    at += 800 * MS
    drill.advance(at)
    drill.mark_shown(at)
    assert drill.lying == drill.buried
    return at


def test_it_begins_some_seconds_after_the_last_one_joined() -> None:
    drill = KabukiDrill(Least())
    drill.press(2, 0)
    drill.press(5, SECOND)
    drill.advance(JOINING_TIME)
    assert drill.stage is DrillStage.GATHERING
    drill.advance(SECOND + JOINING_TIME)
    assert drill.stage is DrillStage.RUNNING
    assert [trained.chair for trained in drill.results] == [2, 5]


def test_a_reaction_is_the_time_from_the_picture_with_the_twin_to_the_edge() -> None:
    drill, at = begun(0)
    since = twin(drill, at)
    drill.press(0, since + 312 * MS)
    drill.press(0, since + 500 * MS)
    assert drill.results == (DrillResult(0, reactions=(312 * MS,), last="hit"),)


def test_a_press_on_another_mask_is_early_once_and_a_look_alike_is_another_mask() -> None:
    drill, at = begun(0)
    assert drill.lying != drill.buried
    drill.press(0, at + 300 * MS)
    drill.press(0, at + 400 * MS)
    assert drill.results == (DrillResult(0, early=1, last="early"),)
    alike = KabukiDrill(Random(1))
    assert {DESIGN_COLOURS[mask] for mask in DESIGN_COLOURS} > {"blue"}
    assert alike.stage is DrillStage.GATHERING


def test_the_stamp_decides_what_lay_there_however_late_the_press_is_delivered() -> None:
    drill, at = begun(0, 1)
    since = twin(drill, at)
    drill.press(0, since - 1)
    drill.press(1, since)
    assert [(trained.early, trained.reactions) for trained in drill.results] == [(1, ()), (0, (0,))]


def test_who_does_not_press_in_time_has_missed_it() -> None:
    drill, at = begun(0, 1)
    since = twin(drill, at)
    drill.press(0, since + ANSWER_TIME)
    drill.advance(since + ANSWER_TIME + SECOND)
    assert [(trained.misses, len(trained.reactions)) for trained in drill.results] == [(0, 1), (1, 0)]


def test_it_is_over_after_its_signals_and_a_press_of_a_stranger_is_nothing() -> None:
    drill, at = begun(0, signals=1)
    since = twin(drill, at)
    drill.press(7, since + MS)
    due = drill.due()
    assert due is not None
    drill.advance(due)
    assert drill.stage is DrillStage.OVER
    assert drill.due() is None
    assert [trained.chair for trained in drill.results] == [0]


@pytest.mark.parametrize("seed", range(5))
def test_every_twin_is_either_hit_or_missed_by_everybody(seed: int) -> None:
    chance = Random(seed)
    drill = KabukiDrill(Random(seed))
    for chair in range(4):
        drill.press(chair, 0)
    while (due := drill.due()) is not None:
        drill.advance(due)
        drill.mark_shown(due + 3 * MS)
        if drill.lying and chance.random() < 0.6:
            drill.press(chance.randrange(4), due + chance.randint(5, 700) * MS)
    assert drill.stage is DrillStage.OVER
    assert all(len(trained.reactions) + trained.misses == DEFAULT_SIGNALS for trained in drill.results)


# With buttons and keys --------------------------------------------------------------------------------------


class Bench:
    """The drill's loop on simulated pins, under a clock that is moved by hand."""

    def __init__(self, signals: int = 2) -> None:
        self.clock = ManualClock()
        inbox: Inbox = SimpleQueue()
        self.panel = SimulatedPanel(self.clock, inbox.put, chance=Random(3))
        self.window = Window((1024, 600))
        page = DrillPage(PageResources((1024, 600), Language))
        self.practice = DrillLoop(
            self.clock,
            inbox,
            self.window,
            page,
            UiState(),
            make=lambda: KabukiDrill(Random(4), signals=signals),
            level=self.panel.buttons.read_level,
        )

    def run(self, until: Callable[[], bool], also: Callable[[], None] = lambda: None) -> None:
        while not until():
            assert self.clock.now() < 200 * SECOND
            dues = [self.practice.next_due(), self.panel.next_due()]
            self.clock.move_to(max(self.clock.now() + 1, min(due for due in dues if due is not None)))
            self.panel.advance(self.clock.now())
            self.practice.run_once()
            also()

    def close(self) -> None:
        self.panel.close()
        self.window.close()


@pytest.fixture(autouse=True)
def nobody_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def test_simulated_people_go_through_it_on_pins_that_bounce() -> None:
    bench = Bench()
    people = SimulatedPeople(lambda chair, at: bench.panel.tap(chair, at=at), Random(5))

    def look() -> None:
        people(bench.practice.drill, bench.clock.now())

    bench.run(lambda: bench.practice.drill.stage is DrillStage.OVER, look)
    quick, slow, _ = bench.practice.drill.results
    assert len(quick.reactions) == len(slow.reactions) == 2
    assert all(150 * MS < reaction < 450 * MS for reaction in quick.reactions)
    bench.close()


def test_keys_are_enough() -> None:
    bench = Bench()
    press, release = inputs.KeyPressed("3", "3"), inputs.KeyReleased("3")

    def tap() -> None:
        bench.practice._handle(press)
        bench.practice._handle(release)

    tap()
    drill = bench.practice.drill
    bench.run(lambda: bool(drill.trained))
    bench.run(lambda: bool(drill.lying) and drill.lying == drill.buried)
    at = bench.clock.now()
    bench.run(lambda: bench.clock.now() >= at + 200 * MS)
    tap()
    bench.run(lambda: bool(drill.results[0].reactions))
    assert drill.results[0].chair == 2
    assert 190 * MS < drill.results[0].reactions[0] < 230 * MS
    bench.practice._handle(inputs.KeyPressed("escape"))
    assert bench.practice.quit_requested
    bench.close()


def test_it_is_never_counted_among_the_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = f"storage.folder={tmp_path / 'games'}"
    assert main(["--set", folder, "drill", "--signals", "0"]) == 2
    assert "from 1 to 100" in capsys.readouterr().err
    bench = Bench(signals=1)
    people = SimulatedPeople(lambda chair, at: bench.panel.tap(chair, at=at), Random(5))
    bench.run(
        lambda: bench.practice.drill.stage is DrillStage.OVER,
        lambda: people(bench.practice.drill, bench.clock.now()),
    )
    bench.close()
    assert not (tmp_path / "games").exists(), "a drill has no store"
