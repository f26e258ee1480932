"""What still works without a part: the table in the README, cell by cell.

The real app, window, store, rules, recogniser and gpiozero classes; pins and camera are imitated where they
are there, and are truly not there where they are missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.games import RULES, mat_layout
from companion.games.paths import assets
from companion.referee.store import Store
from companion.run.build_app import open_voice
from companion.settings.model import Sound
from companion.table import real as _table_host
from companion.ui import commands as do
from companion.ui.frame import GameFrame
from companion.ui.language import Language
from companion.ui.track import Nowhere
from companion.vision.render import EASY, Renderer, Scene, Textures
from hardware.errors import GpioMissingError
from hardware.pins import pin_table
from hardware.simulated import ClockedFactory
from tests.app.test_play import Playing

CHAIRS = (0, 2, 4, 6)
SLOT, LABEL = 3, "5-6"
MILLI: Micros = 1_000
STEP = SECOND // 5


class Degraded(Playing):
    """A table of four without one of its parts."""

    def __init__(self, folder: Path, missing: str) -> None:
        self.missing = missing
        self.factory: ClockedFactory | None = None
        if missing == "storage":
            folder.write_text("in the way", encoding="utf-8")
        super().__init__(folder, "setup")
        self.spoken: list[str] = []
        if missing == "sound":
            self.host.voice = open_voice(Language("en"), Sound(), self.clock, silent=True)
            self.host.voice._output = Nowhere("there is no sound card")

    def press(self, chair: int, hold: Micros = STEP) -> None:
        """A finger on the chair's own button; without buttons on its key."""
        if self.missing == "buttons":
            self.key(str(chair + 1), hold)
            return
        assert self.factory is not None
        pin = self.factory.pin(dict(pin_table().buttons)[chair, "seat"])
        pin.drive_low()
        self.run(hold)
        pin.drive_high()
        self.run(STEP)

    def choose(self, *words: str) -> None:
        """By touch; without a screen by the chairs' buttons alone: taps step, a hold chooses."""
        if self.missing != "screen":
            super().choose(*words)
            return
        verb, value = words[0], int(words[1]) if len(words) > 1 else None
        for _ in range(20):
            for (chair, press), action in RULES["kinapa"].controls(self.state).items():
                if chair is not None and action.verb == verb and value in {action.value, None}:
                    self.press(chair, SECOND if press == "hold" else STEP)
                    return
            (asked,) = [chair.chair for chair in self.session.view.chairs if chair.asked]
            self.press(asked)
        raise AssertionError(f"no button says {words}")

    def begin(self) -> None:
        for chair in CHAIRS:
            self.press(chair)
        self.app.carry_out(do.Start("kinapa", CHAIRS, None))
        self.run()

    def announce(self, number: int) -> None:
        """The Emperor steps to the number by the button and holds it."""
        if self.state.phase == "starting":
            self.press(CHAIRS[0])
        self.choose("announce", str(number))

    def counted(self, *raised: int) -> None:
        self.announce(7)
        for _ in range(60):
            if self.state.phase == "counting":
                break
            self.run(STEP)
        assert self.state.phase == "counting"
        for chair in raised:
            self.press(chair)
        self.run(4 * SECOND)
        assert self.state.phase != "counting"

    def turning(self) -> None:
        """To where the Emperor turns an object over."""
        self.counted(CHAIRS[1])
        for words in (("no_pair",), ("draw_from", str(self.state.lowered[0])), ("drawn",), ("return",)):
            self.choose(*words)
        assert self.state.phase == "turning"

    def show(self, card: str) -> None:
        """The camera sees a table on which this card lies in its place."""
        layout = mat_layout("kinapa", 4)
        folder = assets() / "decks" / "kinapa"
        renderer = Renderer(Textures.load(folder), layout, EASY)
        laid = ((card, layout.object_place(f"slot:{SLOT}").centre_mm, 0.0),) if card else ()
        noise = np.random.default_rng(1)
        for _ in range(12):
            self.run(STEP)
            for seen in self.host._eye.step(renderer.render(Scene(laid), noise), self.clock.now()):
                self.inbox.put(seen)
        self.run()


