"""In every game: what lay open once and is covered now changes nothing that leaves the loop.

In each game two tables see the same but for some faces; these are covered, and then rulings are taken back,
brought back, corrected and put right, the game is paused, ended and gone on with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.events import Infraction
from companion.core.switch import Edge
from companion.games import RULES
from companion.games.kinapa.rules.model import DOWN
from companion.referee.referee import Referee
from tests.thorough import examples, some
from tests.whole.twins import MS, Deed, Loop, led, many, mending, presses, seen, sure_of

BACK: Deed = ("back", False)
Faces = tuple[str, str]


def table(
    game: str, players: int, opened: Callable[[Any], bool] = lambda state: False, **options: Any
) -> Loop:
    rules = RULES[game]
    return Loop(rules, Setup(tuple(range(players)), rules.options(**options)), opened=opened)


def say(loop: Loop, seat: int, verb: str, value: str | int | None = None) -> None:
    at = loop.clock.now()
    loop.run(at + SECOND, ob.ActionDeclared(at=at + MS, action=Action(seat, verb, value)))


def see(loop: Loop, place: str, *cards: str) -> None:
    sure = min(map(sure_of, cards), default=1.0)
    for _ in range(loop.readings):
        at = loop.clock.now()
        loop.run(at + SECOND, seen(at + 700 * MS, place, *cards, sure=sure))


def kinapa(faces: Faces) -> Loop:
    """Two objects were turned up and hidden again; here in this order, there in the other."""
    loop = table("kinapa", 4, lambda state: any(slot.lies is not DOWN for slot in state.slots[:2]))
    return turned_and_hidden(loop, enumerate(faces, 1), told=False)


def kinapa_by_touch(faces: Faces) -> Loop:
    """The same without a camera: whatever is said to lie there, the program does not know what does."""
    return turned_and_hidden(table("kinapa", 4), enumerate(faces, 1), told=True)


def turned_and_hidden(loop: Loop, faces: Iterable[tuple[int, str]], *, told: bool) -> Loop:
    say(loop, 0, "claim_cat")
    for slot, label in faces:
        say(loop, 0, "announce", 7)
        at = loop.clock.now()
        loop.run(at + 4 * SECOND, ob.CueHeard(at=at + MS, cue="kinapa.count", attempt=1))
        for verb, value in (("no_pair", None), ("draw_from", 1), ("drawn", None), ("return", None)):
            say(loop, 0, verb, value)
        if told:
            say(loop, 0, "turn", f"{label}@{slot}")
        else:
            see(loop, f"slot:{slot}", f"object:{label}")
        assert loop.state.turn.label == label
        if told:
            say(loop, 0, "hide")
        else:
            see(loop, f"slot:{slot}", "back:blue")
        assert loop.state.slots[slot - 1].label == label
    loop.cover()
    return loop


def count(loop: Loop, *raised: int) -> None:
    at = loop.clock.now()
    loop.run(at + 2 * MS, ob.CueHeard(at=at + MS, cue="kinapa.count", attempt=1))
    for seat in raised:
        at = loop.clock.now()
        loop.run(at + 100 * MS, ob.ActionDeclared(at=at + MS, action=Action(seat, "raise")))
    loop.run(loop.clock.now() + 4 * SECOND)


def kinapa_open_row(faces: Faces) -> Loop:
    """A liar's cards lay open, and were taken up again with the last Fox."""
    loop = table("kinapa", 4, drawn_named=True)
    row = (f"animal:{faces[0]}", "shelter:3", "animal:4")
    say(loop, 0, "claim_cat")
    say(loop, 0, "announce", 7)
    count(loop, 1, 2)
    for seat, verb in ((0, "no_pair"), (3, "has_not"), (1, "has"), (2, "has_not"), (0, "receive")):
        say(loop, seat, verb)
    see(loop, "open:1", *row)
    say(loop, 0, "return")
    see(loop, "open:1", *row, "back:white")
    assert loop.state.seats[1].opened
    say(loop, 0, "turn", "3-4@1")
    say(loop, 0, "hide")
    say(loop, 1, "announce", 6)
    count(loop, 0, 2, 3)
    for verb, value in (("show_pair", None), ("turn", "3-4@1"), ("hide", None), ("crown", 3)):
        say(loop, 1, verb, value)
    say(loop, 3, "announce", 2)
    count(loop, 2)
    for verb, value in (("no_pair", None), ("draw_from", 0), ("drawn", None), ("return", None)):
        say(loop, 3, verb, value)
    say(loop, 3, "turn", "3-4@1")
    say(loop, 3, "hide")
    assert not loop.state.seats[1].opened
    see(loop, "open:1")
    loop.cover()
    return loop


