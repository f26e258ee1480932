"""Practice: one person at the screen, the others simulated; strengths that differ; hints to follow."""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from companion.cli import verbs
from companion.core.actions import SECOND, Action, Outcome, Setup
from companion.core.clock import ManualClock
from companion.core.errors import InputError
from companion.core.events import GameAbandoned
from companion.core.observations import Abandoned, Declared
from companion.core.one_button import Edge
from companion.games import GAMES, RULES
from companion.games.kinapa.opponents import KinapaOpponents
from companion.games.kinapa.rules.events import Denied, EmperorStays, FoxRemoved, Punished, Switched
from companion.games.kinapa.rules.state import Phase, Turn
from companion.games.kobayakawa.opponents import KobayakawaOpponents
from companion.games.kobayakawa.rules import events as ev
from companion.referee.journal import Entry, header_of
from companion.referee.store import Store
from companion.run.build_app import build_shared
from companion.run.practice import PracticeHost, practice_app
from companion.settings.model import Settings
from companion.table.games import offer_of
from companion.ui import commands as do
from companion.ui.frame import HomeFrame
from companion.ui.language import Language
from tests.intervals import wilson
from tests.practice.tournament import ladder, match, seated, winners

FRAME = SECOND // 5
PRACTISED = [name for name, game in GAMES.items() if game.opponents is not None]
ENOUGH = {"kinapa": 30, "kabuki": 12, "kobayakawa": 30, "dnup": 5}
"""Games after which the stronger are ahead, with these seeds; how far, whole tournaments tell."""


LONG = {"kinapa", "kobayakawa", "dnup"}
"""Whose tournaments take long."""


class Person:
    """Somebody who follows every hint, or else presses on."""

    def __init__(
        self, game: str, *, is_open: bool = False, seed: int = 1, players: int = 4, bot: bool = False
    ) -> None:
        self.clock = ManualClock()
        settings = Settings()
        shared = build_shared(settings, self.clock, silent=True)
        wanted = do.Practice(game, "easy", is_open, players, bot)
        self.app = practice_app(settings, shared, wanted, seed=seed)

    @property
    def host(self) -> PracticeHost:
        """The game that is on, be it the first or one that was asked for after it."""
        assert isinstance(self.app.host, PracticeHost)
        return self.app.host

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
        by_hand = {"turn", "place", "hide", "return"}
        if advice is not None and (advice.action in lawful or advice.action.verb in by_hand):
            self.app.carry_out(do.Say(advice.action))
            return
        mine = next(chair for chair in self.session.view.chairs if chair.chair == 0)
        if mine.choices and not self.session.game.referee.rules.window_open(state):
            choices = [
                choice.action
                for choice in mine.choices
                if choice.action.verb not in {"stop", "withdraw", *self.host.practice.world.duties}
            ]
            if choices:
                self.app.carry_out(do.Say(choices[-1]))


@pytest.mark.parametrize("game", PRACTISED)
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


@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=[pytest.mark.long] if game in LONG else []) for game in PRACTISED]
)
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
        world = KinapaOpponents((0, 1, 2, 3), random.Random(4), ["strong"] * 4)
        if swap:
            world.hands[1], world.hands[2] = world.hands[2], world.hands[1]
        world.prepare()
        state = RULES["kinapa"].initial_state(_setup())
        chosen.append(world.best_number(state, 0))
    assert chosen[0] == chosen[1]


def _setup() -> Any:
    return Setup((0, 1, 2, 3), RULES["kinapa"].options())


def test_practice_is_never_stored(tmp_path: Path) -> None:
    person = Person("kinapa")
    assert person.app.at.games is None
    assert type(person.session.game.referee.journal).__name__ == "MemoryJournal"


FOLLOWS = {
    "kinapa": {"pair", "nobody", "one", "blind"},
    "kabuki": {"stop_right", "stop_wrong"},
    "kobayakawa": {"best"},
    "dnup": {"largest", "no_set"},
}


