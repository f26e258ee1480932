"""Invariants of the Kabuki state; a violation means a bug or an impossible declaration."""

from companion.games.kabuki.rules.state import (
    COPIES_PER_DESIGN,
    DESIGNS,
    ROUND_COUNT,
    KabukiPhase,
    KabukiState,
)

NO_ROUND_PHASES = frozenset({KabukiPhase.STARTING, KabukiPhase.SHUFFLING, KabukiPhase.OVER})
"""No round runs."""


def find_violation(state: KabukiState) -> str | None:
    """The first invariant that does not hold, or None."""
    stacked = [mask for stack in state.stacks for mask in stack]
    if state.deck + len(stacked) + state.hand.drawn + state.missing != state.options.masks or state.deck < 0:
        return "deck, stacks and the drawn mask are all there are"
    if sorted(mask.number for mask in stacked) != list(range(1, state.placed + 1)):
        return "every placement is on one stack"
    if any(list(stack) != sorted(stack, key=lambda mask: mask.number) for stack in state.stacks):
        return "stacks grow upwards"
    if any(
        state.count_copies(design) > COPIES_PER_DESIGN and design not in state.doubted for design in DESIGNS
    ):
        return "each design at most five times"
    if not 0 <= state.drawer < state.players:
        return "the player in turn sits at the table"
    if len(state.scores) > ROUND_COUNT or not 1 <= state.round <= ROUND_COUNT + 1:
        return "three rounds"
    if (
        state.phase in NO_ROUND_PHASES or state.desk.abandoned
    ):  # given up, it stays as it was in its phase (K-T65)
        return None
    if sum(state.tokens) + state.box != state.starting_tokens * state.players:
        return "tokens are conserved"
    if any(tokens < 1 for tokens in state.tokens) or state.box < 0:
        return "who has no token ends the round"
    if (state.stop is None) == (
        state.phase in {KabukiPhase.STOPPED, KabukiPhase.CHECKING, KabukiPhase.SHOWING, KabukiPhase.RESTORING}
    ):
        return "a check has a Stop"
    if state.phase in {KabukiPhase.CALLED, KabukiPhase.ASKING} and not state.pending.calls:
        return "a pending Stop has a call"
    return None