def kabuki(faces: Faces) -> Loop:
    """A mask was shown and lies on its like or not; another lies on both."""
    loop = table("kabuki", 3)
    say(loop, 0, "begin")
    for card in (faces[0], "leaf"):
        see(loop, "show", f"mask:{card}")
        see(loop, "show")
        see(loop, "stack:1", f"mask:{card}")
    assert loop.state.placed == 2
    loop.cover()
    return loop


def kobayakawa(faces: Faces) -> Loop:
    """A card was laid open, and is in its owner's hand again."""
    loop = table("kobayakawa", 3)
    for verb in ("start", "dealt"):
        say(loop, 0, verb)
    say(loop, 0, "kobayakawa", 7)
    say(loop, 0, "draw")
    see(loop, f"discard:{loop.state.field_of_seat(0)}", f"number:{faces[0]}")
    assert loop.state.hands[0].discard == int(faces[0])
    loop.do(BACK)
    loop.cover()
    return loop


def dnup(faces: Faces) -> Loop:
    """A card was played, and the next player took it into the hand."""
    loop = table("dnup", 3)
    say(loop, 0, "prepared")
    say(loop, 0, "star")
    see(loop, "set:1", f"pair:{faces[0]}")
    say(loop, 0, "done")
    assert loop.state.areas[0].cards
    see(loop, "set:1")
    loop.run(loop.clock.now() + 10 * SECOND)
    assert not loop.state.areas[0].cards
    loop.cover()
    return loop


TABLES: dict[str, tuple[Callable[[Faces], Loop], Faces, Faces]] = {
    "kinapa": (kinapa, ("1-2", "5-6"), ("5-6", "1-2")),
    "kinapa-by-touch": (kinapa_by_touch, ("1-2", "5-6"), ("5-6", "1-2")),
    "kinapa-two-alike": (kinapa_by_touch, ("1-2", "1-2"), ("5-6", "1-2")),
    "kinapa-open-row": (kinapa_open_row, ("2", ""), ("5", "")),
    "kabuki": (kabuki, ("wave", ""), ("sun", "")),
    "kobayakawa": (kobayakawa, ("5", ""), ("9", "")),
    "dnup": (dnup, ("2-5", ""), ("4-8", "")),
}
LIES = {
    "kinapa": [
        ("slot:3", "object:3-4"),
        ("slot:3", "back:blue"),
        ("slot:1", "back:blue"),
        ("slot:2", "object:1-2"),
    ],
    "kinapa-by-touch": [("slot:3", "object:3-4"), ("slot:3", "back:blue")],
    "kinapa-two-alike": [("slot:3", "object:3-4"), ("slot:3", "back:blue")],
    "kinapa-open-row": [("open:1", "animal:6"), ("slot:3", "object:5-6")],
    "kabuki": [
        ("stack:1", "mask:wave"),
        ("stack:2", "mask:sun"),
        ("show", "mask:moon"),
        ("stack:1", "unknown"),
    ],
    "kobayakawa": [("discard:1", "number:5"), ("kobayakawa", "number:9"), ("hand:1", "number:5")],
    "dnup": [("set:1", "pair:1-8"), ("set:2", "pair:3-7"), ("set:1", "unknown")],
}


SLOTS: list[Deed] = [
    *(("tells", "turn", f"{label}@{slot}") for label in ("1-2", "5-6", "3-4") for slot in (1, 2, 3)),
    ("tells", "hide", None),
]
TELLS: dict[str, list[Deed]] = {
    "kinapa": [("tells", "turn", "1-2@3"), ("tells", "hide", None)],
    "kinapa-by-touch": SLOTS,
    "kinapa-two-alike": SLOTS,
    "kinapa-open-row": [("tells", "has_not", None), ("tells", "drawn", "animal:2"), ("tells", "drawn", None)],
    "kabuki": [
        ("tells", verb, f"{mask}@1") for verb in ("name", "place") for mask in ("wave", "sun", "leaf")
    ],
    "kobayakawa": [("tells", "discard", 5), ("tells", "discard", 9), ("tells", "draw", None)],
    "dnup": [("tells", "done", None), ("tells", "play", "2-5"), ("tells", "play", "1x2")],
}
"""What somebody says who would like to know whether it is so."""


