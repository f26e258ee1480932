"""Invariants of the Kobayakawa state; a violation means a bug or an impossible declaration."""

from companion.games.kobayakawa.rules.showdown import LAST_ROUND_CENTRE
from companion.games.kobayakawa.rules.state import ROUND_PHASES, UNREAD, KobayakawaPhase, KobayakawaState


def find_violation(state: KobayakawaState) -> str | None:
    """The first invariant that does not hold, or None."""
    if sum(state.kamons) + state.centre + state.stakes + state.carried + state.box != state.total_kamons:
        return "kamons are conserved"
    if min((*state.kamons, state.centre, state.carried, state.box)) < 0:
        return "nobody owes kamons"
    if state.phase is not KobayakawaPhase.OVER and state.centre < LAST_ROUND_CENTRE and not state.deciding:
        return "the game is over when the centre is empty"
    if not 0 <= state.starter < state.players:
        return "the start player sits at the table"
    known = [
        number
        for number in (
            *state.opened,
            *(hand.discard for hand in state.hands),
            *(hand.shown for hand in state.hands),
        )
        if number > UNREAD
    ]
    if len(set(known)) != len(known) or any(number > state.cards for number in known):
        return "every number exists once"
    if (
        state.phase in {KobayakawaPhase.DEALING, KobayakawaPhase.REVEALING}
        and state.starter not in state.dealt_in
    ):
        return "the start player has kamons"
    if state.phase not in ROUND_PHASES:
        return None
    if state.deck < 0:
        return "the deck never runs out"
    if state.last != state.next_round_is_last:
        return "the last round is the one that began with two kamons in the centre"
    unbet = (seat for seat in state.order if not state.hands[seat].bet)
    if any(not state.kamons[seat] for seat in unbet):
        return "who is still to bet has kamons"
    if state.phase is KobayakawaPhase.SHOWDOWN and len(state.fighters) < 2:
        return "a showdown has two fighters"
    return None
