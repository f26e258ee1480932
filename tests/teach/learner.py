"""Somebody who learns at the table and knows nothing but what screen and voice say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from msgspec import structs

from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.switch import Edge
from companion.core.view import STEP_CHANGE_GRACE
from companion.language.language import Language
from companion.language.voice.voice import Voice
from companion.programs.build_app import open_voice
from companion.programs.run_table import RealTable
from companion.settings.model import CameraSettings, Settings, StorageSettings
from companion.simulation.simulated_table import DrawnTable
from companion.table.app import App
from companion.table.runtime import AppParts, Runtime
from companion.teach.notation import make_reading
from companion.ui import commands as do
from companion.ui.frame import UiState
from companion.ui.pages import build_pages
from companion.ui.pages.base import PageResources
from companion.ui.toolkit import inputs
from companion.ui.toolkit.window import Window
from tests.ui.foreign import english_only

SIZE = (1024, 600)
FRAME: Micros = SECOND // 10
QUIET, LEAP = 2, 2 * SECOND
"""Frames without news, after which time leaps to what is due next, at most so far."""
NOTHING = "nothing"
"""The answer of somebody who only waits."""
LONG = 40.0
"""Seconds in which something has to happen that happens by itself."""
NUMBER = re.compile(r"\d+")
GUIDED = ("again", "repeat", "show", "skip", "next")


@cache
def spoken(code: str) -> Language:
    """A language, read once."""
    return Language(code)


class Learner:
    """Owns the program, and looks only at what is painted and said."""

    def __init__(
        self, folder: Path, lesson: str, *, drawn: bool = False, pupils: tuple[int, ...] = (0,)
    ) -> None:
        self.settings = Settings(
            storage=StorageSettings(folder=str(folder)), camera=CameraSettings(kind="none")
        )
        self.clock = ManualClock()
        shared = Runtime(self.clock, SimpleQueue(), self.open_voice(), words=spoken)
        self.inbox = shared.inbox
        self.table = RealTable(self.settings, shared, drawn=DrawnTable if drawn else None)
        self.host = self.table.host
        self.window = Window(SIZE)
        self.pages = build_pages(PageResources(SIZE, spoken))
        self.words = spoken("en")
        self.app = App(
            self.host,
            shared,
            AppParts(games=self.table.games),
            window=self.window,
            pages=self.pages,
            ui_state=UiState(),
        )
        self._still = 0
        """For how many frames nothing has happened."""
        self._before: Any = None
        """What was so at the last."""
        self.app.carry_out(do.StartLesson(lesson, (), pupils))

    def open_voice(self) -> Voice:
        """The table's, which keeps its timing and is not heard."""
        return open_voice(spoken("en"), self.settings.sound, self.clock, silent=True)

    def close(self) -> None:
        if self.app.session is not None:
            self.host.close_session(self.app.session)
        self.table.close()
        self.window.close()

    # What is seen -----------------------------------------------------------------------------------------

    @property
    def _sheet(self) -> Any:
        return self.pages["game"].painted_sheet(self.app.frame())

    def reads(self) -> tuple[str, ...]:
        """Every line that is written on the screen."""
        return tuple(text.string for text in self._sheet.text_lines)

    def card(self) -> str:
        """What the lesson says, as it stands on the screen."""
        guide: Any = self.app.frame().guide  # type: ignore[union-attr]
        if guide is None:
            return ""
        said = guide.note if guide.kind == "well" else guide.say
        return f"{guide.step} {self.words.text(said)}"

    def told_wrong(self) -> bool:
        """Whether something stands in red."""
        guide: Any = self.app.frame().guide  # type: ignore[union-attr]
        return guide is not None and guide.note is not None and not guide.good

    def learns(self) -> int:
        """Whose turn it is to learn."""
        guide: Any = self.app.frame().guide  # type: ignore[union-attr]
        return int(guide.chair)

    def kind(self) -> str:
        guide: Any = self.app.frame().guide  # type: ignore[union-attr]
        return "none" if guide is None else guide.kind

    def offers(self) -> tuple[str, ...]:
        """What the learner could touch now: answers, or what stands on the own panel and in the middle."""
        keys = [target.key for target in self._sheet.targets]
        answers = [key for key in keys if key.startswith("answer:")]
        if answers:
            return tuple(answers)
        chair = f"chair:{self._guide.chair}"
        # At a lesson's table chairs and seats are counted alike, and decks that nobody holds come after them.
        others = {one.chair for one in self.app.frame().view.chairs} - {self._guide.chair}  # type: ignore[union-attr]
        said = [
            key for key in keys if key.startswith(("say:", "tile:")) and int(key.split(":")[1]) not in others
        ]
        own = [chair] if not said and chair in keys else []
        rows = [key for key in keys if key.startswith("row:")]
        if not own and not any(key.startswith("say:") for key in said):
            return (*said, *rows, NOTHING)
        places = [key for key in keys if key.startswith("place:")]
        # Of a choice in two the first values, and whatever row the sentence names.
        places += [row for at, row in enumerate(rows) if at in {1, 2} or self.is_told(row)]
        shared = [key for key in ("shared:back", "shared:next", "shared:ok") if key in keys]
        return (*said, *own, *places, *shared, NOTHING)

    @property
    def _guide(self) -> Any:
        return self.app.frame().guide  # type: ignore[union-attr]

    # What is done -----------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Time passes; nobody looks. Where nothing happens it is passed over."""
        until = self.clock.now() + round(seconds * SECOND)
        while self.clock.now() < until:
            self.frame_passes()
            self.app.step()
            session = self.app.session
            assert session is not None
            session.note_frame_shown(session.view)
            now = (len(session.game.referee.journal.entries), session.guide and session.guide.guidance())
            self._still, self._before = (self._still + 1 if now == self._before else 0), now
            then = self.clock.now() + FRAME
            if self._still > QUIET:
                then = max(then, min(session.next_due(), self.clock.now() + LEAP))
            busy = self.busy_until()
            then = then if busy is None else max(self.clock.now() + 1, min(then, busy))
            self.clock.move_to(min(until, then))

    def frame_passes(self) -> None:
        """What a table does meanwhile."""

    def busy_until(self) -> Micros | None:
        """When a table has something to do."""
        return None

    def touch(self, key: str) -> None:
        """A finger on what is written there."""
        if key.startswith("chair:"):
            self.run(STEP_CHANGE_GRACE / SECOND + 0.1)  # nobody presses in the moment in which a step begins
        target = next(target for target in self._sheet.targets if target.key == key)
        x, y = target.rect.center
        if key.startswith("chair:"):
            x, y = target.rect.x + 3, target.rect.y + 3
        for entered in (inputs.FingerDown(x, y), inputs.FingerUp(x, y)):
            ui_state, commands = self.pages["game"].handle(entered, self.app.frame())
            self.app.navigation.ui_state = ui_state
            self._still = 0
            for command in commands:
                self.app.carry_out(command)
            self.run(0.2)

    def lays_out(self) -> None:
        """All cards of the step, page by page, and what is only said after them."""
        while self.kind() in {"lay", "say"}:
            self.touch("next")

    def goes_on(self) -> None:
        """Past what was done well."""
        while self.kind() == "well":
            self.touch("next")

    def press_together(self, *chairs: int) -> None:
        """Several press their buttons, a moment apart, and let go again."""
        for down in (True, False):
            for number, chair in enumerate(chairs):
                at = self.clock.now() + number * SECOND // 25
                self.inbox.put(Edge(chair, "seat", level=down, at=at, source="gpio"))
            self._still = 0
            self.run(0.4)

    def presses_unseen(self, chair: int, seconds: float) -> None:
        """A button goes down and up again while the program is busy with something else."""
        for down in (True, False):
            at = self.clock.now()
            self.inbox.put(Edge(chair, "seat", level=down, at=at, source="gpio"))
            self.clock.move_to(at + round(seconds * SECOND))
        self._still = 0
        self.run(0.5)

    def tells(self, verb: str, value: str | None = None) -> None:
        """Whoever is in turn says on the touch screen what was done with the cards."""
        session = self.app.session
        assert session is not None
        rules, state = session.game.referee.rules, session.game.referee.state
        said = next(one for one in rules.legal_actions(state) if (one.verb, one.value) == (verb, value))
        self.inbox.put(ob.ActionDeclared(at=self.clock.now(), action=said))
        self._still = 0
        self.run(0.5)

    def sees(self, place: str, *faces: str) -> None:
        """The camera reads these cards there."""
        self.inbox.put(make_reading(place, faces, self.clock.now()))
        self._still = 0
        self.run(0.5)

    def touchable(self) -> tuple[str, ...]:
        """Everything that can be touched."""
        return tuple(target.key for target in self._sheet.targets)

    def unreadable(self, codes: tuple[str, ...]) -> list[tuple[str, str]]:
        """What does not fit where it stands, or stands in English, in these languages."""
        found = []
        for code in codes:
            frame: Any = self.app.frame()
            ui_state = structs.replace(frame.ui_state, language=code)
            sheet: Any = self.pages["game"].painted_sheet(replace(frame, ui_state=ui_state))
            english = english_only(code)
            found += [(code, text.string) for text in sheet.text_lines if text.cut or text.string in english]
        return found

    def is_told(self, key: str) -> bool:
        """Whether a number that stands on this button stands in the lesson's sentence too."""
        target = next((target for target in self._sheet.targets if target.key == key), None)
        if target is None:
            return False
        on_it = " ".join(text.string for text in self._sheet.text_lines if target.rect.contains(text.rect))
        return not set(NUMBER.findall(on_it)).isdisjoint(NUMBER.findall(self.card()))

    def lets_pass(self, seconds: float) -> None:
        """Wait, unless the lesson goes on meanwhile."""
        card, waited = self.card(), 0.0
        while waited < seconds and self.card() == card and not self.told_wrong():
            self.run(0.5)
            waited += 0.5

    def performs(self, known: tuple[float, tuple[str, ...]]) -> str:
        """What is known to be right: wait, then touch these; `on` as well if it went on by itself."""
        card, (delay, (*first, last)) = self.card(), known
        self.lets_pass(delay)
        for offer in first:
            if self.card() == card:
                self.touch(offer)
        return self.try_out(last) if self.card() == card else "on"

    def try_out(self, offer: str) -> str:
        """Do it, and wait for what comes of it: `wrong`, `on`, or `still`."""
        card = self.card()
        if offer != NOTHING:
            self.touch(offer)
        waited = 0.0
        while self.card() == card and not self.told_wrong() and waited < (LONG if offer == NOTHING else 6.0):
            self.run(0.5)
            waited += 0.5
        if self.told_wrong():
            return "wrong"
        return "on" if self.card() != card else "still"


class ListeningLearner(Learner):
    """Hears out what is being said before touching anything."""

    def __init__(self, folder: Path, lesson: str, make_voice: Callable[[ManualClock], Voice]) -> None:
        self._make_voice = make_voice
        super().__init__(folder, lesson)

    def open_voice(self) -> Voice:
        self.voice = self._make_voice(self.clock)
        return self.voice

    def touch(self, key: str) -> None:
        until = self.clock.now() + round(LONG * SECOND)
        while self.voice.caption is not None and self.clock.now() < until:
            self.run(0.2)
        if key in self.touchable():  # it may have gone on by itself
            super().touch(key)