def deeds(game: str) -> st.SearchStrategy[Deed]:
    return st.one_of(
        presses.map(lambda pairs: ("presses", *pairs)),
        st.sampled_from(LIES[game]).map(lambda here: ("lies", *here, sure_of(here[1]))),
        mending,
        mending,
        st.sampled_from(TELLS[game]),
        st.tuples(st.just("say"), st.integers(0, 40)),
        st.tuples(st.just("wait"), st.integers(1, 7_000_000)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("game", TABLES)
@many
@given(data=st.data())
def test_a_covered_face_changes_nothing_that_leaves_the_loop(game: str, data: st.DataObject) -> None:
    begun, here, there = TABLES[game]
    after = data.draw(st.lists(deeds(game), min_size=1, max_size=5))
    assert led((begun(here), begun(there)), after) is None


@pytest.mark.parametrize("game", TABLES)
@pytest.mark.parametrize(
    "after",
    [
        [BACK, BACK, BACK, BACK, BACK],
        [BACK, ("again",), BACK, BACK, ("again",), ("again",)],
        [BACK, BACK, ("correct", 1), ("correct", 2), BACK],
        [("correct", 40), ("correct", 40), ("again",), BACK],
        [("correct", 1), ("correct", 1)],
        [("end",), BACK, BACK, ("again",)],
        [("resume",), BACK, ("pause",), BACK, ("resume",), ("again",)],
        [("end",), ("resume",), BACK, BACK],
        *([BACK, ("end",), ("correct", which)] for which in some(range(9))),
    ],
)
def test_going_back_and_forth_shows_no_face_that_was_covered(game: str, after: list[Deed]) -> None:
    begun, here, there = TABLES[game]
    assert led((begun(here), begun(there)), after) is None


def kinapa_pair(number: str, back: int) -> Loop:
    """A pair was laid on an open object, and taken back into the hand."""
    loop = table("kinapa", 4)
    say(loop, 0, "claim_cat")
    say(loop, 0, "announce", 7)
    count(loop)
    for verb, value in (("no_pair", None), ("draw_from", 1), ("drawn", None), ("return", None)):
        say(loop, 0, verb, value)
    see(loop, "slot:3", "object:5-6")
    say(loop, 0, "place", int(number))
    assert loop.state.slots[2].pair == int(number)
    for _ in range(back):
        loop.do(BACK)
    loop.cover()
    return loop


@pytest.mark.parametrize("back", [1, 2])
@pytest.mark.parametrize(
    "after", [[("wait", 1)], [("again",), ("again",)], [("again",)], [BACK], [("end",), ("resume",)]]
)
def test_a_pair_that_was_taken_back_is_named_no_more(back: int, after: list[Deed]) -> None:
    assert led((kinapa_pair("5", back), kinapa_pair("6", back)), after) is None


def kinapa_object(label: str) -> Loop:
    """An object was turned up without a camera, shown large, and lies hidden again."""
    loop = table("kinapa", 4)
    loop.run(SECOND, ob.CameraLost(at=MS))
    say(loop, 0, "claim_cat")
    say(loop, 0, "announce", 7)
    count(loop)
    for verb, value in (("no_pair", None), ("draw_from", 1), ("drawn", None), ("return", None)):
        say(loop, 0, verb, value)
    say(loop, 0, "turn", label)
    assert loop.session.view.card == f"object:{label}"
    say(loop, 0, "lies_at", 3)
    say(loop, 0, "hide")
    loop.cover()
    return loop


def test_replay_shows_no_card_that_was_drawn_large_and_lies_hidden_again() -> None:
    assert led((kinapa_object("5-6"), kinapa_object("1-2")), []) is None


def dnup_turned_card(other: str) -> Loop:
    """A card lay the other way up than in the hand it came from, was named, and is in the hand again."""
    loop = table("dnup", 3)

    def lies(place: str, *cards: str) -> None:
        see(loop, place, *(f"pair:{card}" for card in cards))

    say(loop, 0, "prepared")
    say(loop, 0, "star")
    lies("set:1", other)
    say(loop, 0, "done")
    lies("set:2", "4-8")
    lies("set:1")
    say(loop, 1, "done")
    loop.run(loop.clock.now() + 4 * SECOND)
    say(loop, 2, "rotate")
    loop.run(loop.clock.now() + SECOND)
    lies("set:1", other, "3-6")
    loop.run(loop.clock.now() + 4 * SECOND)
    ruled = [event for entry in loop.game.referee.journal.entries for event in entry.events]
    assert Infraction("card.turned", 0, other.replace("-", "/")) in ruled
    lies("set:1")
    loop.run(loop.clock.now() + 5 * SECOND)
    say(loop, 0, "rotate")
    loop.run(loop.clock.now() + 3 * SECOND)
    loop.cover()
    return loop


def test_a_refusal_does_not_go_on_naming_a_card_that_is_in_a_hand_again() -> None:
    assert led((dnup_turned_card("3-5"), dnup_turned_card("3-7")), [("wait", 1)]) is None


def dnup_gathered(other: str) -> Loop:
    """A round is over, and its sets are gathered."""
    loop = table("dnup", 3)
    say(loop, 0, "prepared")
    say(loop, 0, "star")
    at = loop.clock.now()
    loop.run(at + SECOND, ob.TableDeclared(at=at + MS, table=(("hand:1", 2), ("hand:2", 1))))
    for seat, cards in enumerate((("3-5",), ("2-6", other))):
        see(loop, f"set:{seat + 1}", *(f"pair:{card}" for card in cards))
        say(loop, seat, "done")
    at = loop.clock.now()
    last = ob.RegionReading("set:3", (ob.SeenCard("pair:3-9", 180, 1.0),), at + 100 * MS, at + 400 * MS)
    loop.run(at + SECOND, ob.TableSeen(at=at + 700 * MS, regions=(last,)))
    say(loop, 2, "done")
    assert loop.state.phase == "dealing"
    for at_set in (1, 2, 3):
        see(loop, f"set:{at_set}")
    loop.cover()
    return loop


@pytest.mark.parametrize("after", [[BACK], [BACK, ("again",), BACK], [BACK, BACK], [("end",), BACK, BACK]])
def test_sets_that_were_gathered_at_the_end_of_a_round_are_not_shown_by_undo(after: list[Deed]) -> None:
    assert led((dnup_gathered("2-4"), dnup_gathered("2-9")), after) is None


@pytest.mark.parametrize("back", range(1, 14))
def test_an_open_hand_that_was_taken_up_is_no_witness_after_any_number_of_take_backs(back: int) -> None:
    begun, here, there = TABLES["kinapa-open-row"]
    denied = ("tells", "has_not", None)
    assert led((begun(here), begun(there)), [*back * [BACK], denied, ("say", 1), denied]) is None


@pytest.mark.parametrize("game", TABLES)
@pytest.mark.parametrize("back", some([0, 1, 2]))
def test_no_correction_offered_tells_a_face_that_was_read_twice_before_it_was_covered(
    game: str, back: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second reading is a witness: it must not say whether what is named now lies there."""
    monkeypatch.setattr(Loop, "readings", 2)
    begun, here, there = TABLES[game]
    loop = begun(here)
    for _ in range(back):
        loop.do(BACK)
    reading = loop.session.history.last_reading()
    for which in range(0 if reading is None else min(12, len(reading.choices))):
        after = [*back * [BACK], ("correct", which), BACK, ("again",)]
        assert led((begun(here), begun(there)), after) is None, which


@pytest.mark.slow
@pytest.mark.parametrize("game", TABLES)
def test_to_name_what_was_taken_back_to_tells_nothing_of_what_it_is(game: str) -> None:
    """Neither the log nor a heading nor what is refused says whether the name was right."""
    begun, here, there = TABLES[game]
    every = [*product((1, 2), TELLS[game], TELLS[game])]
    for back, told, again in Random(1).sample(every, examples(len(every))):
        after = [*back * [BACK], told, BACK, again]
        assert led((begun(here), begun(there)), after) is None, after


def test_a_mask_shown_and_covered_since_is_no_witness_of_an_older_one() -> None:
    """It was shown with its like on a stack; said not to lie there, that one would tell what was shown."""

    def laid(shown: str) -> Loop:
        loop = table("kabuki", 3)
        say(loop, 0, "begin")
        for card, stack in (("lion", 2), ("lion", 3), (shown, 1)):
            see(loop, "show", f"mask:{card}")
            see(loop, "show")
            see(loop, f"stack:{stack}", f"mask:{card}")
        loop.do(BACK)
        loop.cover()
        assert loop.session.history.is_correction_closed()
        return loop

    assert led((laid("lion"), laid("leaf")), [*(("correct", which) for which in range(40))]) is None


def test_a_mask_that_was_in_hand_is_no_witness_when_it_is_said_not_to_have_been_laid() -> None:
    """With its like on a stack, a Stop would have to wait for an answer where it lay."""

    def laid(shown: str) -> Loop:
        loop = table("kabuki", 2)
        say(loop, 0, "begin")
        for card, stack in (("demon", 1), (shown, 4)):
            see(loop, "show", f"mask:{card}")
            see(loop, "show")
            see(loop, f"stack:{stack}", f"mask:{card}")
        say(loop, 1, "stop")
        say(loop, 0, "place", "leaf@4")
        loop.do(BACK)
        loop.cover()
        return loop

    for which in range(8):
        assert led((laid("demon"), laid("crab")), [("correct_old", which)]) is None, which


def test_what_a_correction_forgets_makes_no_line_of_the_log() -> None:
    """One object was turned twice; the other is its like or not, and a third is told to be alike."""

    def turned(other: str) -> Loop:
        faces = ((2, "1-2"), (1, other), (2, "1-2"))
        return turned_and_hidden(table("kinapa", 4), faces, told=False)

    after = [BACK, ("lies", "slot:3", "object:1-2", 0.9957)]
    for which in range(12):
        loops = turned("1-2"), turned("5-6")
        assert led(loops, after) is None
        assert led(loops, [("correct_old", which)]) is None


@pytest.mark.parametrize("over", ["leaf", "storm"])
@pytest.mark.parametrize("about", [1, 2])
def test_a_mask_that_is_covered_while_a_stop_is_judged_is_not_named(over: str, about: int) -> None:
    """Another comes to lie on it, or the like of what lay there before: also of the stack that is checked."""

    def laid(card: str) -> Loop:
        loop = table("kabuki", 3)
        say(loop, 0, "begin")
        for place in (3 - about, about):
            see(loop, f"stack:{place}", "mask:storm" if place == 2 else "mask:ghost")
        at = loop.clock.now()
        loop.run(at + 3 * SECOND, Edge(0, "seat", level=True, at=at + MS))
        assert loop.state.stop.stack == about
        see(loop, "stack:2", f"mask:{card}")
        see(loop, "stack:2", f"mask:{over}")
        loop.cover()
        return loop

    for after in ((("say", 1), ("wait", 1)), (("say", 0), ("say", 0), ("say", 0), BACK, ("again",))):
        assert led((laid("sun"), laid("moon")), after) is None


def kinapa_second_turned(label: str) -> Loop:
    """A second object was turned up by mistake, and hidden again."""
    loop = table("kinapa", 4)
    say(loop, 0, "claim_cat")
    say(loop, 0, "announce", 7)
    at = loop.clock.now()
    loop.run(at + 4 * SECOND, ob.CueHeard(at=at + MS, cue="kinapa.count", attempt=1))
    for verb, value in (("no_pair", None), ("draw_from", 1), ("drawn", None), ("return", None)):
        say(loop, 0, verb, value)
    say(loop, 0, "turn", "7-8")
    see(loop, "slot:1", f"object:{label}")
    say(loop, 0, "place", 6)
    see(loop, "slot:1", "back:blue")
    return loop


def kobayakawa_laid_too_early(number: str) -> Loop:
    """A card was laid open beside the discard, and went back into the hand."""
    loop = table("kobayakawa", 3)
    for verb, value in (("start", None), ("dealt", None), ("kobayakawa", 7), ("draw", None), ("discard", 3)):
        say(loop, 0, verb, value)
    see(loop, f"discard:{loop.state.field_of_seat(0)}", f"number:{number}")
    see(loop, f"discard:{loop.state.field_of_seat(0)}")
    return loop


def dnup_laid_wrong(card: str) -> Loop:
    """A card was laid on a set of which it is none, and taken up again."""
    loop = table("dnup", 3)
    for verb, value in (("prepared", None), ("star", None), ("play", "6x7")):
        say(loop, 0, verb, value)
    see(loop, "set:1", f"pair:{card}")
    see(loop, "set:1")
    return loop


@pytest.mark.parametrize(
    ("begun", "here", "there"),
    [
        (kinapa_second_turned, "5-6", "1-2"),
        (kobayakawa_laid_too_early, "12", "10"),
        (dnup_laid_wrong, "4-8", "1-8"),
    ],
)
def test_a_card_that_lay_wrong_and_is_gone_is_no_witness(
    begun: Callable[[str], Loop], here: str, there: str
) -> None:
    """Judged again under another ruling it would lie right, and be named."""
    for kind in ("correct", "correct_old"):
        for which in range(8):
            loops = begun(here), begun(there)
            for loop in loops:
                loop.cover()
            assert led(loops, [(kind, which)]) is None, (kind, which)


def test_going_back_to_when_a_card_lay_wrong_tells_nothing_of_it() -> None:
    """A ruling was taken back before the table was quiet: what is asked next would tell its value."""

    def laid(card: str) -> Loop:
        loop = table("dnup", 5)
        for verb in ("prepared", "star"):
            say(loop, 0, verb)
        see(loop, "set:5", "pair:2-3")
        say(loop, 0, "play", "5x4")
        see(loop, "set:1", f"pair:{card}")
        say(loop, 1, "play", "3x4")
        see(loop, "set:4", "pair:4-8")
        see(loop, "set:1")
        loop.run(loop.clock.now() + 3 * SECOND)
        loop.cover()
        return loop

    assert led((laid("1-5"), laid("4-6")), [("back", True)]) is None


def test_a_card_that_lay_wrong_and_is_gone_is_not_compared_with_one_that_is_laid_there() -> None:
    def laid(number: str) -> Loop:
        loop = kobayakawa_laid_too_early(number)
        loop.cover()
        return loop

    after: list[Deed] = [("lies", "discard:1", "number:12", sure_of("number:12")), ("correct_old", 0)]
    assert led((laid("12"), laid("10")), after) is None


def test_what_may_have_been_played_tells_no_set_that_has_left_the_table() -> None:
    """Only what beats the sets that lie there is lawful: the first choice would tell what lay there."""

    def played(card: str) -> Loop:
        loop = table("dnup", 3)
        for verb in ("prepared", "star"):
            say(loop, 0, verb)
        see(loop, "set:1", f"pair:{card}")
        say(loop, 0, "done")
        say(loop, 1, "rotate")
        say(loop, 2, "play", "5x3")
        see(loop, "set:1")
        loop.cover()
        return loop

    here, there = played("1-8"), played("3-7")
    reading = here.session.history.last_reading()
    assert reading is not None
    assert len(reading.choices) > 1
    assert led((here, there), [("wait", 1)]) is None
    assert reading == there.session.history.last_reading()


def test_a_mask_covered_since_is_no_witness_of_the_one_below_it() -> None:
    """Any entry may be asked for, not only the newest that the menu offers."""

    def laid(first: str, second: str) -> Referee[Any]:
        loop = table("kabuki", 3)
        say(loop, 0, "begin")
        for card in (first, second, "wave"):
            see(loop, "show", f"mask:{card}")
            see(loop, "show")
            see(loop, "stack:2", f"mask:{card}")
        return loop.game.referee

    for here, there in (
        (laid("lion", "demon"), laid("lion", "leaf")),
        (laid("sun", "leaf"), laid("moon", "sun")),
    ):
        offered = [entry.seq for entry in here.correctable_entries()]
        assert offered == [entry.seq for entry in there.correctable_entries()]
        placed = [
            entry.seq for entry in here.journal.entries if entry.events and "stack" in repr(entry.cause)
        ]
        assert placed[-1] in offered
        assert placed[0] not in offered


@pytest.mark.parametrize(
    ("game", "after"),
    [
        ("kinapa", [BACK, ("tells", "turn", "1-2@3"), ("say", 1), ("lies", "slot:2", "object:1-2", 0.9957)]),
        (
            "kinapa",
            [BACK, ("lies", "slot:3", "object:3-4", 0.9961), ("say", 1), ("say", 0), ("say", 1), BACK],
        ),
        ("kabuki", [("presses", (1, 0), (2, 0)), ("tells", "place", "wave@1")]),
    ],
)
def test_what_a_long_search_once_found(game: str, after: list[Deed]) -> None:
    begun, here, there = TABLES[game]
    assert led((begun(here), begun(there)), after) is None
