"""Kabuki: going back and forth never draws a mask that did not lie open right before."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.view import Sentence
from companion.games import RULES
from companion.games.kabuki.rules.model import STACK_COUNT, KabukiPhase, KabukiState
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee
from companion.table.history import JournalHistory
from companion.testing.invariants import check_legal_actions_pass
from tests.thorough import examples

KABUKI = RULES["kabuki"]
Spot = tuple[str, int]
MASKS = ("storm", "crab", "lion", "moon")


class Table:
    """A referee to whom masks are shown, and who goes back and forth."""

    def __init__(self) -> None:
        setup = Setup((0, 1, 2), KABUKI.options())
        self.referee: Referee[KabukiState] = Referee(KABUKI, MemoryJournal(make_header("kabuki", setup)))
        lots = KABUKI.awaited_draw(self.referee.state)
        assert lots is not None
        self.referee.observe(ob.RandomDraw(at=0, choices=lots, index=0))

    @property
    def at(self) -> int:
        return self.referee.at + SECOND

    def say(self, verb: str) -> None:
        action = Action(self.referee.state.drawer, verb)
        self.referee.observe(ob.ActionDeclared(at=self.at, action=action))

    def touch(self, seat: int, verb: str, value: str | None = None) -> None:
        self.referee.observe(ob.ActionDeclared(at=self.at, action=Action(seat, verb, value)))

    def wait(self, seconds: int) -> None:
        self.referee.fire_timers(self.referee.at + seconds * SECOND)

    def see(self, place: str, *cards: str) -> None:
        region = ob.RegionReading(
            place, tuple(map(ob.SeenCard, cards)), self.at - SECOND // 2, self.at - SECOND // 3
        )
        self.referee.observe(ob.TableSeen(at=self.at, regions=(region,)))

    def go_back(self, *, redo: bool = False) -> None:
        self.referee.observe(ob.UndoRequested(at=self.at, redo=redo))

    def open_spots(self) -> dict[Spot, str]:
        """What lies open where, and how high: another height is another mask."""
        state = self.referee.state
        height = {f"stack:{number}": len(stack) for number, stack in enumerate(state.stacks, 1)}
        cards = {place.region: place.card for place in KABUKI.view(state).places}
        known = {place: card for place, card in cards.items() if card.partition(":")[0] not in {"", "actor"}}
        spots = {(place, height.get(place, state.placed)): card for place, card in known.items()}
        if (queued := state.pending.placement) is not None:  # it lies there, and the screen does not say so
            spots[f"stack:{queued.stack}", height[f"stack:{queued.stack}"] + 1] = "unknown"
        return spots

    def drawn(self) -> Counter[str]:
        """The masks that the screen names."""
        places = KABUKI.view(self.referee.state).places
        return Counter(place.card for place in places if place.card.startswith("mask:"))


def test_a_mask_in_hand_that_went_back_into_the_deck_before_the_round_began_is_not_drawn_again() -> None:
    """It is shuffled with the others; whoever draws next need not have the same."""
    table = Table()
    table.say("begin")
    table.see("show", "mask:storm")
    assert table.drawn() == Counter(["mask:storm"])
    table.go_back()
    assert table.referee.state.phase is KabukiPhase.SHUFFLING
    table.go_back(redo=True)
    assert table.drawn() == Counter()
    table.say("begin")
    table.see("show", "mask:crab")
    assert table.drawn() == Counter(["mask:crab"])


def test_a_round_that_began_is_brought_back_while_no_mask_was_shown_in_it() -> None:
    table = Table()
    table.say("begin")
    table.go_back()
    table.go_back(redo=True)
    assert table.referee.state.phase is KabukiPhase.PLAYING


@pytest.mark.parametrize("seed", range(examples(400)))
def test_going_back_and_forth_names_no_mask_that_was_covered_since_it_was_named(seed: int) -> None:
    """One that lies open all the while may be named again, as in hand, after its name was taken back."""
    chance, table = Random(seed), Table()
    named: dict[Spot, set[str]] = {}
    for _ in range(60):
        match chance.randrange(8):
            case 0:
                table.say("begin")
            case 1 | 2:
                table.see("show", f"mask:{chance.choice(MASKS)}")
            case 3:
                table.see("show")
            case 4:
                table.see(f"stack:{chance.randint(1, STACK_COUNT)}", f"mask:{chance.choice(MASKS)}")
            case going:
                table.go_back(redo=going == 7)
                for spot, card in table.open_spots().items():
                    assert not card.startswith("mask:") or card in named.get(spot, ()), (spot, card)
        named = {spot: named.get(spot, set()) | {card} for spot, card in table.open_spots().items()}


def asked_where() -> Table:
    """A mask was laid on its like, unseen; Stop was called, and where it lies was asked."""
    table = Table()
    table.say("begin")
    table.see("stack:1", "mask:storm")
    table.see("show", "mask:storm")
    table.see("show")
    table.touch(2, "stop")
    table.wait(30)
    assert table.referee.state.asks_where
    return table


def test_a_mask_seen_after_going_back_to_where_it_was_asked_is_the_one_that_was_laid() -> None:
    """B-T57: nobody knows any more which was shown, so what comes to lie is not said to be another."""
    table = asked_where()
    table.touch(1, "place", "storm@1")
    table.go_back()
    assert table.referee.state.asks_where
    table.see("stack:3", "mask:crab")
    check_prompts_are_ruled(table)


def test_a_later_mask_stays_later_when_the_one_before_it_is_forgotten() -> None:
    table = asked_where()
    table.see("stack:3", "mask:crab")
    assert table.referee.state.awaits_earlier_mask
    table.touch(1, "place", "storm@1")
    table.go_back()
    assert table.referee.state.awaits_earlier_mask
    check_prompts_are_ruled(table)


def check_prompts_are_ruled(table: Table) -> None:
    """Whatever people are asked can be answered."""
    check_legal_actions_pass(KABUKI, table.referee.state)


def test_a_mask_on_which_another_waits_is_covered() -> None:
    """A moon on stack 1, a sun on 2 is called, and meanwhile a leaf comes to lie on the moon."""
    table = Table()
    table.say("begin")
    table.see("stack:1", "mask:moon")
    table.see("stack:2", "mask:sun")
    state = table.referee.state
    caller = next(seat for seat in range(3) if state.last is not None and seat != state.last.seat)
    table.touch(caller, "stop")
    table.wait(9)
    assert table.referee.state.phase is KabukiPhase.STOPPED
    table.see("stack:1", "mask:leaf")
    assert shown(table, 1) == "mask:leaf"
    lines = [line.sentence for line in JournalHistory(table.referee).all_lines()]
    assert not any("moon" in dict(line.parts).values() for line in lines)
    off = Sentence("kabuki.back.mask_off", (("count", 1), ("stack", 1)))
    assert off in table.referee.undo_instructions()
    table.go_back()
    assert table.referee.state.stop is None
    assert shown(table, 1) == ob.UNKNOWN
    table.go_back(redo=True)
    assert shown(table, 1) == ob.UNKNOWN, "the leaf was not seen since, and the moon is covered"
    for _ in range(3):
        table.go_back()
        assert shown(table, 1) in {ob.UNKNOWN, "actor:1"}


@pytest.mark.parametrize("over", ["mask:plum", "back:mask"])
@pytest.mark.parametrize("redo", [False, True])
def test_a_mask_behind_a_waiting_one_stays_hidden_once_another_lay_on_it(over: str, *, redo: bool) -> None:
    """A lion waits on stack 2, a leaf behind it; a call comes too late, and the leaf is covered."""
    table = Table()
    table.say("begin")
    for stack, mask in ((1, "sun"), (2, "wave"), (3, "moon")):
        table.see(f"stack:{stack}", f"mask:{mask}")
    assert table.referee.state.last is not None
    placer = table.referee.state.last.seat
    table.touch((placer + 1) % 3, "stop")
    table.wait(9)
    table.see("stack:2", "mask:lion")
    table.see("stack:2", "mask:leaf")
    assert shown(table, 2) == "mask:leaf"
    table.touch((placer + 2) % 3, "stop")
    if redo:
        table.go_back()
    table.see("stack:2", over)
    assert table.referee.undo_instructions() == () or redo
    table.go_back(redo=redo)
    assert shown(table, 2) != "mask:leaf"


def shown(table: Table, stack: int) -> str:
    view = KABUKI.view(table.referee.state)
    return next(place.card for place in view.places if place.region == f"stack:{stack}")
