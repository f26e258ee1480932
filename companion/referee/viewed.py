"""Looking at everything of a stored game ends it: nothing of it is taken back afterwards."""

from companion.core import observations as ob
from companion.referee.journal import replay_state
from companion.referee.referee import Referee
from companion.referee.store import GameStore


def note_hidden_cards_viewed(store: GameStore, game: int) -> bool:
    """Have it written down that somebody is shown everything of a stored game; whether it is.

    The store's lock is taken, if this process does not have it: while another plays, `StoreBusyError`.
    Also raises what `GameStore.open_game` does.
    """
    header, entries = store.read_game(game)
    rules = store.rules_of(header)
    state = replay_state(rules, header.setup.with_options(rules.options), entries)
    if not rules.is_open(state) or state.desk.uncovered:
        return True
    journal = store.open_game(game, restore=False)
    referee = Referee(rules, journal)
    referee.observe(ob.HiddenCardsViewed(at=referee.at + 1))
    return journal.close()
