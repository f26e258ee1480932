"""View of the BOT decks: owner, aid card and instruction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from companion.core.actions import Seat
from companion.core.view import BotView, Sentence
from companion.games.kinapa.rules import bot_decks
from companion.games.kinapa.rules.exchange import seats_owing_answer
from companion.games.kinapa.rules.state import KinapaPhase, KinapaState
from companion.games.kinapa.rules.tokens import deck_tokens

if TYPE_CHECKING:
    from companion.games.kinapa.rules import Kinapa

_AID_PHASES = frozenset(KinapaPhase) - {KinapaPhase.STARTING, KinapaPhase.ANNOUNCING, KinapaPhase.OVER}
INSTRUCTION_KEYS: Mapping[KinapaPhase, str] = {
    KinapaPhase.AIDING: "aid",
    KinapaPhase.DRAWING: "drawn",
    KinapaPhase.ASKING: "look",
    KinapaPhase.SEARCHING: "look",
    KinapaPhase.HANDING: "hand",
    KinapaPhase.RETURNING: "back",
    KinapaPhase.AUDITING: "show",
    KinapaPhase.SWITCHING: "switch",
}
"""What is done with the deck that a phase is about: `kinapa.bot.<note>`."""


def bot_to_act_on(state: KinapaState) -> Seat | None:
    """The BOT deck with which somebody has to do something now."""
    turn = state.turn
    seat: Seat | None = None
    match state.phase:
        case KinapaPhase.AIDING:
            seat = turn.aids[0]
        case KinapaPhase.ASKING | KinapaPhase.SEARCHING:
            waiting = seats_owing_answer(state)
            seat = waiting[0] if waiting else None
        case KinapaPhase.DRAWING | KinapaPhase.HANDING | KinapaPhase.RETURNING:
            seat = turn.partner
        case KinapaPhase.AUDITING:
            seat = turn.audit[0]
        case KinapaPhase.SWITCHING:
            seat = turn.successor
    return seat if seat is not None and state.is_bot(seat) else None


def build_bot_views(rules: Kinapa, state: KinapaState, *, asking: bool) -> tuple[BotView, ...]:
    """Every BOT deck as it lies."""
    now = bot_to_act_on(state) if asking else None
    return tuple(_build_bot_view(rules, state, seat, asked=seat == now) for seat in state.bots)


def _build_bot_view(rules: Kinapa, state: KinapaState, seat: Seat, *, asked: bool) -> BotView:
    owner, mine = bot_decks.bot_owner(state, seat), state.seats[seat]
    return BotView(
        seat=seat,
        owner=None if owner is None else state.setup.chairs[owner],
        cards=mine.cards,
        tokens=deck_tokens(state, seat),
        aid=_aid_face(state, seat),
        asked=asked,
        says=_bot_instruction(state, seat, asked=asked),
    )


def _aid_face(state: KinapaState, seat: Seat) -> str:
    """The face of the aid that lies on top, once it is laid for this turn."""
    mine, laid = state.seats[seat], state.phase in _AID_PHASES and seat not in state.turn.aids
    if not mine.cards or (not laid and not mine.foxes):
        return ""
    return "up" if laid and seat in state.turn.raised and not mine.foxes else "down"


def _bot_instruction(state: KinapaState, seat: Seat, *, asked: bool) -> Sentence:
    """What is done with this deck now, as somebody at the table would say it."""
    mine = state.seats[seat]
    if asked:
        who = (
            bot_decks.aid_setter(state, seat)
            if state.phase is KinapaPhase.AIDING
            else bot_decks.deck_keeper(state, seat)
        )
        return Sentence(f"kinapa.bot.{INSTRUCTION_KEYS[state.phase]}", (("chair", state.setup.chairs[who]),))
    if not mine.cards:
        return Sentence("kinapa.bot.empty")
    if state.phase is KinapaPhase.CHOOSING and seat in state.lowered:
        return Sentence("kinapa.bot.draw")
    return Sentence("kinapa.bot.open" if mine.foxes else "kinapa.bot.rest")
