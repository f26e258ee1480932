"""A game is set up by buttons and voice alone: nobody looks at the screen, touches it, or has a keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.core.actions import HOLD_TIME, SECOND, Chair, Micros
from companion.core.switch import Edge
from companion.games import GAMES, RULES
from tests.thorough import some
from tests.whole.playing import Playing

LONGEST_WAIT = 120 * SECOND
MOST_TARGETS = 40


class Listener:
    """Presses the buttons of a table and hears what it says, to its end, before the next press."""

    def __init__(self, folder: Path) -> None:
        self.table = Playing(folder)
        self._words = self.table.app._pages["home"].resources.words("en")
        self.heard: list[str] = []

    def press(self, chair: Chair | None, button: str = "seat", hold: Micros = SECOND // 10) -> list[str]:
        """What was said since the button went down."""
        table, before = self.table, len(self.heard)
        for level in (True, False):
            table.inbox.put(Edge(chair, button, level=level, at=table.clock.now()))
            table.run(hold)
        quiet = begun = table.clock.now()
        while table.clock.now() - quiet < SECOND and table.clock.now() - begun < LONGEST_WAIT:
            said = table.host.voice.caption
            if said is not None:
                quiet = table.clock.now()
                words = self._words.speech_text(said)
                if words not in self.heard[-1:]:
                    self.heard.append(words)
            table.run(SECOND // 10)
        return self.heard[before:]

    def next(self) -> str:
        return " ".join(self.press(None, "next"))


@pytest.fixture
def listen(tmp_path: Path) -> Iterator[Callable[[], Listener]]:
    opened: list[Listener] = []

    def open_() -> Listener:
        opened.append(Listener(tmp_path / "games"))
        return opened[-1]

    yield open_
    for one in opened:
        one.table.close()


@pytest.mark.parametrize("game", some(list(GAMES)))
def test_somebody_who_does_not_see_the_screen_chooses_a_game_joins_and_starts_it(
    game: str, listen: Callable[[], Listener]
) -> None:
    listener = listen()
    name = listener._words.tr(f"{game}.name")
    said = listener.press(None, "next", hold=2 * HOLD_TIME)
    assert len(said) == 2, "which page this is, and what is marked"
    marked = said[-1]
    for _ in range(MOST_TARGETS):
        if marked.startswith(name):
            break
        marked = listener.next()
        assert marked, "everything that can be marked can be heard"
    assert marked.startswith(name)
    listener.press(None, "ok")
    assert listener.table.app.ui_state.draft.game == game
    least = RULES[game].players[0]
    for chair in range(least):
        said = listener.press(chair)
        assert listener._words.tr("setup.in", chair=chair) in said
        ready = listener._words.tr("setup.ready") in said
        assert ready == (chair == least - 1), "that it can begin is said when it can"
    listener.press(0, hold=2 * HOLD_TIME)
    assert listener.table.app.page == "game"
    assert listener.table.session.view.game == game


def test_who_chose_no_game_hears_that_a_hold_chooses_one(listen: Callable[[], Listener]) -> None:
    listener, said = listen(), list[str]()
    for chair in range(RULES["kinapa"].players[0]):
        said = listener.press(chair)
    assert listener._words.tr("setup.choose") in said
    listener.press(0, hold=2 * HOLD_TIME)
    assert listener.table.app.ui_state.overlay == "play"


def test_who_wants_to_begin_too_early_hears_how_many_the_game_is_for(listen: Callable[[], Listener]) -> None:
    listener = listen()
    listener.press(None, "ok")  # that one
    listener.press(2)
    assert listener._words.tr("kinapa.about.who") in listener.press(2, hold=2 * HOLD_TIME)
    assert listener.table.app.ui_state.draft.chairs == (2,)


def test_who_gets_up_is_told_and_nothing_is_read_aloud_to_whom_nobody_asked(
    listen: Callable[[], Listener],
) -> None:
    listener = listen()
    assert listener.next() == ""
    assert listener.press(2) == [listener._words.tr("setup.in", chair=2)]
    assert listener.press(2) == [listener._words.tr("setup.out")]


def test_a_finger_on_the_screen_ends_the_reading(listen: Callable[[], Listener]) -> None:
    listener = listen()
    listener.press(None, "next", hold=2 * HOLD_TIME)
    assert listener.next() != ""
    listener.table.touch("more")
    listener.table.touch("close")
    assert listener.next() == ""


def test_a_free_chair_is_called_by_its_number_and_its_colour(listen: Callable[[], Listener]) -> None:
    listener = listen()
    listener.press(None, "next", hold=2 * HOLD_TIME)
    heard = {listener.next() for _ in range(MOST_TARGETS)}
    for chair in range(8):
        assert f"{chair + 1}, {listener._words.chair_name(chair)}" in heard
