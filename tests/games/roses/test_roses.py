"""Roses and Thorns under every house rule: what every game promises, its people, its words."""

from __future__ import annotations

from random import Random

import pytest
from msgspec import to_builtins

from companion.core import observations as ob
from companion.core.actions import Action, Setup
from companion.core.button_choices import presses_to
from companion.games import GAMES, mat_layout
from companion.games.kit.world import Opponents
from companion.games.roses.rules.model import RosesOptions
from companion.language.language import Language
from companion.referee.dry_run import check_journal
from companion.simulation.game_simulation import simulate_game
from companion.testing import conformance, sentences
from companion.testing.invariants import check_hidden_cards_do_not_leak
from companion.testing.random_walks import GameCase
from companion.vision.layout import MAT_MM
from tests.games.roses.roses_table import RULES, A, B, C, Table
from tests.languages import LANGUAGES
from tests.thorough import examples, some

HOUSE_RULES = {
    "usual": RosesOptions(),
    "next": RosesOptions(wins=3, starter="next"),
    "one": RosesOptions(wins=1),
}
FACES = ("flower:rose", "flower:thorn", "back:garden", ob.UNKNOWN)
CASES = [
    pytest.param(GameCase(RULES, Setup(tuple(range(8 - many, 8)), options), FACES), id=f"{name}-{many}")
    for name, options in HOUSE_RULES.items()
    for many in (3, 4)
]


