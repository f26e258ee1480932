"""What lies hidden again is hidden: in view, controls, looks, timers and the log."""

from __future__ import annotations

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from companion.core.events import Event
from companion.core.view import LampSignal, ViewMode
from companion.games.kinapa.rules.model import (
    CardFound,
    CardHanded,
    KinapaMisplacementResolved,
    KinapaMisplacementSeen,
    KinapaPhase,
    LiarPunished,
    LieProven,
    ObjectTurned,
    PairPlaced,
)
from companion.language.language import Language
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, crowned, given
from tests.languages import LANGUAGES

EIGHT = ("1-2", "1-2", "3-4", "3-4", "5-6", "5-6", "7-8", "7-8")


def told_now(table: Table) -> tuple[object, ...]:
    """Everything a table may learn from the state as it stands: panels, lamps, looks, timers and log."""
    state = table.state
    return (
        RULES.view(state),
        dict(RULES.controls(state)),
        RULES.prompts(state),
        RULES.awaited_regions(state),
        RULES.awaited_draw(state),
        RULES.awaited_cue(state),
        RULES.next_timer(state),
        [RULES.sentence(state, event, log=True) for event in table.rulings],
    )


def whole_turn(table: Table, slot: int, label: str, *, raised: tuple[int, ...], by_camera: bool) -> None:
    """A turn in which one object is turned and hidden again."""
    table.count(7, raised)
    table.say(table.emperor, "no_pair")
    table.draw(table.state.lowered[0])
    if by_camera:
        table.slot(slot, f"object:{label}")
        table.slot(slot, "back:blue")
    else:
        table.miss(label, slot)


@pytest.mark.parametrize(("players", "bot"), [(4, False), (2, False), (3, False), (4, True)])
def test_two_histories_that_differ_in_a_label_hidden_again_are_told_alike(players: int, bot: bool):
    for by_camera in (False, True):
        tables = []
        for label in ("1-2", "5-6"):
            table = given(players=players, bot=bot)
            whole_turn(table, 3, label, raised=(B,), by_camera=by_camera)
            tables.append(table)
        assert told_now(tables[0]) == told_now(tables[1])


def test_an_open_object_is_named_and_a_hidden_one_told_by_its_slot():
    table = given()
    table.count(7, [B])
    table.say(A, "no_pair")
    table.draw(C)
    (turned,) = table.slot(3, "object:5-6")
    aloud = RULES.sentence(table.state, turned)
    assert aloud is not None
    assert "5-6" in dict(aloud.parts).values()
    table.slot(3, "back:blue")
    logged = RULES.sentence(table.state, turned, log=True)
    assert logged is not None
    assert "5-6" not in dict(logged.parts).values()
    assert 3 in dict(logged.parts).values()


def test_a_hidden_object_is_shown_as_a_back():
    table = given()
    whole_turn(table, 3, "5-6", raised=(), by_camera=True)
    cards = {place.region: place.card for place in RULES.view(table.state).places}
    assert cards["slot:3"].startswith("back:")


def test_a_closed_object_stays_named_in_view_and_log():
    table = given(ObjectTurned("5-6", 3), PairPlaced(A, 5, 3), *crowned())
    (place,) = (place for place in RULES.view(table.state).places if place.region == "slot:3")
    assert place.card == "object:5-6"
    assert place.on_top
    logged = RULES.sentence(table.state, ObjectTurned("5-6", 3), log=True)
    assert logged is not None
    assert "5-6" in dict(logged.parts).values()


def test_an_infraction_about_a_label_does_not_name_it_once_it_lies_hidden():
    def history(label: str) -> Table:
        table = given()
        whole_turn(table, 3, label, raised=(), by_camera=True)
        table.slot(4, f"object:{label}")  # turned when none may be turned
        table.slot(4, "back:blue")
        return table

    assert told_now(history("1-2")) == told_now(history("5-6"))


def named(table: Table, event: Event) -> set[str | int]:
    logged = RULES.sentence(table.state, event, log=True)
    assert logged is not None
    for language in map(Language, LANGUAGES):
        assert logged.key not in language.text(logged), "The sentence without the label exists"
    return set(dict(logged.parts).values())


