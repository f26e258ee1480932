"""Announces who joins or leaves before a game begins."""

from collections.abc import Callable, Container

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.table.host import Games
from companion.table.navigation import Navigation
from companion.ui.frame import PageFrame
from companion.ui.ui_state import GameDraft

GATHERING = frozenset({"home", "setup"})
"""Pages on which people sit down."""
READY, FREE = Sentence("setup.ready"), Sentence("setup.out")


def seating_changes(before: GameDraft, after: GameDraft, players: Container[int]) -> tuple[Sentence, ...]:
    """What changed from one draft to the next; `players`: how many the game is for."""
    told = []
    if after.game != before.game:
        told.append(Sentence(f"{after.game}.name"))
    fresh = {*after.chairs} - {*before.chairs} | {*after.here} & {*after.chairs} - {*before.here}
    told += [Sentence("setup.in", (("chair", chair),)) for chair in sorted(fresh)]
    told += [FREE for chair in before.chairs if chair not in after.chairs][:1]
    first = fresh and not before.here
    if len(after.chairs) in players and (first or len(before.chairs) not in players):
        told.append(READY)
    return tuple(told)


def screen_sentence(words: str) -> Sentence:
    """What is written on the screen, for the voice."""
    return Sentence("spoken.read", (("words", words),))


class SeatingAnnouncer:
    """Tells the pages without a game aloud and by lamp: who is in, and what is marked on the screen."""

    def __init__(self, navigation: Navigation, frame: Callable[[], PageFrame]) -> None:
        """`frame` is the frame now."""
        self._at = navigation
        self._frame = frame
        self._read = ("", "")
        """What was read aloud last: the page's title, and what was marked on it."""

    def lit_chairs(self) -> frozenset[Chair]:
        """Who has joined, and whose button is down."""
        joined = self._at.ui_state.draft.chairs if self._at.page in GATHERING else ()
        down = {chair for chair, _ in self._at.idle_buttons.buttons_maybe_down() if chair is not None}
        return frozenset({*joined, *down})

    def announce_changes(self, games: Games, before: GameDraft) -> None:
        """Who sat down or got up, and when it can begin; what is marked, where that is read aloud."""
        after = self._at.ui_state.draft
        if self._at.page in GATHERING and after != before:
            games.say(seating_changes(before, after, games.setup_limits(after.game).players))
        if self._at.ui_state.aloud:
            self.read_page_aloud(games)

    def read_page_aloud(self, games: Games, *, again: bool = False) -> None:
        """The page's title where it is another page, and what is marked on it; `again`: both in any case."""
        title, marked = self._at.page_guard.describe_focus(self._at.page, self._frame())
        known = ("", "") if again else self._read
        self._read = title, marked
        fresh = [*([title] if title != known[0] else []), *([marked] if self._read != known else [])]
        games.say([screen_sentence(words) for words in fresh if words])