Table = Callable[[str], Degraded]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    opened: list[Degraded] = []

    def open_(missing: str) -> Degraded:
        made: list[ClockedFactory] = []

        def factory(chip: int | None = None) -> ClockedFactory:
            if missing == "buttons":
                raise GpioMissingError("there are no pins here")
            made.append(ClockedFactory(clock()))
            return made[-1]

        def clock() -> Clock:
            return HELD[0]

        HELD: list[Clock] = []
        real = _table_host.TableHost.__init__

        def init(self: Any, settings: Any, shared: Any, **more: Any) -> None:
            HELD.append(shared.clock)
            real(self, settings, shared, **more)

        monkeypatch.setattr(_table_host.TableHost, "__init__", init)
        monkeypatch.setattr(_table_host, "open_factory", factory)
        one = Degraded(tmp_path / "games", missing)
        one.factory = made[-1] if made else None
        opened.append(one)
        one.begin()
        return one

    yield open_
    for one in opened:
        one.close()


def a_press(table: Degraded) -> None:
    """A chair's press is ruled on, and says where it came from."""
    table.counted(CHAIRS[1])
    causes = [entry.cause for entry in table.session.game.referee.journal.entries]
    presses = [cause for cause in causes if isinstance(cause, ob.ButtonPressed) and cause.chair == CHAIRS[1]]
    assert {press.source for press in presses} == {"key" if table.missing == "buttons" else "gpio"}
    assert any(type(event).__name__ == "HandRaised" for event in events(table))


def the_count(table: Degraded) -> None:
    """Three seconds are counted, opened by what people hear, or see where there is no sound."""
    table.counted()
    (heard,) = [
        entry.cause
        for entry in table.session.game.referee.journal.entries
        if isinstance(entry.cause, ob.CueHeard)
    ]
    assert heard.by == ("screen" if table.missing == "sound" else "sound")
    assert any(type(event).__name__ == "HandsLocked" for event in events(table))


def a_card(table: Degraded) -> None:
    """A card that is turned over is known: seen by the camera, or told."""
    table.turning()
    if table.missing == "camera":
        table.choose("turn")
    else:
        table.show(f"object:{LABEL}")
    assert any(type(event).__name__ == "ObjectTurned" for event in events(table))
    seen = [
        entry for entry in table.session.game.referee.journal.entries if isinstance(entry.cause, ob.TableSeen)
    ]
    assert bool(seen) is (table.missing != "camera")


def what_is_told(table: Degraded) -> None:
    """A ruling reaches the people: on the screen, and aloud."""
    table.counted()
    frame = table.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.view.headline.key.startswith("kinapa.")
    assert frame.say is not None
    assert table.host.voice.available is (table.missing != "sound")


def the_game_is_kept(table: Degraded) -> None:
    """Every ruling is in the store; without storage the table is told, and it is written once it can be."""
    table.counted()
    frame = table.app.frame()
    told = frame.trouble.key if frame.trouble is not None else ""
    assert told.startswith("shared.alarm.storage") is (table.missing == "storage")
    if table.missing == "storage":
        Path(table.settings.storage.folder).unlink()
    journal = table.session.game.referee.journal
    table.host.put_away(table.session)
    table.app.session = None
    with Store(table.settings.store_file(), RULES) as store:
        (game,) = store.games()
        assert store.read(game.game)[1] == list(journal.entries)


def events(table: Degraded) -> list[Any]:
    return [event for entry in table.session.game.referee.journal.entries for event in entry.events]


COLUMNS = (a_press, the_count, a_card, what_is_told, the_game_is_kept)
ROWS = ("nothing", "camera", "buttons", "screen", "sound", "storage")


@pytest.mark.parametrize("works", COLUMNS, ids=lambda works: works.__name__)
@pytest.mark.parametrize("missing", ROWS)
def test_what_works_without(missing: str, works: Callable[[Degraded], None], table: Table) -> None:
    works(table(missing))


def test_the_table_in_the_readme_has_these_rows_and_columns(checkout: Path) -> None:
    text = (checkout / "README.md").read_text(encoding="utf-8")
    rows = [
        line.split("|")[1:-1] for line in text.partition("## Without a part")[2].splitlines() if "|" in line
    ]
    head, _, *body = [[cell.strip() for cell in row] for row in rows[: len(ROWS) + 2]]
    assert [re.sub(r"\W+", "_", name) for name in head[1:]] == [column.__name__ for column in COLUMNS]
    assert [row[0] for row in body] == list(ROWS)
    assert all(all(row) for row in body)
