"""Practice: one person at the screen, the others simulated; strengths that differ; hints to follow."""

from __future__ import annotations

import argparse
import random
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from companion.actions import SECOND, Action, Outcome, Setup
from companion.cli._practice import PracticeHost, practice_app
from companion.clock import ManualClock
from companion.errors import InputError
from companion.events import GameAbandoned
from companion.journal import Entry, header_of
from companion.lockout import Edge
from companion.observations import Abandoned, Declared
from companion.practice.tournament import MINDS, ladder, match, seated, wilson, winners
from companion.rules import GAMES
from companion.session import Inbox
from companion.settings import Settings
from companion.store import Store
from companion.ui import commands as do
from companion.ui.frame import HomeFrame, Offer
from companion.ui.language import Language
from companion.ui.voice import open_voice

FRAME = SECOND // 5
ENOUGH = {"kinapa": 30, "kabuki": 12, "kobayakawa": 30, "dnup": 5}
"""Games after which the stronger are ahead, with these seeds; how far, whole tournaments tell."""


class Person:
    """Somebody who follows every hint, or else presses on."""

    def __init__(self, game: str, *, is_open: bool = False, seed: int = 1) -> None:
        self.clock = ManualClock()
        self.inbox: Inbox = SimpleQueue()
        settings = Settings()
        voice = open_voice(Language("en"), settings.sound, self.clock, silent=True)
        self.host = PracticeHost(
            GAMES[game], settings, players=4, strength="easy", seed=seed, is_open=is_open,
            clock=self.clock, inbox=self.inbox, voice=voice,
        )  # fmt: skip
        self.app = practice_app(self.host, settings, self.clock, self.inbox)

    @property
    def session(self) -> Any:
        return self.host.session

    def run(self, seconds: float) -> None:
        until = self.clock.now() + round(seconds * SECOND)
        while self.clock.now() < until:
            self.app.act()
            self.session.shown(self.session.view.cue)
            self.clock.move_to(min(until, self.clock.now() + FRAME))

    def plays(self) -> None:
        """One decision: as advised, else the last choice that is offered."""
        self.app.carry_out(do.Guide("hint"))
        state = self.session.game.referee.state
        advice = self.host.practice.world.advice(state, 0)
        lawful = self.session.game.referee.rules.legal_actions(state)
        if advice is not None and (
            advice.action in lawful or advice.action.verb in {"turn", "place", "hide"}
        ):
            self.app.carry_out(do.Say(advice.action))
            return
        mine = next(chair for chair in self.session.view.chairs if chair.chair == 0)
        if mine.choices and not self.session.game.referee.rules.window_open(state):
            choices = [
                choice.action for choice in mine.choices if choice.action.verb not in {"stop", "withdraw"}
            ]
            if choices:
                self.app.carry_out(do.Say(choices[-1]))


@pytest.mark.parametrize("game", MINDS)
def test_a_game_is_practised_to_its_end(game: str) -> None:
    person = Person(game)
    for _ in range(400):
        person.run(2)
        if person.session.game.over or getattr(person.session.game.referee.state, "round", 1) > 1:
            break  # of three rounds one is enough
        person.plays()
    else:
        raise AssertionError(person.session.view.headline)
    assert person.session.game.referee.journal.header.kind == "practice"


def test_a_pair_that_is_not_held_cannot_be_laid() -> None:
    person = Person("kinapa")
    practice = person.host.practice
    state = person.session.game.referee.state
    missing = next(n for n in range(1, 9) if len(practice.world.holds(0, n)) < 2)
    assert not practice.admits(Declared(at=0, action=Action(0, "place", missing)))
    guide = practice.guidance()
    assert guide is not None
    assert not guide.good
    assert state == person.session.game.referee.state


def test_only_the_own_hand_is_shown_unless_the_table_is_open() -> None:
    closed, opened = (Person("kinapa", is_open=is_open).host.practice.guidance() for is_open in (False, True))
    assert closed is not None
    assert opened is not None
    assert [row[1] for row in closed.lay] == [0]
    assert [row[1] for row in opened.lay] == [0, 1, 2, 3]