@pytest.mark.parametrize("game", PRACTISED)
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


def test_a_low_card_is_kept_for_the_kobayakawa_and_not_called_a_winner() -> None:
    person = Person("kobayakawa", seed=5)
    world = person.host.practice.world
    for _ in range(20):
        person.run(1)
        state = person.session.game.referee.state
        if len(world.in_hand(state, 0)) == 2:
            break
        person.app.carry_out(do.Say(Action(0, "draw")))
    assert world.in_hand(state, 0) == ("number:1", "number:3")
    assert world.advice(state, 0).why.key == "lesson.hint.keep_low"


def test_the_strong_keep_the_card_that_wins_a_round_without_bets() -> None:
    """In a deciding round nothing is staked: kamons won would make every choice equal."""
    world = KobayakawaOpponents((0, 1, 2), random.Random(1), ["strong"] * 3)
    rules = RULES["kobayakawa"]
    state = rules.initial_state(Setup((0, 1, 2), rules.options(final_tie="deciding_round")))
    state = replace(state, kamons=(9, 9, 2), centre=0, deciding=(0, 1), starter=0)
    for event in (ev.RoundBegan(0, 8, 2, (0, 1), deciding=True), ev.CardDrawn(0)):
        world.public.hear(state, event)
        state = rules.evolve(state, event)
    world.hands[0] = ["number:3"]
    assert world.best_keep(state, 0, 15) == 15


def test_a_set_that_the_own_hand_has_not_cannot_be_played() -> None:
    person = Person("dnup")
    reached(person, "play")
    held = person.host.practice.world.hands[0]
    assert not person.host.practice.admits(Declared(at=0, action=Action(0, "play", f"{len(held) + 1}x10")))
    guide = person.host.practice.guidance()
    assert guide is not None
    assert guide.note is not None
    assert guide.note.key == "lesson.practice.choose"


@pytest.mark.parametrize("game", PRACTISED)
def test_nobody_speaks_or_presses_for_the_others(game: str) -> None:
    person = Person(game)
    practice = person.host.practice
    for chair in (1, 2):
        assert not practice.admits(Edge(chair, "seat", level=True, at=0, source="key"))
        assert not practice.admits(Declared(at=0, action=Action(chair, "star")))
    assert practice.admits(Edge(None, "back", level=True, at=0, source="key")), "everybody may pause"


def test_where_the_hand_decides_the_own_button_waits() -> None:
    person = Person("dnup")
    reached(person, "play")
    practice = person.host.practice
    assert not practice.admits(Edge(0, "seat", level=True, at=0, source="key"))


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
    with Store(tmp_path / "games.sqlite3", RULES) as store:
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
    for key in ("game:dnup", "practice", "open"):
        frame = at_home(app)
        target = next(one for one in home.sheet(frame).targets if one.key == key)
        app.at.glass, wanted = home.does(frame, target.does)
        for command in wanted:
            app.carry_out(command)
    assert app.page == "game"
    assert app.session is person.session
    assert app.session.game.referee.rules.name == "dnup"
    assert app.session.game.referee.journal.header.kind == "practice"
    guide = person.host.practice.guidance()
    assert guide is not None
    assert guide.say.key == "lesson.practice.open"


@pytest.mark.parametrize(("table", "decks"), [("2", 4), ("3", 4), ("5+", 6), ("8", 8)])
def test_how_many_sit_at_the_practice_table_is_chosen_at_home(table: str, decks: int) -> None:
    person = Person("kinapa")
    app = person.app
    app.carry_out(do.Show("home"))
    home = app._pages["home"]
    for key in ("game:kinapa", "practice", f"table:{table}", "strong"):
        frame = at_home(app)
        target = next(one for one in home.sheet(frame).targets if one.key == key)
        app.at.glass, wanted = home.does(frame, target.does)
        for command in wanted:
            app.carry_out(command)
    state = app.session.game.referee.state
    assert (len(state.setup.chairs), len(state.seats)) == (int(table[0]), decks)
    assert person.host.practice.world.strengths[1:] == ("strong",) * (int(table[0]) - 1)


