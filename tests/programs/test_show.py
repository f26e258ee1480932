"""The show: what a demo tells that was asked for no game, and when."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.events import kind_of
from companion.core.view import Sentence
from companion.games import GAMES
from companion.language.installed_languages import installed_languages
from companion.language.language import Language
from companion.programs import demo
from companion.programs.build_app import build_runtime
from companion.programs.simulated_host import PATIENCE, Narrator
from companion.referee.journal import MemoryJournal
from companion.referee.loop import Announcement
from companion.settings.model import Settings
from companion.table.runtime import run_loop
from companion.ui import commands as do
from tests.language.voice.silent_voice import SilentVoice

TOLD_WITHIN: Micros = 90 * SECOND
"""About a minute with a voice; without one a sentence stands as long as it takes to read."""


class Watched:
    """A show at a clock that is moved by hand, and what became of it."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.lines: list[Sentence] = []
        self.callers = 0
        settings, self.clock = Settings(), ManualClock()
        self.shared = build_runtime(settings, self.clock, silent=True)

        def open_host(act: demo.Act) -> Any:
            journal = MemoryJournal(demo.demo_header(act, settings))
            return demo.open_act(act, self.shared, journal, threads=False, listeners=(self.note,))

        self.show = demo.Show(demo.show_acts(), open_host, self.clock)
        self.app = demo.build_demo_app(
            settings, self.show.host, self.shared, draws=False, demo=self.show.open_next
        )

    def note(self, ruling: Announcement) -> None:
        self.events += map(kind_of, ruling.news)

    def step(self) -> None:
        self.show.advance(self.app)
        host = self.show.host
        if host.narrator.line is not None and host.narrator.line not in self.lines:
            self.lines.append(host.narrator.line)
        finishes = host.session.history.finishes()
        self.callers = max([self.callers, *(len(finish.presses) for finish in finishes)])

    def run(self, until: Micros) -> None:
        def over() -> bool:
            self.step()
            return self.clock.now() >= until

        run_loop(self.app, self.clock, self.shared.inbox, over=over)


@pytest.mark.slow
def test_a_minute_shows_a_stop_with_its_finish_a_count_a_lie_that_is_caught_and_a_pair() -> None:
    watched = Watched()
    watched.run(TOLD_WITHIN)
    wanted = ("StopAssigned", "StopRight", "CountOpened", "HandsLocked", "Punished", "PairPlaced")
    places = [watched.events.index(name) for name in wanted]
    assert places == sorted(places)
    assert watched.callers == 2, "a photo finish of two"
    acts = [act.rules.name for act in demo.show_acts()]
    story = [f"{game}.show.{name}" for game in acts for name in GAMES[game].story.told]
    assert [line.key for line in watched.lines] == story
    assert not watched.show.host.session.game.over, "and the game goes on"


def test_nobody_is_taken_out_of_a_game_that_they_play() -> None:
    watched = Watched()
    watched.app.carry_out(do.TakeOverChair(0))
    assert watched.show.host.demo_info().seized == {0}
    game = watched.app.session
    watched.run(demo.ACT_TIME + demo.CURTAIN + SECOND)
    assert watched.app.session is game


@pytest.mark.parametrize("code", sorted(installed_languages()))
def test_every_story_has_its_words(code: str) -> None:
    words = Language(code)
    for name, game in GAMES.items():
        for told in game.story.told:
            assert f"{name}.show.{told}" in words


def test_people_listen_until_the_sentence_was_said() -> None:
    clock, voice = ManualClock(), SilentVoice()
    narrator = Narrator("kabuki", ("begin", "StopRight"), voice, clock)
    assert [sentence.key for sentence in voice.said] == ["kabuki.show.begin"]
    assert narrator.is_telling()
    assert (narrator.sentences_told, narrator.steps, narrator.is_over) == (1, 2, False)
    clock.move_to(PATIENCE + 1)
    narrator.advance(clock.now())
    assert not narrator.is_telling(), "what is never said is not waited for"