def test_at_an_open_table_it_is_said_what_the_announcement_tells() -> None:
    person = Person("kinapa", is_open=True, seed=3)
    for _ in range(60):
        person.run(2)
        person.plays()
        guide = person.host.practice.guidance()
        if guide is not None and guide.back:
            break
    assert guide is not None
    shares = [dict(line.parts)["value"] for line in guide.back if line.key == "lesson.open.chance"]
    assert len(shares) == 4
    assert guide.back[-1].key.partition("lesson.open.")[2] in {"pair", "nobody", "one", "blind"}
    assert 100 <= sum(int(share) for share in shares) <= 230  # two cards: one or two seats hold the number


@pytest.mark.parametrize("game", MINDS)
@pytest.mark.parametrize(("one", "other"), ladder())
def test_the_stronger_win_more_often(game: str, one: str, other: str) -> None:
    score = match(game, one, other, games=ENOUGH[game], players=4, seed=1)
    assert score.share > 0.5


def test_seats_change_from_game_to_game() -> None:
    assert [seated(4, "a", "b", number)[0] for number in range(4)] == ["a", "b", "a", "b"]


def test_the_same_seed_is_the_same_game() -> None:
    strengths = ("strong", "medium", "easy", "strong")
    assert winners("kinapa", strengths, 5) == winners("kinapa", strengths, 5)


def test_an_interval_holds_its_share_and_narrows() -> None:
    few, many = wilson(7, 10), wilson(700, 1_000)
    assert few[0] < many[0] < 0.7 < many[1] < few[1]


def test_the_strong_see_nothing_that_their_seat_may_not_see() -> None:
    """The same public history and own hand: whatever the others hold, the choice is the same."""
    chosen = []
    for swap in (False, True):
        world = MINDS["kinapa"]((0, 1, 2, 3), random.Random(4), ["strong"] * 4)
        if swap:
            world.hands[1], world.hands[2] = world.hands[2], world.hands[1]
        world.prepare()
        state = GAMES["kinapa"].initial_state(_setup())
        chosen.append(world.best_number(state, 0))
    assert chosen[0] == chosen[1]


def _setup() -> Any:
    return Setup((0, 1, 2, 3), GAMES["kinapa"].options())


def test_practice_is_never_stored(tmp_path: Path) -> None:
    person = Person("kinapa")
    assert person.host.games() == ()
    assert type(person.session.game.referee.journal).__name__ == "MemoryJournal"


FOLLOWS = {
    "kinapa": {"pair", "nobody", "one", "blind"},
    "kabuki": {"stop_right", "stop_wrong"},
    "kobayakawa": {"best"},
    "dnup": {"largest", "no_set"},
}


@pytest.mark.parametrize("game", MINDS)
def test_at_an_open_table_every_hand_lies_there_and_it_is_said_what_follows(game: str) -> None:
    person = Person(game, is_open=True)
    words = Language("fr")
    for _ in range(80):
        person.run(2)
        guide = person.host.practice.guidance()
        if guide is not None and guide.back:
            assert guide.back[-1].key.rpartition(".")[2] in FOLLOWS[game]
            assert all("{" not in words.text(line) for line in guide.back)
            assert len([line for line in guide.back if "chair" in dict(line.parts)]) >= 4
            assert len(guide.lay) == (0 if game == "kabuki" else 4)
            return
        person.plays()
    raise AssertionError("nothing was said")


def reached(person: Person, verb: str) -> None:
    """Play on until a choice of this kind is offered beside the table."""
    for _ in range(80):
        person.run(2)
        if any(action.verb == verb for action in person.host.practice.options()):
            return
        person.plays()
    raise AssertionError(person.session.view.headline)


