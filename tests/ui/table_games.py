"""Screens of games without a mat, played to where something is seen: turns, races, first presses, bids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from random import Random
from typing import Any

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.core.button_choices import PICK, STEP
from companion.games import RULES
from companion.games.euchre.players import EuchrePeople
from companion.games.hearts.players import HeartsPeople
from companion.games.spades.players import SpadesPeople
from companion.ui.frame import GameFrame, UiState
from tests.games.hearts.hearts_table import Table as HeartsTable
from tests.games.in_order.order_table import Table as Numbers
from tests.games.liars_dice.dice_table import Table
from tests.games.roses.roses_table import Table as Beds

Step = tuple[int, str, int]
"""A seat, what it says, and when, in seconds."""
STORIES: dict[str, tuple[dict[str, Any], tuple[Step, ...]]] = {
    "start": ({"bank": 600, "lives": 3, "die": 6}, ()),
    "turn": (
        {"bank": 600, "points": True, "phases": "Build, Sell"},
        ((0, "begin_round", 0), (0, "turn_done", 200), (1, "turn_done", 548)),
    ),
    "limit": ({"limit": 60, "can_pass": True, "lives": 20}, ((0, "begin_round", 0), (0, "turn_pass", 9))),
    "together": ({"order": "together", "bank": 300}, ((0, "begin_round", 0), (1, "turn_done", 20))),
    "placing": ({"order": "released"}, ((0, "begin_round", 0), (1, "take_place", 2))),
    "ready": ({"order": "buzzer", "shut_out": True}, ((0, "begin_round", 0),)),
    "race": ({"order": "buzzer", "cooldown": 3}, ((0, "begin_round", 0), (0, "open_race", 1))),
    "answer": (
        {"order": "buzzer", "points": True},
        ((0, "begin_round", 0), (0, "open_race", 1), (1, "buzz_in", 2)),
    ),
    "between": (
        {"admin": True},
        ((0, "begin_round", 0), *((seat, "turn_done", 37 * seat + 40) for seat in range(8))),
    ),
}


def state_of(story: str, players: int) -> Any:
    """The state after a story."""
    rules, (options, steps) = RULES["any_game"], STORIES[story]
    state = rules.initial_state(Setup(tuple(range(players)), rules.options(**options)))
    for seat, verb, at in steps:
        if seat < players:
            seen = ob.ActionDeclared(at=at * SECOND, action=Action(seat, verb))
            state = reduce(rules.evolve, rules.decide(state, seen), state)
    return state


def table_frames(language: str) -> Iterator[tuple[str, GameFrame]]:
    """Every story with few and with all chairs, and what may be done at any time."""
    rules = RULES["any_game"]
    for story in STORIES:
        for players in (2, 4, 8):
            view = rules.view(state_of(story, players))
            yield (
                f"{story} {players}",
                GameFrame(ui_state=UiState(language=language), view=view, board=rules.board, can_undo=True),
            )
    view = rules.view(state_of("turn", 4))
    ui_state = UiState(language=language, overlay="extras")
    yield "extras", GameFrame(ui_state=ui_state, view=view, board=rules.board)


def dice_frames(language: str) -> Iterator[tuple[str, GameFrame]]:
    """Each part of a round of Liar's Dice."""
    for players in (2, 8):
        table = Table(players, begins=None, exact=players == 2)
        moments = {"begin": table.state}
        table.say(0, "begin")
        moments["bid"] = table.state
        table.bid(0, 5, 3)
        moments["higher"] = table.state
        table.say(1, "doubt")
        moments["count"] = table.state
        table.tell(*(1 for _ in table.state.waiting))
        moments["judged"] = table.state
        for name, state in moments.items():
            view = RULES["liars_dice"].view(state)
            board = RULES["liars_dice"].board
            shown = GameFrame(ui_state=UiState(language=language), view=view, board=board, can_undo=True)
            yield f"{name} {players}", shown


def hearts_frames(language: str) -> Iterator[tuple[str, GameFrame]]:
    """What a deal of Hearts shows, from its beginning to its points."""
    rules, board = RULES["hearts"], RULES["hearts"].board
    table = HeartsTable(opens=None)
    moments = {"pass": table.frame_parts()}
    table.say(0, "open")
    table.lay("♣K ♦5")
    moments["read by camera"] = moments["suit"] = table.frame_parts()
    table.say(3, STEP, f"{PICK}13")
    moments["rank"] = table.frame_parts()
    table.lay("♣3")
    moments["taken"] = table.frame_parts()
    revoked = HeartsTable()
    revoked.lay("♦4 ♣5 ♣3 ♦2 ♦3 ♦5 ♦6 ♣9")
    moments["check"] = revoked.frame_parts()
    revoked.confirm()
    moments["proof"] = revoked.frame_parts()
    moments["points"] = scored_table().frame_parts()
    revoked.say(0, "claim")
    moments["claim"] = revoked.frame_parts()
    for name, (state, exhibit) in moments.items():
        shown = UiState(language=language)
        view = replace(rules.view(state), by_hand=name != "read by camera")
        yield name, GameFrame(ui_state=shown, view=view, board=board, can_undo=True, exhibit=exhibit)


