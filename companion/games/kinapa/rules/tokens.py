"""Tokens in front of each Kinapa deck: crown, Sheep, Foxes, pairs."""

from companion.core.actions import Seat
from companion.core.view import TableValues, Token, TokenBackground
from companion.games.kinapa.rules.state import KinapaPhase, KinapaState, ObjectPosition


def deck_tokens(state: KinapaState, seat: Seat) -> tuple[Token, ...]:
    """What is in front of a deck."""
    mine = state.seats[seat]
    by_person = state.laid and state.options.switch_progress == "person"
    pairs = state.laid[seat] if by_person and not state.is_bot(seat) else () if by_person else mine.placed
    lying = [Token("pair", value=number, chip=TokenBackground.PAPER) for number in pairs]
    if seat == state.emperor and state.phase is not KinapaPhase.STARTING:
        lying.append(Token("emperor", motif="crown"))
    if mine.sheep:
        lying.append(Token("sheep"))
    if mine.foxes:
        lying.append(Token("fox", mine.foxes))
    return tuple(lying)


def repair_table(state: KinapaState) -> TableValues:
    """What a repair starts from; nobody repairs a game without an Emperor."""
    if state.phase is KinapaPhase.STARTING:
        return ()
    facts: list[tuple[str, str | int]] = [("emperor", state.emperor)]
    for seat in range(len(state.seats)):
        lying = deck_tokens(state, seat)
        kinds = {token.kind: token for token in lying}
        pairs = sorted(int(token.value or 0) for token in lying if token.kind == "pair")
        facts.append((f"sheep:{seat}", int("sheep" in kinds)))
        facts.append((f"foxes:{seat}", kinds["fox"].count if "fox" in kinds else 0))
        facts.append((f"placed:{seat}", ",".join(map(str, pairs))))
    facts += [
        (f"slot:{slot}", lying.pair if lying.lies is ObjectPosition.CLOSED else 0)
        for slot, lying in enumerate(state.slots, 1)
    ]
    return tuple(facts)