def test_an_infraction_that_names_a_label_aloud_keeps_it_out_of_the_log():
    table = given()
    table.count(7, [B])
    table.say(A, "no_pair")
    table.draw(C)
    (unknown,) = table.say(A, "turn", "9-10@3")
    table.slot(3, "object:5-6")
    (wrong_pair,) = table.say(A, "place", 8)
    aloud = RULES.sentence(table.state, wrong_pair)
    assert aloud is not None
    assert "5-6" in dict(aloud.parts).values()
    table.slot(3, "back:blue")
    assert "9-10" not in named(table, unknown)
    assert "5-6" not in named(table, wrong_pair)


def test_a_third_copy_is_named_aloud_and_not_in_the_log():
    closed = (ObjectTurned("5-6", 1), PairPlaced(A, 5, 1), ObjectTurned("5-6", 2), PairPlaced(A, 6, 2))
    table = given(*closed, *crowned())
    table.count(7, [])
    table.say(A, "no_pair")
    table.draw(C)
    third = table.slot(3, "object:5-6")[0]
    aloud = RULES.sentence(table.state, third)
    assert aloud is not None
    assert "5-6" in dict(aloud.parts).values()
    table.slot(3, "back:blue")
    assert "5-6" not in named(table, third)


def test_a_moved_object_is_called_without_naming_what_lay_there():
    def history(label: str) -> Table:
        table = given()
        whole_turn(table, 3, label, raised=(), by_camera=True)
        table.count(7, [])
        table.say(A, "no_pair")
        table.draw(B)
        table.slot(3, "object:7-8")
        table.slot(3, "back:blue")
        return table

    first, second = history("1-2"), history("5-6")
    for event in first.rulings:
        sentence = RULES.sentence(first.state, event)
        if event not in second.rulings and sentence is not None:
            assert "ObjectTurned" in sentence.key, sentence
    assert told_now(first)[:-1] == told_now(second)[:-1]
    assert told_now(first)[-1] == told_now(second)[-1]


decks = st.permutations(EIGHT)
turns = st.lists(
    st.tuples(st.integers(1, 8), st.sets(st.integers(0, 3)), st.booleans()), min_size=1, max_size=6
)


@for_all(decks, decks, turns)
def test_whatever_order_the_objects_lie_in_nothing_told_after_a_turn_depends_on_it(
    first: list[str], second: list[str], plan: list[tuple[int, set[int], bool]]
):
    tables = (given(), given())
    for slot, hands, by_camera in plan:
        for table, deck in zip(tables, (first, second), strict=True):
            raised = tuple(seat for seat in table.state.others if seat in hands)[:1]
            whole_turn(table, slot, deck[slot - 1], raised=raised, by_camera=by_camera)
        assert told_now(tables[0]) == told_now(tables[1])


@for_all(decks, decks, st.integers(1, 8), st.integers(1, 8))
def test_taking_back_names_no_label_that_lies_hidden(first: list[str], second: list[str], one: int, two: int):
    def history(deck: list[str]) -> list[object]:
        table = given()
        states = []
        for slot in (one, two):
            table.count(7, [])
            table.say(A, "no_pair")
            table.draw(B)
            states.append(table.state)
            table.slot(slot, f"object:{deck[slot - 1]}")
            states.append(table.state)
            table.slot(slot, "back:blue")
            states.append(table.state)
        return [RULES.restore_instructions(table.state, earlier) for earlier in states]

    assert history(first) == history(second)


def test_an_object_whose_place_nobody_told_is_turned_down_when_its_pair_is_taken_back():
    table = given()
    table.count(7, [])
    table.say(A, "no_pair")
    table.draw(B)
    table.say(A, "turn", "1-2")
    opened = table.state
    assert opened.phase is KinapaPhase.PLACING
    assert not opened.turn.slot
    table.say(A, "place", 1)
    forgets = RULES.forget(opened, "slot:0")
    assert forgets is not None
    undone = RULES.evolve(opened, forgets)
    told = [said.key for said in RULES.restore_instructions(table.state, undone)]
    assert told[:2] == ["kinapa.back.loose_down", "kinapa.back.pair"]


def audit() -> Table:
    table = given()
    table.count(7, [B, C, D])
    table.say(A, "no_pair")
    for seat in (B, C, D):
        table.say(seat, "has_not")
    return table


