"""What lies in front of a deck of Kinapa: crown, Sheep, Foxes, pairs."""

from __future__ import annotations

from companion.core.actions import Seat
from companion.core.view import Token
from companion.games.kinapa.rules.state import KinapaState, Phase


def tokens(state: KinapaState, seat: Seat) -> tuple[Token, ...]:
    mine = state.seats[seat]
    by_person = state.laid and state.options.switch_progress == "person"
    pairs = state.laid[seat] if by_person and not state.is_bot(seat) else () if by_person else mine.placed
    lying = [Token("pair", value=number) for number in pairs]
    if seat == state.emperor and state.phase is not Phase.STARTING:
        lying.append(Token("emperor"))
    if mine.sheep:
        lying.append(Token("sheep"))
    if mine.foxes:
        lying.append(Token("fox", mine.foxes))
    return tuple(lying)
