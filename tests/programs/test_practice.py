"""Practice: one person at the screen, the others simulated; strengths that differ; hints to follow."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.actions import Action, Outcome, Setup
from companion.core.events import GameAbandoned
from companion.core.observations import AbandonRequested, ActionDeclared
from companion.core.switch import Edge
from companion.games import GAMES, RULES
from companion.games.kinapa.opponents import KinapaOpponents
from companion.games.kobayakawa.opponents import KobayakawaOpponents
from companion.games.kobayakawa.rules import model
from companion.language.language import Language
from companion.referee.journal import Entry, make_header
from companion.referee.store import GameStore
from companion.table.games import build_offer
from companion.ui import commands as do
from companion.ui.frame import HomeFrame
from tests.intervals import wilson
from tests.programs.practising import Person, reached
from tests.programs.tournament import ladder, match, seated, winners
from tests.thorough import a_third

PRACTISED = [name for name, game in GAMES.items() if game.opponents is not None]
ENOUGH = {
    "kinapa": 30,
    "kabuki": 12,
    "kobayakawa": 30,
    "dnup": 5,
    "liars_dice": 40,
    "hearts": 12,
    "roses": 40,
}
"""Games after which the stronger are ahead, with these seeds; how far, whole tournaments tell.

In Order is won or lost by all together.
"""
LONG = {"kinapa", "kobayakawa", "dnup", "hearts", "liars_dice"}
"""Whose tournaments take long."""


@pytest.mark.slow
@pytest.mark.parametrize("game", a_third(PRACTISED))
def test_a_game_is_practised_to_its_end(game: str) -> None:
    person = Person(game)
    for _ in range(400):
        person.run(2)
        state = person.session.game.referee.state
        if person.session.game.over or max(getattr(state, name, 1) for name in ("round", "deal")) > 1:
            break  # of several rounds one is enough
        person.plays()
    else:
        raise AssertionError(person.session.view.headline)
    assert person.session.game.referee.journal.header.kind == "practice"


@pytest.mark.slow
@pytest.mark.parametrize("game", a_third(PRACTISED))
def test_whoever_presses_the_buttons_of_the_opponents_changes_nothing(game: str) -> None:
    def played(*, meddled: bool) -> list[object]:
        person = Person(game)
        for _ in range(6):
            for turn in range(32):
                for chair in (1, 2, 3) if meddled else ():
                    person.app.carry_out(do.ChairPress(chair, down=turn % 2 == 0, source="key"))
                person.run(0.25)
            person.plays()
        return [entry.events for entry in person.session.game.referee.journal.entries]

    meddled, alone = played(meddled=True), played(meddled=False)
    assert len(meddled) >= len(alone) > 0, "a press only ends the wait after a round"
    assert meddled[: len(alone)] == alone


def test_a_pair_that_is_not_held_cannot_be_laid() -> None:
    person = Person("kinapa")
    practice = person.host.practice
    state = person.session.game.referee.state
    missing = next(n for n in range(1, 9) if len(practice.world.cards_of_number(0, n)) < 2)
    assert not practice.admits(ActionDeclared(at=0, action=Action(0, "place", missing)))
    guide = practice.guidance()
    assert guide is not None
    assert not guide.good
    assert state == person.session.game.referee.state


def test_the_button_says_what_is_done_with_the_chosen_card() -> None:
    person = Person("kinapa")
    reached(person, "return")
    practice, words = person.host.practice, Language("en")
    cards = practice.world.hand_pictures(practice.people.state, 0)
    for action in practice.offered_actions():
        person.app.carry_out(do.ControlGuide(f"card:{cards.index(str(action.value))}"))
        (made,) = practice.guidance().answers
        kind, _, number = str(action.value).partition(":")
        called = "home" if kind == "shelter" else "cat" if int(number) % 2 else "dog"
        assert words.text(made) == f"Give {called} {number}"


@pytest.mark.parametrize("game", ["hearts", "spades", "euchre"])
def test_a_card_that_was_played_is_gone_from_the_hand_whatever_was_advised(game: str) -> None:
    person = Person(game)
    for _ in range(60):
        person.run(2)
        practice = person.host.practice
        held, offered = practice.world.hand_pictures(practice.people.state, 0), practice.offered_actions()
        advice = practice.world.advice(practice.people.state, 0)
        other = [one for one in offered if advice is not None and one != advice.action]
        if other:
            person.app.carry_out(do.DeclareAction(other[0]))
            person.run(0.5)
            left = practice.world.hand_pictures(practice.people.state, 0)
            assert {*held} - {*left} == {str(other[0].value).replace("|", ":")}
            return
        person.plays()
    raise AssertionError("the person was never asked for a card that was not advised")


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
    "game", [pytest.param(game, marks=[pytest.mark.long] if game in LONG else []) for game in ENOUGH]
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
        world.look_into_hands()
        state = RULES["kinapa"].initial_state(_setup())
        chosen.append(world.best_number(state, 0))
    assert chosen[0] == chosen[1]


def _setup() -> Any:
    return Setup((0, 1, 2, 3), RULES["kinapa"].options())


def test_practice_is_never_stored(tmp_path: Path) -> None:
    person = Person("kinapa")
    assert person.app.navigation.games is None
    assert type(person.session.game.referee.journal).__name__ == "MemoryJournal"


FOLLOWS = {
    "kinapa": {"pair", "nobody", "one", "blind"},
    "kabuki": {"stop_right", "stop_wrong"},
    "kobayakawa": {"best"},
    "dnup": {"largest", "no_set"},
}


@pytest.mark.parametrize("game", FOLLOWS)
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


def test_which_card_comes_to_lie_open_is_the_persons_choice() -> None:
    person = Person("kobayakawa")
    for place in (1, 2):
        for _ in range(80):
            person.run(2)
            state = person.session.game.referee.state
            if person.host.practice.offered_actions():
                break
            if state.actor == 0 and state.phase == "drawing":
                person.app.carry_out(do.DeclareAction(Action(0, "draw")))
            else:
                person.plays()
        options = person.host.practice.offered_actions()
        person.taps(options[place - 1])
        person.run(1)
        away = options[place - 1].value
        assert person.session.game.referee.state.hands[0].discard == away
        assert person.host.practice.world.discards[0] == away
        kept = next(one.value for one in options if one.value != away)
        assert person.host.practice.world.card_in_hand(0) == kept


def test_a_low_card_is_kept_for_the_kobayakawa_and_not_called_a_winner() -> None:
    person = Person("kobayakawa", seed=5)
    world = person.host.practice.world
    for _ in range(20):
        person.run(1)
        state = person.session.game.referee.state
        if len(world.hand_pictures(state, 0)) == 2:
            break
        person.app.carry_out(do.DeclareAction(Action(0, "draw")))
    assert world.hand_pictures(state, 0) == ("number:1", "number:3")
    assert world.advice(state, 0).why.key == "lesson.hint.keep_low"


def test_the_strong_keep_the_card_that_wins_a_round_without_bets() -> None:
    """In a deciding round nothing is staked: kamons won would make every choice equal."""
    world = KobayakawaOpponents((0, 1, 2), random.Random(1), ["strong"] * 3)
    rules = RULES["kobayakawa"]
    state = rules.initial_state(Setup((0, 1, 2), rules.options(final_tie="deciding_round")))
    state = replace(state, kamons=(9, 9, 2), centre=0, deciding=(0, 1), starter=0)
    for event in (model.KobayakawaRoundBegan(0, 8, 2, (0, 1), deciding=True), model.KobayakawaCardDrawn(0)):
        world.public.observe_event(state, event)
        state = rules.evolve(state, event)
    world.hands[0] = ["number:3"]
    assert world.best_card_to_keep(state, 0, 15) == 15


def test_a_set_that_the_own_hand_has_not_cannot_be_played() -> None:
    person = Person("dnup")
    reached(person, "play")
    held = person.host.practice.world.hands[0]
    assert not person.host.practice.admits(
        ActionDeclared(at=person.clock.now(), action=Action(0, "play", f"{len(held) + 1}x10"))
    )
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
        assert not practice.admits(ActionDeclared(at=0, action=Action(chair, "star")))
    assert practice.admits(Edge(None, "back", level=True, at=0, source="key")), "everybody may pause"


def test_where_the_hand_decides_the_own_button_waits() -> None:
    person = Person("dnup")
    reached(person, "play")
    practice = person.host.practice
    assert not practice.admits(Edge(0, "seat", level=True, at=person.clock.now(), source="key"))


def test_a_set_is_played_with_the_cards_of_the_own_hand() -> None:
    person = Person("dnup")
    reached(person, "play")
    before = len(person.host.practice.world.hands[0])
    action = next(one for one in person.host.practice.offered_actions() if one.verb == "play")
    count = int(str(action.value).partition("x")[0])
    person.taps(action)
    person.run(0.4)
    assert len(person.host.practice.world.hands[0]) == before - count
    assert person.host.practice.world.find_discrepancy(person.session.game.referee.state) is None


def test_the_very_cards_that_were_tapped_are_played() -> None:
    person = Person("dnup", seed=3)
    reached(person, "play")
    practice = person.host.practice
    hand = practice.world.hand_pictures(practice.people.state, 0)
    use = practice.world.hand_use(practice.people.state, Action(0, "play", "2x6"))
    first, *_, last = sorted(use.cards)
    assert len(use.cards) == 3
    for place in (0, first, last):  # the first tap leads nowhere with the others
        person.app.carry_out(do.ControlGuide(f"card:{place}"))
    guide = practice.guidance()
    assert guide is not None
    assert guide.tapped == (first, last)
    assert guide.answers == (
        practice._game.referee.rules.label(practice.people.state, Action(0, "play", "2x6")),
    )
    person.app.carry_out(do.ControlGuide("answer:1"))
    person.run(0.4)
    assert list(practice.world.hand_pictures(practice.people.state, 0)) == [
        card for place, card in enumerate(hand) if place not in {first, last}
    ]


def test_a_second_tap_takes_the_card_away_and_without_any_the_hand_may_be_spun() -> None:
    person = Person("dnup", seed=3)
    reached(person, "play")
    practice = person.host.practice
    for tapped in ((3,), ()):
        practice.handle_request("card:3")
        guide = practice.guidance()
        assert guide is not None
        assert guide.tapped == tapped
    assert [said.key for said in guide.answers] == ["dnup.do.rotate"]


@pytest.mark.parametrize("kind", ["practice", "lesson"])
def test_a_practice_game_that_got_into_a_store_counts_nowhere(tmp_path: Path, kind: Any) -> None:
    with GameStore(tmp_path / "games.sqlite3", RULES) as store:
        journal = store.create_game(make_header("kinapa", _setup(), kind=kind))
        journal.append(Entry(0, AbandonRequested(at=0), (GameAbandoned(),)), Outcome("abandoned", ()))
        journal.flush()
        journal.close()
        assert [game.kind for game in store.list_games(kind=None)] == [kind]
        assert store.list_games() == ()
        assert store.find_unfinished() is None


def test_practice_is_begun_from_the_home_screen_and_left_again() -> None:
    person = Person("kinapa")
    app = person.app
    app.carry_out(do.ShowPage("home"))
    assert app.session is None
    home = app._pages["home"]
    for key in ("game:dnup", "practice", "open"):
        frame = at_home(app)
        target = next(one for one in home.painted_sheet(frame).targets if one.key == key)
        app.navigation.ui_state, wanted = home.apply_action(frame, target.action)
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
    app.carry_out(do.ShowPage("home"))
    home = app._pages["home"]
    for key in ("game:kinapa", "practice", f"table:{table}", "strong"):
        frame = at_home(app)
        target = next(one for one in home.painted_sheet(frame).targets if one.key == key)
        app.navigation.ui_state, wanted = home.apply_action(frame, target.action)
        for command in wanted:
            app.carry_out(command)
    state = app.session.game.referee.state
    assert (len(state.setup.chairs), len(state.seats)) == (int(table[0]), decks)
    assert person.host.practice.world.strengths[1:] == ("strong",) * (int(table[0]) - 1)


def at_home(app: Any) -> Any:
    """The home page as it would be with this glass, and every game on offer."""
    return HomeFrame(ui_state=app.ui_state, offered=tuple(map(build_offer, GAMES.values())))


def test_nobody_is_asked_who_is_the_youngest_where_nobody_has_an_age() -> None:
    person = Person("kobayakawa", players=4, seed=4)
    person.run(0.5)
    frame: Any = person.app.frame()
    assert frame.view.phase != "starting"