def test_an_audit_blanks_preview_and_evidence_until_the_last_hand_was_shown():
    table = audit()
    for seat, hand in (
        (B, ("animal:1", "animal:2", "animal:3", "animal:4")),
        (C, ("shelter:1", "shelter:2", "shelter:3", "shelter:4")),
        (D, ("animal:5", "animal:6", "animal:7", "animal:8")),
    ):
        assert RULES.view(table.state).dark
        table.shows(seat, *hand)
    assert not RULES.view(table.state).dark


def test_nothing_of_a_shown_hand_but_whether_it_has_the_number_is_told():
    def history(*faces: str) -> Table:
        table = audit()
        table.shows(B, *faces)
        return table

    first = history("animal:1", "animal:2", "animal:3", "animal:4")
    second = history("shelter:5", "shelter:6", "animal:6", "shelter:8")
    assert told_now(first) == told_now(second)
    assert first.rulings == second.rulings
    third = history("animal:7", "animal:2", "animal:3", "animal:4")
    fourth = history("shelter:7", "shelter:6", "animal:7", "shelter:8")
    assert CardFound(B) in third.rulings
    assert told_now(third) == told_now(fourth)


def test_the_view_is_bright_outside_an_audit():
    table = given()
    assert not RULES.view(table.state).dark
    table.count(7, [B, C])
    assert not RULES.view(table.state).dark


def test_which_card_was_handed_over_is_not_told():
    first = given(*crowned(), CardHanded(B, 7, "animal:7"))
    second = given(*crowned(), CardHanded(B, 7, "shelter:7"))
    assert RULES.view(first.state) == RULES.view(second.state)
    for table, card in ((first, "animal:7"), (second, "shelter:7")):
        sentence = RULES.sentence(table.state, CardHanded(B, 7, card))
        assert sentence is not None
        assert card not in dict(sentence.parts).values()


def test_bookkeeping_and_proven_bluffs_are_never_told():
    table = given()
    for event in (LieProven(B, 7), KinapaMisplacementSeen(3), KinapaMisplacementResolved(3)):
        assert RULES.sentence(table.state, event) is None
        assert RULES.sentence(table.state, event, log=True) is None


def test_the_view_shows_public_tokens():
    table = given(ObjectTurned("5-6", 3), PairPlaced(C, 5, 3), LiarPunished(B, 2, False), *crowned(A, D))
    chairs = RULES.view(table.state).chairs
    kinds = [{token.kind for token in chair.tokens} for chair in chairs]
    assert kinds[A] >= {"emperor", "sheep"}
    assert "fox" in kinds[B]
    assert "pair" in kinds[C]
    assert kinds[D] == {"sheep"}
    assert [chair.cards for chair in chairs] == [4, 4, 2, 4]


def test_raised_hands_light_their_lamps_and_early_ones_stay_dark():
    table = given()
    table.press(B)
    assert RULES.view(table.state).chairs[B].lamp is LampSignal.DARK, "Too early"
    table.release(B)
    table.say(A, "announce", 7)
    dark = RULES.view(table.state).chairs[C].lamp
    table.press(C)
    view = RULES.view(table.state)
    assert view.chairs[C].raised
    assert view.chairs[C].lamp is LampSignal.LIT
    assert view.chairs[C].lamp is not dark
    assert not view.chairs[B].raised


def test_the_ring_of_the_count_starts_with_the_beat_that_was_heard():
    table = given()
    table.say(A, "announce", 7)
    waiting = RULES.view(table.state).count
    assert waiting is not None
    assert (waiting.first_beat, waiting.beats, waiting.number) == (None, 3, 7)
    table.cue(1_000_000)
    running = RULES.view(table.state).count
    assert running is not None
    assert running.first_beat == 1_000_000
    table.elapse(4_000_000)
    assert RULES.view(table.state).count is None


def test_the_open_mode_of_a_recap_may_name_what_lay_hidden():
    table = given()
    whole_turn(table, 3, "5-6", raised=(), by_camera=True)
    cards = {place.region: place.card for place in RULES.view(table.state, ViewMode.OPEN).places}
    assert cards["slot:3"] == "object:5-6"