def test_which_card_comes_to_lie_open_is_the_persons_choice() -> None:
    person = Person("kobayakawa")
    for place in (1, 2):
        for _ in range(80):
            person.run(2)
            state = person.session.game.referee.state
            if person.host.practice.options():
                break
            if state.actor == 0 and state.phase == "drawing":
                person.app.carry_out(do.Say(Action(0, "draw")))
            else:
                person.plays()
        options = person.host.practice.options()
        person.app.carry_out(do.Guide(f"answer:{place}"))
        person.run(1)
        away = options[place - 1].value
        assert person.session.game.referee.state.hands[0].discard == away
        assert person.host.practice.world.discards[0] == away
        kept = next(one.value for one in options if one.value != away)
        assert person.host.practice.world.holds(0) == kept


def test_a_set_that_the_own_hand_has_not_cannot_be_played() -> None:
    person = Person("dnup")
    reached(person, "play")
    held = person.host.practice.world.hands[0]
    assert not person.host.practice.admits(Declared(at=0, action=Action(0, "play", f"{len(held) + 1}x10")))
    guide = person.host.practice.guidance()
    assert guide is not None
    assert guide.note is not None
    assert guide.note.key == "lesson.practice.choose"


def test_where_the_hand_decides_the_own_button_waits_and_the_others_do_not() -> None:
    person = Person("dnup")
    reached(person, "play")
    practice = person.host.practice
    own, other = (Edge(chair, "seat", level=True, at=0, source="key") for chair in (0, 1))
    assert not practice.admits(own)
    assert practice.admits(other)


def test_a_set_is_played_with_the_cards_of_the_own_hand() -> None:
    person = Person("dnup")
    reached(person, "play")
    before = len(person.host.practice.world.hands[0])
    place = [action.verb for action in person.host.practice.options()].index("play")
    count = int(str(person.host.practice.options()[place].value).partition("x")[0])
    person.app.carry_out(do.Guide(f"answer:{place + 1}"))
    person.run(0.4)
    assert len(person.host.practice.world.hands[0]) == before - count
    assert person.host.practice.world.wrong(person.session.game.referee.state) is None


@pytest.mark.parametrize("kind", ["practice", "lesson"])
def test_a_practice_game_that_got_into_a_store_counts_nowhere(tmp_path: Path, kind: Any) -> None:
    with Store(tmp_path / "games.sqlite3", GAMES) as store:
        journal = store.create(header_of("kinapa", _setup(), kind=kind))
        journal.append(Entry(0, Abandoned(at=0), (GameAbandoned(),)), Outcome("abandoned", ()))
        journal.flush()
        journal.close()
        assert [game.kind for game in store.games(kind=None)] == [kind]
        assert store.games() == ()
        assert store.unfinished() is None


def test_practice_is_begun_from_the_home_screen_and_left_again() -> None:
    person = Person("kinapa")
    app = person.app
    app.carry_out(do.Show("home"))
    assert app.session is None
    home = app._pages["home"]
    for key in ("practice", "game:dnup", "open"):
        frame = at_home(app)
        target = next(one for one in home.sheet(frame).targets if one.key == key)
        app.glass, wanted = home.does(frame, target.does)
        for command in wanted:
            app.carry_out(command)
    assert app.page == "game"
    assert app.session is person.session
    assert app.session.game.referee.rules.name == "dnup"
    assert app.session.game.referee.journal.header.kind == "practice"
    guide = person.host.practice.guidance()
    assert guide is not None
    assert guide.say.key == "lesson.practice.open"


def at_home(app: Any) -> Any:
    """The home page as it would be with this glass, and every game on offer."""
    offered = tuple(Offer(name, rules.players[0], rules.players[-1]) for name, rules in GAMES.items())
    return HomeFrame(glass=app.glass, offered=offered)


def test_practice_with_bot_decks_is_refused_in_one_sentence() -> None:
    module = import_module("companion.cli.practice")
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    with pytest.raises(InputError, match="without BOT decks"):
        module.run(parser.parse_args(["kinapa", "--players", "3"]), Settings())
