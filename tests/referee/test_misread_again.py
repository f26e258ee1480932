"""A card that was misread and corrected lies still, and the same camera reads it in the same way again."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.events import Infraction, Repair
from companion.games.dnup.rules.model import SetTaken
from companion.games.kit.cards import CARDS
from companion.games.kit.trick_table import CardTwice
from companion.referee.game_log import find_correction_offer
from tests.games.dnup.dnup_table import face
from tests.referee.game_hands import tap
from tests.referee.test_standstill_unseen import Still
from tests.table.loop import MILLI

MISREAD, TRUE, NEXT = "clubs:5", "clubs|6", "clubs:9"


def correct(table: Still, verb: str = "play", value: str | int = TRUE, seat: int | None = None) -> None:
    offer = find_correction_offer(table.game.referee)
    assert offer is not None
    wanted = (one for one in offer.actions if (one.verb, one.value) == (verb, value))
    action = next(one for one in wanted if seat in {None, one.seat})
    truth = ob.ActionDeclared(at=table.now, action=action)
    table.session.submit(ob.CorrectionRequested(at=table.now, seq=offer.entry.seq, truth=truth))
    table.run(SECOND)


def read(table: Still, *cards: tuple[int, str]) -> None:
    """The camera settles on a card before each of these seats, in one look."""
    at = table.now
    regions = [
        ob.RegionReading(f"seat_card:{seat}", (ob.SeenCard(card),), at - 2, at - 1) for seat, card in cards
    ]
    table.session.submit(ob.TableSeen(at=at, regions=tuple(regions)))
    table.run(SECOND)


def readings(table: Still) -> list[tuple[int, ob.TableSeen]]:
    entries = table.game.referee.journal.entries
    return [(entry.seq, entry.cause) for entry in entries if isinstance(entry.cause, ob.TableSeen)]


def unseen(table: Still, how: str) -> None:
    if how == "dark":
        table.session.submit(ob.CameraLost(at=table.now))
        table.run(SECOND)
        table.session.submit(ob.CameraRecovered(at=table.now))
        table.run(SECOND)
    elif how == "standstill":
        table.stand(2 * SECOND)
        table.run(SECOND)


def cards(*laid: tuple[int, str]) -> Still:
    table = Still("hearts")
    read(table, (3, "clubs:2"))
    read(table, *laid)
    return table


def played(table: Still) -> list[str]:
    assert table.events(Infraction, Repair) == []
    assert table.replayed() == table.game.referee.state
    return [list(CARDS)[play.card] for play in table.game.referee.state.plays]


@pytest.mark.parametrize("how", ["dark", "standstill", "look again"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_it_is_the_same_card_whether_it_is_read_again_before_it_is_corrected_or_after(
    how: str, when: str
) -> None:
    table = cards((0, MISREAD))
    if when == "after":
        correct(table)
    unseen(table, how)
    read(table, (0, MISREAD))
    if when == "before":
        correct(table)
    assert played(table) == ["clubs|2", TRUE]


@pytest.mark.parametrize("again", [False, True])
def test_what_was_corrected_to_another_card_by_mistake_is_corrected_once_more(*, again: bool) -> None:
    table = cards((0, MISREAD))
    if again:
        unseen(table, "dark")
        read(table, (0, MISREAD))
    correct(table, value="clubs|7")
    unseen(table, "dark")
    read(table, (0, MISREAD), (3, "clubs:2"))
    correct(table)
    assert played(table) == ["clubs|2", TRUE]


def test_what_is_corrected_once_more_after_its_correction_was_taken_back_is_one_card() -> None:
    table = cards((0, "clubs:Q"), (1, "clubs:3"))
    read(table, (2, "hearts:6"))
    correct(table, value="clubs|A")
    table.session.submit(ob.UndoRequested(at=table.now))
    table.run(SECOND)
    for _ in range(2):
        read(table, (2, "hearts:6"), (1, "clubs:3"))
    correct(table, value="clubs|A")
    assert played(table) == ["clubs|2", "clubs|Q", "clubs|3", "clubs|A"]


def test_a_card_that_was_misread_as_one_that_was_told_is_not_told_by_its_correction() -> None:
    table = cards((0, "clubs:Q"), (1, "clubs:3"))
    read(table, (2, "clubs:Q"))
    correct(table, value="clubs|A")
    read(table, (2, "clubs:Q"))
    read(table, (1, "clubs:3"))
    assert played(table) == ["clubs|2", "clubs|Q", "clubs|3", "clubs|A"]
    assert len(table.events(CardTwice)) == 1


@pytest.mark.parametrize("told", ["read", "said"])
def test_a_card_that_was_laid_early_and_misread_is_corrected_once_it_counts(told: str) -> None:
    table = Still("hearts")
    read(table, (2, "clubs:2"))
    read(table, (0, "clubs:9"))
    if told == "read":
        read(table, (3, "clubs:Q"))
    else:
        table.say(3, "play", "clubs|Q")
    assert played(table) == ["clubs|2", "clubs|Q", "clubs|9"]
    for card in ("clubs|K", "clubs|A"):
        correct(table, value=card, seat=0)
        read(table, (0, "clubs:9"))
        assert played(table) == ["clubs|2", "clubs|Q", card]
    read(table, (1, "clubs:3"))
    assert [play.seat for play in table.game.referee.state.plays] == [2, 3, 0, 1]


def test_a_number_that_was_corrected_is_still_a_number_to_correct() -> None:
    table = Still("kobayakawa")
    for verb in ("start", "dealt"):
        table.say(0, verb)
    for place, number in (("kobayakawa", 7), ("discard:1", 9)):
        table.see(place, ob.SeenCard(f"number:{number}"))
        table.run(SECOND)
    for number in (3, 6):
        correct(table, "discard", number)
        assert table.game.referee.state.hands[0].discard == number


def test_a_card_that_was_read_in_the_same_look_counts_after_the_correction() -> None:
    table = cards((0, MISREAD), (1, NEXT))
    correct(table)
    assert played(table) == ["clubs|2", TRUE, "clubs|9"]


@pytest.mark.parametrize("again", [False, True])
def test_a_correction_of_what_came_before_leaves_an_earlier_correction_as_it_was(*, again: bool) -> None:
    table = cards((0, MISREAD), (1, NEXT))
    if again:
        unseen(table, "dark")
        read(table, (0, MISREAD))
    correct(table)
    stood = table.game.referee.state
    table.game.referee.correct(*readings(table)[0], table.now)
    assert table.game.referee.state == stood
    unseen(table, "dark")
    read(table, (0, MISREAD))
    assert played(table) == ["clubs|2", TRUE, "clubs|9"]


def test_a_reading_that_is_said_to_have_been_right_after_all_counts_again() -> None:
    table = cards((0, MISREAD))
    correct(table)
    for seen in (readings(table)[1], readings(table)[0]):
        table.game.referee.correct(*seen, table.now)
    assert played(table) == ["clubs|2", MISREAD.replace(":", "|")]


@pytest.mark.parametrize("paused", [False, True])
@pytest.mark.parametrize("how", ["dark", "standstill", "look again"])
def test_a_card_that_was_misread_and_put_right_by_hand_is_the_same_until_its_place_is_read_otherwise(
    how: str, *, paused: bool
) -> None:
    table = Still("kobayakawa")
    for verb in ("start", "dealt"):
        table.say(0, verb)
    table.see("kobayakawa", ob.SeenCard("number:9"))
    table.run(SECOND)
    if paused:
        table.session.submit(ob.PauseRequested(at=table.now))
    table.session.submit(ob.TableDeclared(at=table.now, table=(("number", 6),)))
    table.run(SECOND)
    if paused:
        table.session.submit(ob.ResumeRequested(at=table.now))
    unseen(table, how)
    for number, open_card in ((9, 6), (0, 6), (9, 9)):
        table.see("kobayakawa", *([ob.SeenCard(f"number:{number}")] if number else []))
        table.run(SECOND)
        assert table.game.referee.state.kobayakawa == open_card
    assert table.replayed() == table.game.referee.state


@pytest.mark.parametrize("how", ["dark", "standstill", "look again"])
@pytest.mark.parametrize(("said", "values"), [(("turn", 2), [0, 0, 4, 0]), (("value:0", 9), [9, 0, 0, 0])])
def test_only_where_the_table_said_what_lies_there_is_a_card_the_same(
    how: str, said: tuple[str, int], values: list[int]
) -> None:
    table = Still("dnup", settle_s=2)
    for verb in ("prepared", "star"):
        table.say(0, verb)

    def read_sets() -> None:
        for place, card in (("set:1", "3/8"), ("set:3", "4/7")):  # the second is out of turn
            table.see(place, face(card))
            table.run(4 * SECOND)

    read_sets()
    table.session.submit(ob.TableDeclared(at=table.now, table=(said,)))
    table.run(SECOND)
    unseen(table, how)
    read_sets()
    assert [table.game.referee.state.value(at) for at in range(4)] == values
    assert {fault.rule for fault in table.events(Infraction)} == {"play.not_your_turn"}


@pytest.mark.parametrize("how", ["dark", "look again"])
@pytest.mark.parametrize(
    ("misread", "told"),
    [
        ("3/8", (("value:0", 9),)),
        pytest.param("5/4", (("size:0", 1), ("value:0", 7), ("hand:0", 8), ("turn", 1)), id="refused"),
    ],
)
def test_a_set_that_was_misread_and_put_right_by_hand_is_taken_like_any_other(
    how: str, misread: str, told: tuple[tuple[str, int], ...]
) -> None:
    table = Still("dnup", settle_s=2)
    for verb in ("prepared", "star"):
        table.say(0, verb)
    table.see("set:1", face(misread))
    table.run(4 * SECOND)
    table.session.submit(ob.TableDeclared(at=table.now, table=told))
    unseen(table, how)
    for lies in ([face(misread)], []):
        table.see("set:1", *lies)
        table.run(4 * SECOND)
    assert [taken.seat for taken in table.events(SetTaken)] == [1]


def test_a_set_that_is_none_any_more_may_lie_there_until_it_is_taken_up() -> None:
    table = Still("dnup", settle_s=2)
    for verb in ("prepared", "star"):
        table.say(0, verb)
    table.see("set:1", face("3/8"))
    table.run(4 * SECOND)
    table.session.submit(ob.TableDeclared(at=table.now, table=(("size:0", 0), ("hand:0", 9), ("turn", 2))))
    for lies in ([face("3/8")], []):
        table.see("set:1", *lies)
        table.run(4 * SECOND)
    assert table.events(Infraction) == []


def test_a_number_that_was_put_right_by_hand_is_no_card_that_is_laid() -> None:
    table = Still("kobayakawa")
    for verb in ("start", "dealt"):
        table.say(0, verb)
    table.see("kobayakawa", ob.SeenCard("number:9"))
    table.run(SECOND)
    table.session.submit(ob.TableDeclared(at=table.now, table=(("number", 6),)))
    table.say(0, "replace")
    assert table.game.referee.state.opened == (6,)
    table.see("kobayakawa", ob.SeenCard("number:6"), ob.SeenCard("number:3"))
    table.run(SECOND)
    assert table.game.referee.state.opened == (6, 3)


def test_a_card_that_lies_there_when_a_deal_is_put_right_counts_once_it_is_read_again() -> None:
    table = Still("hearts")
    read(table, (3, "clubs:2"))
    table.session.submit(ob.TableDeclared(at=table.now, table=(("points:0", 12),)))
    table.run(SECOND)
    assert table.game.referee.state.phase == "pass"
    read(table, (3, "clubs:2"))
    assert played(table) == ["clubs|2"]


def misread_mask() -> Still:
    """A lion lies on 4; the next one is laid on 3, where it is read as plum, and its player is asked."""
    table = Still("kabuki")
    table.say(0, "begin")
    for place, mask in (("stack:4", "lion"), ("show", "lion"), ("show", ""), ("stack:3", "plum")):
        table.see(place, *([ob.SeenCard(f"mask:{mask}")] if mask else []))
        table.run(SECOND)
    return table


@pytest.mark.parametrize("how", ["dark", "standstill"])
def test_a_mask_that_a_correction_names_is_known_though_nobody_saw_it_since_it_was_laid(how: str) -> None:
    table = misread_mask()
    unseen(table, how)
    table.see("stack:3", ob.SeenCard("mask:plum"))
    table.run(SECOND)
    correct(table, "place", "lion@3")
    assert [top.design for top in table.game.referee.state.tops if top] == ["lion", "lion"]


@pytest.mark.parametrize("name", ["lion", "moon"])
def test_a_mask_that_is_named_again_after_that_was_taken_back_is_known(name: str) -> None:
    table = misread_mask()
    table.see("stack:3", ob.SeenCard("mask:plum"))
    table.run(SECOND)
    correct(table, "place", f"{name}@3")
    table.session.submit(ob.UndoRequested(at=table.now))
    table.run(SECOND)
    correct(table, "place", "lion@3")
    assert [top.design for top in table.game.referee.state.tops if top] == ["lion", "lion"]


@pytest.mark.parametrize("answer", ["lion@3", 3])
@pytest.mark.parametrize("how", ["dark", "standstill", "look again"])
def test_a_mask_that_was_named_by_its_player_is_the_one_that_was_misread(how: str, answer: str | int) -> None:
    table = misread_mask()
    table.say(1, "place", answer)  # type: ignore[arg-type]
    if answer == 3:
        correct(table, "place", "lion@3")
    unseen(table, how)
    table.see("stack:3", ob.SeenCard("mask:plum"))
    table.run(SECOND)
    assert [top.design for top in table.game.referee.state.tops if top] == ["lion", "lion"]
    assert table.game.referee.state.placed == 2


@pytest.mark.parametrize("how", ["dark", "standstill", "look again"])
def test_a_reading_that_is_confirmed_in_the_menu_counts_again(how: str) -> None:
    table = Still("dnup", settle_s=2)
    for verb in ("prepared", "star"):
        table.say(0, verb)
    table.see("set:1", face("4/7"))
    table.run(5 * SECOND)
    correct(table, "play", "1x4")
    table.say(1, "play", "1x5")
    table.session.submit(ob.UndoRequested(at=table.now))
    table.run(SECOND)
    assert table.game.referee.state.areas[0].cards == ("?/?",)
    unseen(table, how)
    table.see("set:1", face("4/7"))
    table.run(5 * SECOND)
    assert table.game.referee.state.areas[0].cards == ("4/7",)


def test_once_the_place_was_read_otherwise_it_is_another_card() -> None:
    table = cards((0, MISREAD))
    correct(table)
    at = table.now
    table.session.submit(ob.TableSeen(at=at, regions=(ob.RegionReading("seat_card:0", (), at - 2, at - 1),)))
    table.run(SECOND)
    read(table, (0, MISREAD))
    assert [fault.rule for fault in table.events(Infraction)] == ["card.changed"]


def test_a_mask_that_was_misread_has_lain_there_since_it_was_seen() -> None:
    stops = []
    for mask in ("lion", "leaf"):
        table = Still("kabuki")
        for seat, verb, value in ((0, "begin", None), (0, "place", "sun@1"), (1, "place", "wave@2")):
            table.say(seat, verb, value)
        table.run(2 * SECOND)
        at = table.now
        for edge in tap(0, at):
            table.session.submit(edge)
        table.run(300 * MILLI)
        lies = at - 200 * MILLI
        laid = ob.RegionReading("stack:3", (ob.SeenCard(f"mask:{mask}"),), lies - 50 * MILLI, lies)
        table.session.submit(ob.TableSeen(at=table.now, regions=(laid,)))
        table.run(4 * SECOND)
        if mask == "leaf":
            correct(table, "place", "lion@3")
        stops.append((table.game.referee.state.stop, table.game.referee.state.phase))
    assert stops[0] == stops[1]
    assert stops[0][0] is not None
