"""What still works without a part: the table in `docs/know/without.md`, cell by cell.

The real app, window, store, rules, recogniser and gpiozero classes; pins and camera are imitated where they
are there, and are truly not there where they are missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.button_choices import presses_to
from companion.core.clock import Clock
from companion.core.events import Event, kind_of
from companion.games import RULES, mat_layout
from companion.language.language import Language
from companion.language.voice.sound_outputs import NullOutput
from companion.programs.build_app import open_voice
from companion.referee.journal import Entry
from companion.referee.store import GameStore
from companion.settings.model import SoundSettings
from companion.system.asset_paths import bundled_assets_folder
from companion.table import real_host as _table_host
from companion.ui import commands as do
from companion.ui.frame import GameFrame
from companion.vision.renderer import EASY, TableRenderer, TableScene, Textures
from hardware.errors import GpioMissingError
from hardware.pin_table import build_pin_table
from hardware.simulated_panel import ClockedFactory
from tests.whole.playing import Playing

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
            self.host.voice = open_voice(Language("en"), SoundSettings(), self.clock, silent=True)
            self.host.voice._output = NullOutput("there is no sound card")

    def press(self, chair: int, hold: Micros = STEP) -> None:
        """A finger on the chair's own button; without buttons on its key."""
        if self.missing == "buttons":
            self.key(str(chair + 1), hold)
            return
        assert self.factory is not None
        pin = self.factory.pin(dict(build_pin_table().buttons)[chair, "seat"])
        pin.drive_low()
        self.run(hold)
        pin.drive_high()
        self.run(STEP)

    def choose(self, *words: str) -> None:
        """By touch; without a screen by the chairs' buttons alone."""
        if self.missing != "screen":
            super().choose(*words)
            return
        verb, value = words[0], int(words[1]) if len(words) > 1 else None
        for prompt in RULES["kinapa"].prompts(self.state):
            for action in prompt.actions:
                if action.verb == verb and value in {action.value, None}:
                    for press in presses_to(self.state.desk, prompt, action):
                        self.press(prompt.chair, SECOND if press == "hold" else STEP)
                    return
        raise AssertionError(f"no button says {words}")

    def begin(self) -> None:
        for chair in CHAIRS:
            self.press(chair)
        self.app.carry_out(do.StartGame("kinapa", CHAIRS, None))
        self.run()

    def announce(self, number: int) -> None:
        """The Emperor says the number by the button."""
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
        """From the end of the count to where the Emperor turns an object over."""
        for words in (("no_pair",), ("draw_from", str(self.state.lowered[0])), ("drawn",), ("return",)):
            self.choose(*words)
        assert self.state.phase == "turning"

    def show(self, card: str) -> None:
        """The camera sees a table on which this card lies in its place."""
        layout = mat_layout("kinapa", 4)
        folder = bundled_assets_folder() / "decks" / "kinapa"
        renderer = TableRenderer(Textures.load(folder), layout, EASY)
        laid = ((card, layout.object_card_place(f"slot:{SLOT}").centre_mm, 0.0),) if card else ()
        noise = np.random.default_rng(1)
        for _ in range(12):
            self.run(STEP)
            for seen in self.host._reader.step(renderer.render(TableScene(laid), noise), self.clock.now()):
                self.inbox.put(seen)
        self.run()


class Played(NamedTuple):
    """What one game without a part came to."""

    missing: str
    counted: list[Entry[Event]]
    """The journal once the count was over."""
    turned: list[Entry[Event]]
    """The journal once a card was turned over."""
    frame: GameFrame
    """What was on the screen once the count was over."""
    heard: bool
    """Whether there is a voice."""
    kept: list[Entry[Event]]
    """What the store gives back."""


def opened(missing: str, folder: Path, patch: pytest.MonkeyPatch) -> Degraded:
    """A table without this part, at which a game began."""
    made: list[ClockedFactory] = []
    clocks: list[Clock] = []
    real = _table_host.TableHost.__init__

    def factory(chip: int | None = None) -> ClockedFactory:
        if missing == "buttons":
            raise GpioMissingError("there are no pins here")
        made.append(ClockedFactory(clocks[0]))
        return made[-1]

    def init(self: Any, settings: Any, shared: Any, **more: Any) -> None:
        clocks.append(shared.clock)
        real(self, settings, shared, **more)

    patch.setattr(_table_host.TableHost, "__init__", init)
    patch.setattr(_table_host, "open_pin_factory", factory)
    one = Degraded(folder, missing)
    one.factory = made[-1] if made else None
    one.begin()
    return one


