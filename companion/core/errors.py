"""Exceptions that the user can act on, each one sentence that names the remedy."""

from typing import ClassVar

from companion.core.view import Sentence

EXIT_INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 + SIGINT, as in shells."""
EXIT_PORT_TAKEN = 69
"""Exit status where a port is taken: EX_UNAVAILABLE of sysexits.h."""


class CompanionError(Exception):
    """An error the user can fix. It is printed as its one sentence, never as a traceback."""

    exit_code: ClassVar[int] = 1
    on_screen: str = "other"
    """The sentence shown at the table has the catalogue key `shared.trouble.<on_screen>`. The exception's own
    text is for a terminal: it names files, lines and settings."""

    screen_parts: tuple[tuple[str, str | int], ...] = ()
    """Those of that sentence."""

    def screen_sentence(self) -> Sentence:
        """The sentence for the table's screen."""
        return Sentence(f"shared.trouble.{self.on_screen}", self.screen_parts)


class InputError(CompanionError, ValueError):
    """A file, an argument or a setting that cannot be used."""

    exit_code: ClassVar[int] = 2


class RepeatedFailureError(CompanionError):
    """The same failure occurred twice in a row, so the program ends. `waits`: a game can be resumed."""

    def __init__(self, *, waits: bool) -> None:
        again = ". To continue your game: companion resume" if waits else "."
        super().__init__(f"the referee failed twice at the same point and stopped{again}")