@pytest.mark.parametrize("seed", range(examples(2)))
@pytest.mark.parametrize("check", conformance.CONFORMANCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_every_house_rule_keeps_what_every_game_promises(
    case: GameCase, check: conformance.ConformanceCheck, seed: int
) -> None:
    check(case, seed)


MENDS = ("undo", "correct", "repair")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", HOUSE_RULES.values(), ids=HOUSE_RULES)
def test_nothing_leaks_where_a_history_was_mended(options: RosesOptions, seed: int) -> None:
    """Undo, a correction and a repair in each; what is public depends on what was told alone."""
    chance, table = Random(seed), Table(4, begins=seed, **to_builtins(options))
    for mend in MENDS:
        for _ in range(6):
            if RULES.outcome(table.state) is not None:
                break
            said = chance.choice(sorted(RULES.legal_actions(table.state), key=str))
            table.say(said.seat, said.verb, said.value)
        _mend(table, mend)
        check_hidden_cards_do_not_leak(RULES, table.state, table.referee.journal.entries)
        assert RULES.find_violation(table.state) is None
        journal = table.referee.journal
        check_journal(RULES, journal.header, journal.entries)


def _mend(table: Table, mend: str) -> None:
    referee, before = table.referee, table.state
    match mend:
        case "undo":
            assert referee.undo(table.at) is not None
        case "correct":
            entry = next(iter(referee.correctable_entries()))
            assert isinstance(entry.cause, ob.ActionDeclared)
            others = RULES.correction_choices(referee.state_before(entry.seq), entry.cause)
            other = next((one for one in others if one != entry.cause.action), entry.cause.action)
            referee.correct(entry.seq, ob.ActionDeclared(at=entry.cause.at, action=other), table.at)
        case "repair":
            starter = next(seat for seat in before.holders if seat != before.seat)
            assert table.see(ob.TableDeclared(at=table.at, table=(("starter", starter),)))
            assert table.state.starter == starter


@pytest.mark.parametrize("case", some(CASES))
def test_every_language_has_words_for_all_that_it_says(case: GameCase) -> None:
    spoken = [Language(code) for code in LANGUAGES]
    missing = sentences.find_missing_sentences(
        case, lambda said: all(words.has_words_for(said) for words in spoken), range(examples(3))
    )
    assert missing == []


@pytest.mark.parametrize("options", HOUSE_RULES.values(), ids=HOUSE_RULES)
def test_people_play_it_to_its_end_and_are_judged_rightly(options: RosesOptions) -> None:
    for players in RULES.players:
        played = simulate_game("roses", players=players, seed=players, options=options)
        assert played.faults == ()
        assert played.outcome is not None
        assert played.outcome.termination in {"points", "last"}


# What is pressed, seen and laid -----------------------------------------------------------------------------


def test_a_tap_adds_or_passes_and_a_hold_bids_whatever_the_number() -> None:
    table = Table(4).lay(1, 1, 1, 1)
    for others in ("add", "pass"):
        (prompt,) = RULES.prompts(table.state)
        assert [presses_to(table.state.desk, prompt, action) for action in prompt.actions] == [
            ("tap",),
            ("hold",),
        ]
        assert prompt.actions[0].verb == others
        table.bid(table.state.seat, 2)


def test_the_bid_and_what_is_still_missing_are_in_the_middle() -> None:
    table = Table().lay(1, 1, 1).turns(A, 3)
    table.show("rose", "rose")
    view = RULES.view(table.state)
    (bid,), cards = view.rows
    assert (bid.motif, bid.value) == ("rose", "× 3 / 6")
    assert [cell.motif for cell in cards] == ["rose", "rose", "bed"]
    assert view.headline.key == "roses.phase.turn.pick"
    table.say(A, "turn", C)
    table.show("thorn")
    assert [cell.motif for cell in RULES.view(table.state).rows[1]] == ["rose", "rose", "thorn"]
    table.lay()
    assert [cell.motif for row in RULES.view(table.state).rows for cell in row] == ["bed"]


def test_a_plate_has_the_hand_the_bed_and_the_rounds() -> None:
    table = Table()
    table.declare(points_1=1)
    table.lay()
    view = RULES.view(table.state)
    assert [[(one.kind, one.count) for one in chair.tokens] for chair in view.chairs] == [
        [("hand", 3), ("bed", 1)],
        [("points", 1), ("hand", 3), ("bed", 1)],
        [("hand", 3), ("bed", 1)],
    ]


def test_without_a_camera_the_hint_asks_what_the_card_is() -> None:
    table = Table().lay().turns(A, 1)
    assert RULES.view(table.state).hint == RULES.table_wording(table.state, RULES.view(table.state).hint)
    table.see(ob.CameraLost(at=table.at))
    hint = RULES.view(table.state).hint
    assert hint is not None
    assert hint.key == "roses.hint.turn.by_hand"


@pytest.mark.parametrize("players", RULES.players)
def test_every_place_of_a_bed_is_on_the_mat_and_apart_from_all_others(players: int) -> None:
    layout, table = mat_layout("roses", players), Table(players)
    names = {place for seat in range(players) for place in table.state.places_of(seat)}
    assert {place.name for place in layout.places} == names
    corners = {place.name: place.corners_mm() for place in layout.places}
    for name, box in corners.items():
        (left, top), (right, bottom) = box.min(0), box.max(0)
        assert 0 < left < right < MAT_MM[0]
        assert 0 < top < bottom < MAT_MM[1]
        for other, there in corners.items():
            (x1, y1), (x2, y2) = there.min(0), there.max(0)
            assert name == other or x2 <= left or right <= x1 or y2 <= top or bottom <= y1


# People -----------------------------------------------------------------------------------------------------


def people(table: Table, *strengths: str) -> Opponents:
    setup = table.state.setup
    make = GAMES["roses"].opponents
    assert make is not None
    world: Opponents = make(setup.chairs, Random(1), strengths)
    return world


def test_a_person_chooses_the_card_that_is_laid() -> None:
    table = Table()
    world = people(table, "strong", "strong", "strong")
    world.advised_seat = A
    assert {deed.action.seat for _, deed in world.plan(table.state)} == {B, C}
    thorn = world.hand_pictures(table.state, A).index("flower:thorn")
    assert world.accept_choice(table.state, Action(A, "lay"), {thorn})
    before = table.state
    (laid,) = table.say(A, "lay")
    world.apply_event(before, laid)
    assert "flower:thorn" not in world.hand_pictures(table.state, A)
    assert world.places[before.places_of(A)[0]] == ("back:garden",), "and lies face down"


def test_whoever_has_laid_the_thorn_is_advised_to_pass() -> None:
    table = Table(begins=C)
    world = people(table, "strong", "strong", "strong")
    world.accept_choice(table.state, Action(A, "lay"), {3})
    for seat in range(3):
        before = table.state
        for event in table.say(seat, "lay"):
            world.apply_event(before, event)
    table.bid(C, 1)
    advice = world.advice(table.state, A)
    assert advice is not None
    assert advice.action.verb == "pass"