def play(missing: str, folder: Path) -> Played:
    """Count, with one hand raised; turn a card over; put the game away."""
    with pytest.MonkeyPatch.context() as patch:
        table = opened(missing, folder, patch)
        try:
            table.counted(CHAIRS[1])
            journal = table.session.game.referee.journal
            counted, frame = list(journal.entries), table.app.frame()
            assert isinstance(frame, GameFrame)
            table.turning()
            if missing == "camera":
                table.choose("turn")
            else:
                table.show(f"object:{LABEL}")
            if missing == "storage":
                folder.unlink()
            table.host.close_session(table.session)
            table.app.navigation.session = None
            with GameStore(table.settings.store_file(), RULES) as store:
                (game,) = store.list_games()
                kept = list(store.read_game(game.game)[1])
            return Played(missing, counted, list(journal.entries), frame, table.host.voice.available, kept)
        finally:
            table.close()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Played]:
    """Each game is played once, whichever of its cells is looked at first."""
    known: dict[str, Played] = {}

    def without(missing: str) -> Played:
        if missing not in known:
            known[missing] = play(missing, tmp_path_factory.mktemp("table") / "games")
        return known[missing]

    return without


def a_press(played: Played) -> None:
    """A chair's press is ruled on, and says where it came from."""
    causes = [entry.cause for entry in played.counted]
    presses = [cause for cause in causes if isinstance(cause, ob.ButtonPressed) and cause.chair == CHAIRS[1]]
    assert {press.source for press in presses} == {"key" if played.missing == "buttons" else "gpio"}
    assert "HandRaised" in ruled(played.counted)


def the_count(played: Played) -> None:
    """Three seconds are counted, opened by what people hear, or see where there is no sound."""
    (heard,) = [entry.cause for entry in played.counted if isinstance(entry.cause, ob.CueHeard)]
    assert heard.by == ("screen" if played.missing == "sound" else "sound")
    assert "HandsLocked" in ruled(played.counted)


def a_card(played: Played) -> None:
    """A card that is turned over is known: seen by the camera, or told."""
    assert "ObjectTurned" in ruled(played.turned)
    seen = [entry for entry in played.turned if isinstance(entry.cause, ob.TableSeen)]
    assert bool(seen) is (played.missing != "camera")


def what_is_told(played: Played) -> None:
    """A ruling reaches the people: on the screen, and aloud."""
    assert played.frame.view.headline.key.startswith("kinapa.")
    assert played.frame.say is not None
    assert played.heard is (played.missing != "sound")


def the_game_is_kept(played: Played) -> None:
    """Every ruling is in the store; without storage the table is told, and it is written once it can be."""
    told = played.frame.trouble.key if played.frame.trouble is not None else ""
    assert told.startswith("shared.alarm.storage") is (played.missing == "storage")
    assert played.kept == played.turned


def ruled(entries: list[Entry[Event]]) -> set[str]:
    return {kind_of(event) for entry in entries for event in entry.events}


COLUMNS = (a_press, the_count, a_card, what_is_told, the_game_is_kept)
ROWS = ("nothing", "camera", "buttons", "screen", "sound", "storage")


@pytest.mark.parametrize("works", COLUMNS, ids=lambda works: works.__name__)
@pytest.mark.parametrize("missing", ROWS)
def test_what_works_without(
    missing: str, works: Callable[[Played], None], played: Callable[[str], Played]
) -> None:
    works(played(missing))


def test_the_table_in_the_readme_has_these_rows_and_columns(checkout: Path) -> None:
    text = (checkout / "docs" / "know" / "without.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in text.splitlines() if "|" in line]
    head, _, *body = [[cell.strip() for cell in row] for row in rows[: len(ROWS) + 2]]
    assert [re.sub(r"\W+", "_", name) for name in head[1:]] == [column.__name__ for column in COLUMNS]
    assert [row[0] for row in body] == list(ROWS)
    assert all(all(row) for row in body)
