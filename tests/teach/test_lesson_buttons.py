"""A lesson answered by keys and buttons: one tap steps, one hold chooses, whatever card lay there before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.switch import Edge
from companion.ui import commands as do
from companion.ui.toolkit import inputs
from companion.ui.toolkit.window import Window
from tests.teach.learner import SIZE, Learner
from tests.thorough import examples

MILLI = SECOND // 1_000


class KeyWindow(Window):
    """A window at which the keys are a list."""

    def __init__(self) -> None:
        super().__init__(SIZE)
        self.entered: list[inputs.Input] = []

    def read_events(self) -> list[inputs.Input]:
        entered, self.entered = self.entered, []
        return entered


class Pupil(Learner):
    """Somebody who learns by keys, buttons and frames as long as they take."""

    def __init__(self, folder: Path, lesson: str = "kinapa") -> None:
        super().__init__(folder, lesson)
        self.keys = KeyWindow()
        self.app.window = self.keys

    def frames(self, millis: int, *, of: int = 20) -> None:
        """Turns of the program, each as long as said."""
        until = self.clock.now() + millis * MILLI
        while self.clock.now() < until:
            self.clock.move_to(min(until, self.clock.now() + of * MILLI))
            self.app.run_once()

    def level(self, source: str, *, down: bool, chair: int = 0) -> None:
        if source == "key":
            name = str(chair + 1)
            self.keys.entered.append(inputs.KeyPressed(name) if down else inputs.KeyReleased(name))
        else:
            at = self.clock.now()
            self.inbox.put(Edge(chair, "seat", level=down, at=at, source=source))

    def tap(self, source: str, millis: int = 100, *, of: int = 20) -> None:
        """Press and let go; each frame takes so long."""
        self.level(source, down=True)
        self.frames(millis, of=of)
        self.level(source, down=False)
        self.frames(200)

    def go_to(self, kind: str) -> None:
        """On to the next card of this kind; after the last step the lesson is begun once more."""
        while self.kind() != kind:
            if self.kind() in {"round", "over", "done"}:
                self.app.carry_out(do.StartLesson("kinapa", (), (0,)))
            else:
                self.app.carry_out(
                    do.ControlGuide("next" if self.kind() in {"lay", "say", "wrong", "well"} else "skip")
                )
            self.frames(20)

    def go_to_first_words(self) -> None:
        """On to what is said before the first question."""
        self.go_to("lay")
        while self.kind() == "lay":
            self.app.carry_out(do.ControlGuide("next"))
            self.frames(20)

    def marked(self) -> str:
        target = self.pages["game"].focused_target(self.app.frame())  # type: ignore[arg-type]
        return "" if target is None else target.key

    def is_at_rest(self) -> bool:
        session = self.app.session
        assert session is not None
        return not session.game.buttons_maybe_down() and session.game.stuck_button(self.clock.now()) is None


@pytest.fixture
def pupil(tmp_path: Path) -> Iterator[Pupil]:
    one = Pupil(tmp_path)
    yield one
    one.close()


@pytest.mark.parametrize("source", ["key", "gpio"])
def test_a_tap_steps_through_the_answers_and_a_hold_chooses(pupil: Pupil, source: str) -> None:
    pupil.go_to("quiz")
    assert pupil.marked() == "answer:1"
    pupil.tap(source)
    assert (pupil.marked(), pupil.told_wrong()) == ("answer:2", False)
    before = pupil.card()
    pupil.tap(source, 800)
    assert (pupil.card() != before, pupil.told_wrong()) == (True, False), "the second one is right"
    pupil.go_to("quiz")
    pupil.tap(source)
    pupil.tap(source)
    assert (pupil.marked(), pupil.told_wrong()) == ("answer:3", False)


def test_a_tap_steps_also_where_drawing_what_it_did_takes_long(pupil: Pupil) -> None:
    """The key is up again while the program draws; the first answer, a wrong one, is not chosen by that."""
    pupil.go_to("quiz")
    pupil.tap("key", 900, of=900)
    assert (pupil.marked(), pupil.told_wrong()) == ("answer:2", False)
    pupil.level("key", down=True)
    pupil.frames(20)
    pupil.clock.move_to(pupil.clock.now() + 900 * MILLI)
    pupil.level("key", down=False)
    pupil.frames(200)
    assert (pupil.marked(), pupil.told_wrong()) == ("answer:3", False)


@pytest.mark.parametrize("source", ["key", "gpio"])
def test_a_press_that_goes_on_to_a_question_neither_steps_nor_chooses_there(
    pupil: Pupil, source: str
) -> None:
    pupil.go_to_first_words()
    pupil.frames(1_000)
    pupil.tap(source, 1_500)
    assert (pupil.kind(), pupil.marked(), pupil.told_wrong()) == ("quiz", "answer:1", False)


@pytest.mark.parametrize("source", ["key", "gpio"])
def test_a_press_on_one_question_chooses_nothing_on_the_next(pupil: Pupil, source: str) -> None:
    pupil.app.carry_out(do.StartLesson("kobayakawa", (), (0,)))
    pupil.go_to("quiz")
    pupil.touch("answer:3")
    pupil.go_to("quiz")  # two follow each other here
    pupil.level(source, down=True)
    pupil.frames(100)
    pupil.touch("answer:1")
    pupil.goes_on()
    assert pupil.kind() == "quiz"
    pupil.frames(1_500)
    assert (pupil.marked(), pupil.told_wrong()) == ("answer:1", False)
    pupil.level(source, down=False)
    pupil.frames(200)
    assert (pupil.marked(), pupil.told_wrong()) == ("answer:1", False)
    pupil.tap(source)
    assert pupil.marked() == "answer:2"


def test_a_line_of_the_log_that_was_looked_at_is_no_press(pupil: Pupil) -> None:
    """What an overlay is about and whose press chooses are two things."""
    pupil.go_to_first_words()
    pupil.frames(1_000)
    pupil.app.navigation.ui_state = replace(pupil.app.ui_state, about=0)
    pupil.tap("key", 1_500)
    assert (pupil.kind(), pupil.marked(), pupil.told_wrong()) == ("quiz", "answer:1", False)


def test_a_press_while_something_lies_over_a_lesson_ends_with_its_release(pupil: Pupil) -> None:
    pupil.go_to("quiz")
    pupil.app.navigation.ui_state = replace(pupil.app.ui_state, overlay="settings")
    pupil.level("key", down=True)
    pupil.level("key", down=False)
    pupil.frames(100)
    assert pupil.is_at_rest()
    pupil.app.navigation.ui_state = replace(pupil.app.ui_state, overlay="")
    pupil.frames(1_500)
    assert (pupil.marked(), pupil.told_wrong()) == ("answer:1", False)
    pupil.tap("key")
    assert pupil.marked() == "answer:2"


def test_a_press_that_came_together_with_another_is_nobodys_to_its_end(pupil: Pupil) -> None:
    """It came so soon after the card that it meant the one before: the rules hear neither end of it."""
    pupil.go_to("wait")
    session = pupil.app.session
    assert session is not None
    before = len(session.game.referee.journal.entries)
    pupil.app.carry_out(do.ControlGuide("again"))
    pupil.level("gpio", down=True, chair=1)
    pupil.frames(100)
    pupil.level("gpio", down=False, chair=1)
    pupil.frames(300)
    heard = [entry.cause for entry in session.game.referee.journal.entries[before:]]
    assert not any(isinstance(cause, ob.ButtonPressed | ob.ButtonReleased) for cause in heard)
    assert pupil.is_at_rest()


DEEDS = st.one_of(
    st.tuples(st.just("turn"), st.sampled_from(["key", "gpio", "touch"]), st.integers(0, 2)),
    st.tuples(st.just("wait"), st.sampled_from([20, 60, 300, 700]), st.sampled_from([20, 400, 700])),
    st.tuples(
        st.just("guide"), st.sampled_from(["next", "again", "skip", "answer:1", "answer:2"]), st.just(0)
    ),
    st.tuples(st.just("overlay"), st.sampled_from(["menu", "settings", ""]), st.just(0)),
    st.tuples(st.just("pause"), st.booleans(), st.just(0)),
    st.tuples(st.just("leave"), st.booleans(), st.just(0)),
)


@pytest.mark.slow
@given(st.lists(DEEDS, max_size=30))
@settings(max_examples=examples(30), deadline=None)
def test_whatever_is_pressed_while_cards_change_a_tap_is_a_tap_afterwards(deeds: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        pupil = Pupil(Path(folder))
        try:
            _do(pupil, deeds)
        finally:
            pupil.close()


def _do(pupil: Pupil, deeds: list[Any]) -> None:
    down: set[tuple[str, int]] = set()
    app = pupil.app

    def turn(source: str, chair: int) -> None:
        level = (source, chair) not in down
        (down.add if level else down.remove)((source, chair))
        if source == "touch":
            app.carry_out(do.ChairPress(chair, down=level))
        else:
            pupil.level(source, down=level, chair=chair)

    for kind, what, more in deeds:
        match kind:
            case "turn":
                turn(what, more)
            case "wait":
                pupil.frames(what, of=more)
            case "guide":
                app.carry_out(do.ControlGuide(what))
            case "overlay":
                app.navigation.ui_state = replace(app.ui_state, overlay=what)
            case "pause":
                app.carry_out(do.PauseGame() if what else do.ContinueGame())
            case "leave":
                app.carry_out(
                    do.StartLesson("kinapa", (), (0,)) if what or app.session is None else do.ShowPage("home")
                )
        pupil.frames(1)
    for source, chair in sorted(down):
        turn(source, chair)
    pupil.frames(300)
    assert app.navigation.buttons.debouncer.buttons_maybe_down() == frozenset()
    if app.session is None:
        app.carry_out(do.StartLesson("kinapa", (), (0,)))
        pupil.frames(20)
    session = app.session
    assert session is not None
    app.navigation.ui_state = replace(app.ui_state, overlay="")
    app.carry_out(do.ContinueGame())
    entries = len(session.game.referee.journal.entries)
    pupil.frames(11_000, of=100)
    assert pupil.is_at_rest()
    late = [e.cause for e in session.game.referee.journal.entries[entries:]]
    assert not any(isinstance(cause, ob.ButtonHeld) for cause in late)
    pupil.frames(1_000)
    pupil.go_to("quiz")
    pupil.frames(1_000)
    for source in ("key", "gpio"):
        marked, told = pupil.marked(), pupil.told_wrong()
        pupil.tap(source)
        assert pupil.marked() != marked, "one tap is one step"
        assert (pupil.kind(), pupil.told_wrong()) == ("quiz", told)
