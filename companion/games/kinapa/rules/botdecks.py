"""What the screen says of decks that nobody holds: whose each is, how its aid lies, what to do with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from companion.core.actions import Seat
from companion.core.view import BotView, Sentence
from companion.games.kinapa.rules import bots
from companion.games.kinapa.rules.exchange import askable
from companion.games.kinapa.rules.state import KinapaState, Phase
from companion.games.kinapa.rules.tokens import tokens

if TYPE_CHECKING:
    from companion.games.kinapa.rules import Kinapa

_AIDS_LIE = frozenset(Phase) - {Phase.STARTING, Phase.ANNOUNCING, Phase.OVER}
NOTES: Mapping[Phase, str] = {
    Phase.AIDING: "aid",
    Phase.DRAWING: "drawn",
    Phase.ASKING: "look",
    Phase.SEARCHING: "look",
    Phase.HANDING: "hand",
    Phase.RETURNING: "back",
    Phase.AUDITING: "show",
    Phase.SWITCHING: "switch",
}
"""What is done with the deck that a phase is about: `kinapa.bot.<note>`."""


def concerned(state: KinapaState) -> Seat | None:
    """The BOT deck with which somebody has to do something now."""
    turn = state.turn
    seat: Seat | None = None
    match state.phase:
        case Phase.AIDING:
            seat = turn.aids[0]
        case Phase.ASKING | Phase.SEARCHING:
            waiting = askable(state)
            seat = waiting[0] if waiting else None
        case Phase.DRAWING | Phase.HANDING | Phase.RETURNING:
            seat = turn.partner
        case Phase.AUDITING:
            seat = turn.audit[0]
        case Phase.SWITCHING:
            seat = turn.successor
    return seat if seat is not None and state.is_bot(seat) else None


def decks(rules: Kinapa, state: KinapaState, *, asking: bool) -> tuple[BotView, ...]:
    """Every BOT deck as it lies."""
    now = concerned(state) if asking else None
    return tuple(_deck(rules, state, seat, asked=seat == now) for seat in state.bots)


def _deck(rules: Kinapa, state: KinapaState, seat: Seat, *, asked: bool) -> BotView:
    owner, mine = bots.owner(state, seat), state.seats[seat]
    return BotView(
        seat=seat,
        owner=None if owner is None else state.setup.chairs[owner],
        cards=mine.cards,
        tokens=tokens(state, seat),
        aid=_aid(state, seat),
        asked=asked,
        says=_says(state, seat, asked=asked),
    )


def _aid(state: KinapaState, seat: Seat) -> str:
    """The face of the aid that lies on top, once it is laid for this turn."""
    mine, laid = state.seats[seat], state.phase in _AIDS_LIE and seat not in state.turn.aids
    if not mine.cards or (not laid and not mine.foxes):
        return ""
    return "up" if laid and seat in state.turn.raised and not mine.foxes else "down"


def _says(state: KinapaState, seat: Seat, *, asked: bool) -> Sentence:
    """What is done with this deck now, as somebody at the table would say it."""
    mine = state.seats[seat]
    if asked:
        who = bots.setter(state, seat) if state.phase is Phase.AIDING else bots.keeper(state, seat)
        return Sentence(f"kinapa.bot.{NOTES[state.phase]}", (("chair", state.setup.chairs[who]),))
    if not mine.cards:
        return Sentence("kinapa.bot.empty")
    if state.phase is Phase.CHOOSING and seat in state.lowered:
        return Sentence("kinapa.bot.draw")
    return Sentence("kinapa.bot.open" if mine.foxes else "kinapa.bot.rest")
