"""What must hold of every state of Kabuki; a broken one is a bug, or a table declared wrongly."""

from companion.games.kabuki.rules.state import COPIES, DESIGNS, ROUNDS, KabukiState, Phase

BEFORE = frozenset({Phase.STARTING, Phase.SHUFFLING, Phase.OVER})
"""No round runs."""


def broken(state: KabukiState) -> str | None:
    """The first invariant that does not hold, or None."""
    stacked = [mask for stack in state.stacks for mask in stack]
    if state.deck + len(stacked) + state.hand.drawn + state.missing != state.options.masks or state.deck < 0:
        return "deck, stacks and the drawn mask are all there are"
    if sorted(mask.number for mask in stacked) != list(range(1, state.placed + 1)):
        return "every placement is on one stack"
    if any(list(stack) != sorted(stack, key=lambda mask: mask.number) for stack in state.stacks):
        return "stacks grow upwards"
    if any(state.copies(design) > COPIES and design not in state.doubted for design in DESIGNS):
        return "each design at most five times"
    if not 0 <= state.drawer < state.players:
        return "the player in turn sits at the table"
    if len(state.scores) > ROUNDS or not 1 <= state.round <= ROUNDS + 1:
        return "three rounds"
    if state.phase in BEFORE or state.desk.abandoned:  # given up, it stays as it was in its phase (K-T65)
        return None
    if sum(state.tokens) + state.box != state.start * state.players:
        return "tokens are conserved"
    if any(tokens < 1 for tokens in state.tokens) or state.box < 0:
        return "who has no token ends the round"
    if (state.stop is None) == (
        state.phase in {Phase.STOPPED, Phase.CHECKING, Phase.SHOWING, Phase.RESTORING}
    ):
        return "a check has a Stop"
    if state.phase in {Phase.CALLED, Phase.ASKING} and not state.pending.calls:
        return "a pending Stop has a call"
    return None
