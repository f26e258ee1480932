"""State of the user interface: overlay, focus, draft of a game, display settings."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.actions import Chair, Micros, Options, Value
from companion.ui.commands import Command

HELP_LEVELS = ("teach", "assisted", "referee", "tournament")
"""The ramp: how much help a table gets."""


class GameDraft(Value, frozen=True):
    """A game that is being set up."""

    game: str = ""
    """Empty until one was chosen."""
    chairs: tuple[Chair, ...] = ()
    """Who joined, clockwise."""
    names: tuple[tuple[Chair, str], ...] = ()
    bot: bool = False
    """Whether a deck is dealt that nobody holds."""
    options: Options | None = None
    """None: the game's defaults, until somebody changes one."""
    last: tuple[Chair, ...] = ()
    """Who sat here last time."""
    here: tuple[Chair, ...] = ()
    """Who has pressed since then."""


class UiState(Value, frozen=True):
    """One moment of the glass."""

    overlay: str = ""
    """What lies over the page; empty: nothing."""
    focus: str = ""
    """Key of the target that ok would activate."""
    typed: str = ""
    """A text or a choice half made."""
    about: int = -1
    """What the overlay is about: an entry's seq, a chair, a slot."""
    scroll: int = 0
    begun: tuple[Chair, Micros] | None = None
    """Whose press began to choose an answer, and on which card: since when that is shown."""
    leaving: tuple[Chair, ...] = ()
    """Whose button went down while they were in: who lets go before it is a hold gets up."""
    held: tuple[tuple[int, tuple[Command, ...]], ...] = ()
    """Finger → what happens when it lifts."""
    declared: tuple[tuple[str, str | int], ...] = ()
    """The table as it is being declared for a repair."""
    draft: GameDraft = GameDraft()
    language: str = "en"
    volume: int = 80
    mute: bool = False
    brightness: int = 100
    level: str = "referee"
    """Step of the ramp: teach, assisted, referee, tournament."""
    large: bool = False
    """Letters as large as their place allows."""
    slow: bool = False
    """Sentences take their time."""
    calm: bool = False
    """Nothing moves that need not."""
    first_chair: int = 1
    """Who sits next to the screen on its left, as people count chairs."""
    mirrored: bool = False
    """Whether the chairs go round the screen the other way."""
    seen: Micros = -1
    """The verdict from then, and all before, were put away by hand."""
    aloud: bool = False
    """Whether what the buttons mark is read aloud, until somebody touches the screen."""
    buttons: bool = False
    """Whether back, next or OK of the table were used last: what they do is shown then."""

    def without_overlay(self) -> UiState:
        """The glass with everything folded away."""
        return replace(
            self, overlay="", focus="", typed="", about=-1, scroll=0, begun=None, leaving=(), declared=()
        )