def scored_table() -> HeartsTable:
    """After a deal of people of several strengths."""
    table, seats = HeartsTable(opens=None), tuple(range(4))
    people = HeartsPeople(seats, Random(5), ("strong", "usual", "easy", "usual"))
    while table.state.deal == 1:
        _, deed = people.plan(table.state)[-1]
        table.see(ob.ActionDeclared(at=table.at, action=deed.action))  # type: ignore[union-attr]
    return table


def trick_frames(
    game: str, people_of: Callable[..., Any], moment: Callable[[Any], str], language: str
) -> Iterator[tuple[str, GameFrame]]:
    """What a deal shows where `moment` names it, and its points."""
    rules = RULES[game]
    state = rules.initial_state(Setup(tuple(range(4)), rules.options()))
    people = people_of(tuple(range(4)), Random(5), ("strong", "usual", "easy", "usual"))
    moments = {moment(state): state}
    while state.deal == 1:
        _, deed = people.plan(state)[-1]
        ruled = rules.decide(state, ob.ActionDeclared(at=0, action=deed.action))
        state = reduce(rules.evolve, ruled, state)
        moments[moment(state)] = state
    moments["points"] = state
    for name, one in moments.items():
        view = replace(rules.view(one), by_hand=True)
        frame = GameFrame(ui_state=UiState(language=language), view=view, board=rules.board, can_undo=True)
        if name:
            yield name, frame


def spades_frames(language: str) -> Iterator[tuple[str, GameFrame]]:
    """A deal of Spades, from its first bid to its points."""

    def moment(state: Any) -> str:
        return {6: "play", 8: "taken"}.get(len(state.plays), {0: "bid", 2: "bids"}.get(len(state.bids), ""))

    return trick_frames("spades", SpadesPeople, moment, language)


def euchre_frames(language: str) -> Iterator[tuple[str, GameFrame]]:
    """A deal of Euchre, from the card that is turned up to its points."""

    def moment(state: Any) -> str:
        if state.phase == "bid" and state.passes > 3:
            return "named" if state.passes < 7 else "stuck"
        return {5: "play", 8: "taken"}.get(len(state.plays), "" if state.plays else state.phase)

    return trick_frames("euchre", EuchrePeople, moment, language)


def roses_frames(language: str) -> Iterator[tuple[str, GameFrame]]:
    """Each part of a round of Roses and Thorns."""
    for players in (3, 6):
        table = Beds(players, begins=None)
        moments = {"begin": table.state}
        table.say(0, "begin")
        table.say(1, "lay")
        moments["lay"] = table.state
        table.lay(*(1,) * players)
        moments["add"] = table.state
        table.say(0, "raise")
        moments["number"] = table.state
        table.say(0, "bid", 4)
        moments["higher"] = table.state
        while table.state.phase == "bid":
            table.say(table.state.seat, "pass")
        moments["turn"] = table.state
        table.show("rose", "rose")
        moments["pick"] = table.state
        table.say(0, "turn", 1)
        table.show("rose")
        table.say(0, "turn", 2)
        moments["other"] = table.state
        table.show("thorn")
        moments["ended"] = table.state
        for name, state in moments.items():
            view, board = RULES["roses"].view(state), RULES["roses"].board
            shown = GameFrame(ui_state=UiState(language=language), view=view, board=board, can_undo=True)
            yield f"{name} {players}", shown


def in_order_frames(language: str) -> Iterator[tuple[str, GameFrame]]:
    """Each part of a level of In Order, and both ends."""
    for players in (3, 8):
        table = Numbers(players, level=5, begun=False)
        moments = {"ready": table.state}
        table.ready()
        moments["play"] = table.state
        table.press(0)
        moments["rows"] = table.state
        table.say(0, STEP, f"{PICK}0")
        moments["number"] = table.state
        table.tell(0, 3)
        for number in (9, 17, 26, 27, 31, 37, 44):
            table.lay(number % 3, number)
        moments["laid"] = table.state
        table.press(1)
        table.press(2)
        moments["line"] = table.state
        table.tell(1, 40)
        moments["away"] = table.state
        lost = Numbers(players, lives=1)
        lost.lay(0, 12)
        lost.lay(1, 5)
        moments["lost"] = lost.state
        won = Numbers(players)
        won.declare(level=won.state.last)
        won.ready()
        while won.state.holders:
            won.lay(won.state.holders[0], won.state.top + 1)
        moments["won"] = won.state
        for name, state in moments.items():
            view, board = RULES["in_order"].view(state), RULES["in_order"].board
            shown = GameFrame(ui_state=UiState(language=language), view=view, board=board, can_undo=True)
            yield f"{name} {players}", shown