def at_home(app: Any) -> Any:
    """The home page as it would be with this glass, and every game on offer."""
    return HomeFrame(glass=app.glass, offered=tuple(map(offer_of, GAMES.values())))


BOT_TABLES = [(2, False), (3, False), (4, True)]
"""Two with a deck each that nobody holds, three with one, and four who want one."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "bot"),
    [BOT_TABLES[-1], *(pytest.param(*one, marks=pytest.mark.long) for one in BOT_TABLES[:-1])],
)
def test_kinapa_with_bot_decks_is_practised_to_its_end(players: int, bot: bool) -> None:
    person = Person("kinapa", players=players, bot=bot)
    hints: set[str] = set()
    for _ in range(400):
        person.run(2)
        if person.session.game.over:
            break
        person.plays()
        guide = person.host.practice.guidance()
        assert guide is not None
        hints |= set() if guide.note is None else {guide.note.key}
    assert person.session.game.over, person.session.view.headline
    state = person.session.game.referee.state
    assert state.bots
    assert person.host.practice.world.wrong(state) is None
    assert len(hints) > 5
    assert all(Language(code).tr(key) != key for key in hints for code in ("en", "de", "fr"))


@pytest.mark.long
@pytest.mark.parametrize(("players", "bot"), BOT_TABLES)
@pytest.mark.parametrize(("one", "other"), ladder())
def test_with_bot_decks_too_the_stronger_win_more_often(
    players: int, bot: bool, one: str, other: str
) -> None:
    score = match("kinapa", one, other, games=30, players=players, bot=bot, seed=1)
    assert score.share > 0.5


def test_of_three_seats_each_strength_has_two_as_often_and_each_begins_as_often() -> None:
    tables = [seated(3, "a", "b", number) for number in range(6)]
    assert [table.count("a") for table in tables] == [2, 1] * 3
    assert all([table[seat] for table in tables].count("a") == 3 for seat in range(3))


@pytest.mark.parametrize(("players", "bot"), BOT_TABLES)
def test_at_an_open_table_bot_decks_lie_open_beside_the_hands(players: int, bot: bool) -> None:
    person = Person("kinapa", players=players, bot=bot, is_open=True)
    guide = person.host.practice.guidance()
    assert guide is not None
    assert [row[1] for row in guide.lay if row[0] == ""] == list(range(players))
    owners = [row[1] for row in guide.lay if row[0] == "bot"]
    assert owners == ([0, 1] if players == 2 else [None])
    assert all(len(row[2]) == 4 for row in guide.lay)
    for _ in range(60):
        person.run(2)
        guide = person.host.practice.guidance()
        if guide is not None and guide.back:
            break
        person.plays()
    assert guide is not None
    chances = [dict(line.parts) for line in guide.back if line.key == "lesson.open.chance"]
    assert [part["bot"] for part in chances if "bot" in part] == ([0, 1] if players == 2 else [-1])


def test_the_strong_see_nothing_of_decks_that_nobody_holds() -> None:
    """The same public history and own hand: whatever lies under the aids, number and aid are the same."""
    chosen = []
    for swap in (False, True):
        world = KinapaOpponents((0, 1), random.Random(4), ["strong"] * 2)
        if swap:
            world.hands[1], world.hands[2], world.hands[3] = world.hands[2], world.hands[3], world.hands[1]
        world.prepare()
        state = RULES["kinapa"].initial_state(Setup((0, 1), RULES["kinapa"].options()))
        aided = replace(state, phase=Phase.AIDING, turn=Turn(number=3, aids=(2, 3)))
        chosen.append((world.best_number(state, 0), world.worth_up(aided, 0, 2)))
    assert chosen[0] == chosen[1]


def test_whoever_takes_a_bot_deck_knows_the_hand_that_was_laid_down_for_it() -> None:
    world = KinapaOpponents((0, 1, 2), random.Random(4), ["strong"] * 3)
    world.prepare()
    state = RULES["kinapa"].initial_state(Setup((0, 1, 2), RULES["kinapa"].options()))
    began = replace(state, phase=Phase.SWITCHING)
    before = {seat: list(hand) for seat, hand in enumerate(world.hands)}
    world.happened(began, Switched(1, 3))
    assert [world.hands[1], world.hands[3]] == [before[3], before[1]]
    knows, guesses = world._mind(1).chances(), world._mind(0).chances()
    numbers = {int(card.partition(":")[2]) for card in before[1]}
    assert all(knows[3, number - 1] > 0.999 for number in numbers)
    assert not all(guesses[3, number - 1] > 0.999 for number in numbers)


def test_a_punished_hand_lies_open_and_a_deck_that_was_looked_into_is_shown_for_the_turn() -> None:
    world = KinapaOpponents((0, 1), random.Random(4), ["medium"] * 2)
    world.explain = 0
    state = replace(
        RULES["kinapa"].initial_state(Setup((0, 1), RULES["kinapa"].options())),
        phase=Phase.SEARCHING, emperor=1, turn=Turn(number=3),
    )  # fmt: skip
    assert world.seen(0) == {}
    world.happened(state, Denied(2))  # the own deck: the person looked
    assert world.seen(0) == {2: tuple(world.hands[2])}
    assert world.seen(1) == {}
    world.happened(state, Punished(1, 2, priority=False))
    assert world.seen(0)[1] == tuple(world.hands[1])
    world.happened(state, EmperorStays(1))
    assert list(world.seen(0)) == [1]
    world.happened(state, FoxRemoved(1, 0))
    assert world.seen(0) == {}


def test_which_card_goes_back_is_the_persons_choice() -> None:
    person = Person("kinapa", players=2)
    reached(person, "return")
    options = person.host.practice.options()
    world = person.host.practice.world
    assert world._received not in [option.value for option in options]
    assert len(options) == len(world.hands[0]) - 1
    person.run(5)
    assert person.host.practice.options() == options  # nobody does it for the person
    person.app.carry_out(do.Guide("answer:2"))
    person.run(1)
    assert options[1].value not in world.hands[0]


def test_what_a_hand_does_on_the_table_the_own_button_cannot_say() -> None:
    """A button would name an object that lies hidden, or a pair that is not in the hand."""
    person = Person("kinapa", players=3)
    for _ in range(80):
        person.run(2)
        state = person.session.game.referee.state
        if state.phase == Phase.TURNING and state.emperor == 0:
            break
        person.plays()
    practice = person.host.practice
    assert not practice.admits(Edge(0, "seat", level=True, at=0, source="key"))
    assert practice.admits(Edge(0, "seat", level=False, at=0, source="key"))
    guide = practice.guidance()
    assert guide is not None
    assert guide.note is not None
    assert guide.note.key == "lesson.practice.touch"
    practice.wanted("place:slot:3")
    person.run(1)
    turned = person.session.game.referee.state.turn
    assert (turned.slot, turned.label) == (3, practice.world.labels[2])


@pytest.mark.parametrize(("players", "bot"), [(1, False), (9, False), (3, True), (8, True)])
def test_a_table_that_nobody_can_sit_down_to_is_refused_in_one_sentence(players: int, bot: bool) -> None:
    verb = next(verb for verb in verbs() if verb.name == "practice")
    parser = argparse.ArgumentParser()
    verb.add_arguments(parser)
    told = ["kinapa", "--players", str(players), *(["--bot"] if bot else [])]
    with pytest.raises(InputError, match="players"):
        verb.module.run(parser.parse_args(told), Settings())
