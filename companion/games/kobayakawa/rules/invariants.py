"""What must hold of every state of Kobayakawa; a broken one is a bug, or a table declared wrongly."""

from companion.games.kobayakawa.rules.showdown import LAST
from companion.games.kobayakawa.rules.state import ROUND, UNREAD, KobayakawaState, Phase


def broken(state: KobayakawaState) -> str | None:
    """The first invariant that does not hold, or None."""
    if sum(state.kamons) + state.centre + state.stakes + state.carried + state.box != state.whole:
        return "kamons are conserved"
    if min((*state.kamons, state.centre, state.carried, state.box)) < 0:
        return "nobody owes kamons"
    if state.phase is not Phase.OVER and state.centre < LAST and not state.deciding:
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
    if state.phase in {Phase.DEALING, Phase.REVEALING} and state.starter not in state.dealt_in:
        return "the start player has kamons"
    if state.phase not in ROUND:
        return None
    if state.deck < 0:
        return "the deck never runs out"
    if state.last != state.ends:
        return "the last round is the one that began with two kamons in the centre"
    unbet = (seat for seat in state.order if not state.hands[seat].bet)
    if any(not state.kamons[seat] for seat in unbet):
        return "who is still to bet has kamons"
    if state.phase is Phase.SHOWDOWN and len(state.fighters) < 2:
        return "a showdown has two fighters"
    return None
