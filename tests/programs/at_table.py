"""Every lesson at a simulated table: cards laid by hand and read from pictures, buttons on mock pins.

`make lessons`, or `make lessons ARGS="kabuki kinapa/two"`; it takes minutes, so `make test` does without.
Whoever learns here knows what `learner.Learner` knows, and besides what a hand can do: press and hold the own
button, and lay each card that the screen shows in the own hand, on the deck or face down, in
each place of the mat.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from companion.camera.table_reader import load_deck_of_game
from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.view import STEP_CHANGE_GRACE, VALUE_ONLY_PREFIX
from companion.games import mat_layout
from companion.simulation.simulated_table import SceneBuilder
from companion.system import asset_paths
from companion.teach.lesson import find_lesson_files, load_lesson
from companion.vision.layout import Calibration
from companion.vision.recogniser import Recogniser, limit_opencv_to_one_thread
from companion.vision.renderer import MIDDLE, TableRenderer, TableScene, Textures
from companion.vision.table_watcher import TableWatcher
from hardware.simulated_panel import SimulatedPanel
from tests.teach.learner import Learner
from tests.teach.test_lessons import MOST, Student

Cards = tuple[str, ...]
PICTURE: Micros = SECOND // 5
"""From picture to picture while the table changes; a table at rest is not looked at again."""
AT_REST: Micros = 2 * SECOND
"""So long after a change everything on it has settled."""
HELD: Micros = 800_000
BACKS: Mapping[str, str] = {"kinapa": "back:blue", "kobayakawa": "back:number"}


def upper(card: str) -> int:
    """The value of `pair:4-6@180` that lies on top."""
    values = card.partition(":")[2].partition("@")[0].split("-")
    return int(values[card.endswith("@180")])


class Hands(Learner):
    """Owns the table as well: what lies there, its pictures, and the pins of its buttons."""

    def __init__(self, folder: Path, lesson: str) -> None:
        super().__init__(folder, lesson)
        session = self.app.session
        assert session is not None
        limit_opencv_to_one_thread()
        referee = session.game.referee
        self._game = referee.rules.name
        self._own = referee.setup.chairs[0]
        layout = mat_layout(self._game, referee.rules.hand_count(referee.setup))
        self._spots = {place.name for place in layout.places}
        self._noise = np.random.default_rng(1)
        self._renderer = TableRenderer(
            Textures.load(asset_paths.bundled_assets_folder() / "decks" / self._game), layout, MIDDLE
        )
        calibration = Calibration.from_marks(self._renderer.render(TableScene(), self._noise), layout)
        self._scenes = SceneBuilder(layout, referee.setup.chairs, Random(1))
        self._watcher = TableWatcher(Recogniser(load_deck_of_game(self._game)), layout, calibration)
        self.panel = SimulatedPanel(self.clock, self.inbox.put, chance=Random(2))
        self.moved: dict[str, Cards] = {}
        """What was laid by hand and is not on the screen yet."""
        self._lies: dict[str, Cards] = {}
        self._changed: Micros = 0
        self._next: Micros = 0
        self.pictures = self.readings = self.presses = self.laid = 0
        self.inbox.put(ob.CameraRecovered(at=self.clock.now()))
        self.run(0.2)

    def close(self) -> None:
        self.panel.close()
        super().close()

    # The table --------------------------------------------------------------------------------------------

    def _table(self) -> dict[str, Cards]:
        """The cards as people keep them: as the screen has them, and what was laid by hand since."""
        places: dict[str, Cards] = {}
        laid = {where: cards for where, _, cards in self._guide.lay} if self._guide else {}
        for place in self.app.frame().view.places:  # type: ignore[union-attr]
            cards = (place.card, *place.on_top)
            if any(card.startswith(VALUE_ONLY_PREFIX) for card in cards):
                own = laid.get(f"{place.region}", laid.get("set", ()))
                cards = own if len(own) == len(cards) else ()
            if cards and cards[0] not in {"", "unknown"} and place.region in self._spots:
                places[place.region] = cards
        view = self.app.frame().view  # type: ignore[union-attr]
        if view.card and self._game in self._spots:
            places[self._game] = (view.card,)
        return {**places, **self.moved}

    def frame_passes(self) -> None:
        """Fingers move, and a picture is taken if one is due."""
        now = self.clock.now()
        self.panel.advance(now)
        table = self._table()
        if table != self._lies:
            self._lies, self._changed, self._next = table, now, now
        if now < self._next or now > self._changed + AT_REST:
            return
        self._next = now + PICTURE
        self.pictures += 1
        seen = self._watcher.step(
            self._renderer.render(self._scenes.build_scene(table, ()), self._noise), now
        )
        if seen is not None:
            self.readings += 1
            self.inbox.put(seen)

    def busy_until(self) -> Micros | None:
        """When a picture or an edge is due."""
        pictured = self._next if self.clock.now() <= self._changed + AT_REST else None
        dues = [due for due in (pictured, self.panel.next_due()) if due is not None]
        return min(dues, default=None)

    # What hands can do ------------------------------------------------------------------------------------

    def offers(self) -> tuple[str, ...]:
        """What is offered to a finger, the own button held, and every card that could be laid."""
        offered = super().offers()
        if any(one.startswith("answer:") for one in offered):
            return offered
        hold = (f"hold:{self._guide.chair}",) if f"chair:{self._guide.chair}" in offered else ()
        return (*offered[:-1], *hold, *self._layings(), *offered[-1:])

    def _layings(self) -> tuple[str, ...]:
        """`lay:PLACE=CARDS`: cards in sight, each onto each place where one could lie."""
        rows: Sequence[Any] = self._guide.lay
        own = next((cards for name, chair, cards in rows if (name, chair) == ("", self._guide.chair)), ())
        deck = next((cards for name, _, cards in rows if name == "deck"), ())
        table, number = self._table(), self._guide.chair + 1
        match self._game:
            case "kabuki":
                return tuple(
                    f"lay:{place}={mask}"
                    for mask in deck[:1]
                    for place in sorted(self._spots)
                    if place.startswith("stack:") and table.get(place) != (mask,)
                )
            case "kinapa":
                shown = {name: cards for name, _, cards in rows if name.startswith("slot:")}
                downs = (f"lay:{name}={cards[0]}" for name, cards in shown.items() if name in table)
                ups = [name for name, cards in table.items() if cards[0].startswith("object:")]
                pairs = {card.partition(":")[2] for card in own if own.count(card) == 1}
                both = [n for n in pairs if f"animal:{n}" in own and f"shelter:{n}" in own]
                on = (f"lay:{up}={table[up][0]},animal:{n},shelter:{n}" for up in ups for n in both)
                under = (f"lay:{up}={BACKS['kinapa']}" for up in ups if len(table[up]) == 1)
                return (
                    *(one for one in downs if table[one[4:].partition("=")[0]][0] == "back:blue"),
                    *on,
                    *under,
                )
            case "kobayakawa":
                sight = (*own, *deck)
                return tuple(f"lay:{kind}:{number}={card}" for kind in ("discard", "hand") for card in sight)
            case _:
                groups = {(card,) for card in own}
                groups |= {tuple(one for one in own if upper(one) == upper(card)) for card in own}
                return tuple(
                    f"lay:{place}={','.join(group)}"
                    for group in sorted(groups)
                    for place in sorted(self._spots)
                    if place.startswith("set:") and place not in table
                )

    def touch(self, key: str) -> None:
        """Own and shared buttons are pressed on their pins, cards laid; the rest is touched."""
        kind, _, rest = key.partition(":")
        if kind == "lay":
            place, _, cards = rest.partition("=")
            self.moved[place] = tuple(cards.split(","))
            self.laid += 1
        elif kind in {"chair", "hold"} and self._guide is not None and self._guide.accepts_play:
            self.presses += 1
            self.run(STEP_CHANGE_GRACE / SECOND + 0.1)  # nobody presses in the moment in which a step begins
            self.panel.press(int(rest), hold=HELD if kind == "hold" else 120_000)
        elif kind == "shared" and rest in {"ok", "next", "back"} and self._guide is not None:
            self.presses += 1
            self.panel.tap(None, rest)
        else:
            if self.kind() == "lay":  # cards are laid before anybody says that they are
                self.run(2 * AT_REST / SECOND)
            super().touch(key)
            return
        self._still = 0
        self.run(1.2)

    def try_out(self, offer: str) -> str:
        came = super().try_out(offer)
        if came != "on" or not self.moved:
            for place in self.moved:  # it is put back, and the place is looked at anew
                self._watcher.read_again(place)
        self.moved.clear()
        return came


def gone_through(file: Path) -> str:
    """One lesson with every mistake, then without one; a line of figures."""
    began, student, counts = time.process_time(), Student(), [0, 0, 0, 0]
    with TemporaryDirectory() as folder:
        for place, sweep in enumerate((False, True)):
            clumsy = Hands(Path(folder) / str(place), str(file))
            student.go_through(clumsy, sweep=sweep)
            _count(counts, clumsy)
        good = Hands(Path(folder) / "good", str(file))
        slips = _without_a_mistake(good, student)
        _count(counts, good)
    tries = sum(len(one.known) for one in student.tries.values())
    hand = sum(
        one.right is not None and one.right[1][-1].startswith("lay:") for one in student.tries.values()
    )
    pictures, readings, presses, laid = counts
    return (
        f"{file.parent.name}/{file.stem}: {len(student.tries)} cards of the lesson, {tries} tries,"
        f" {student.mistakes} mistakes answered; without a mistake: {slips} told wrong;"
        f" {pictures} pictures, {readings} readings, {presses} presses on pins, {laid} layings"
        f" ({hand} of the right ways); {time.process_time() - began:.0f} s of processor"
    )


def _count(counts: list[int], one: Hands) -> None:
    for at, value in enumerate((one.pictures, one.readings, one.presses, one.laid)):
        counts[at] += value
    one.close()


def _without_a_mistake(good: Hands, student: Student) -> int:
    """To the first round by what was found to be right; how often it was told to be wrong."""
    slips = 0
    for _ in range(MOST):
        kind, card = good.kind(), good.card()
        if kind == "round":
            return slips
        if kind in {"lay", "say", "wrong"}:
            good.touch("next")
        else:
            right = student.tries[card].right
            assert right is not None, card
            came = good.performs(right)
            assert came == "on", (card, right, came, good.reads())
        slips += good.told_wrong()
    raise AssertionError("the lesson has no end")


def main(wanted: Sequence[str]) -> int:
    for file in find_lesson_files():
        lesson = load_lesson(file)
        if not wanted or {lesson.game, f"{lesson.game}/{file.stem}"} & set(wanted):
            print(gone_through(file), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
