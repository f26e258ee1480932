"""What this project raises when somebody has to do something: one sentence, which names the fix."""

from __future__ import annotations

from typing import ClassVar

from companion.core.view import Sentence

INTERRUPTED = 130
"""What a program ends with that Ctrl-C stopped: 128 + SIGINT, as shells count."""


class CompanionError(Exception):
    """Something a person can put right; printed as its one sentence, never as a traceback."""

    exit_code: ClassVar[int] = 1
    on_screen: str = "other"
    """What the table reads, in its own language: `shared.trouble.<on_screen>`. The sentence itself is for a
    terminal: it names files, lines and keys."""

    def sentence(self) -> Sentence:
        """What the table's screen says."""
        return Sentence(f"shared.trouble.{self.on_screen}")


class InputError(CompanionError, ValueError):
    """A file, an argument or a setting that cannot be used as it is."""

    exit_code: ClassVar[int] = 2


class Stopped(CompanionError):  # noqa: N818 - what it says, not what it is
    """The same failure came again at once: the program ends; `waits`: the game does in its store."""

    def __init__(self, *, waits: bool) -> None:
        again = ". To continue your game: companion resume" if waits else "."
        super().__init__(f"the referee failed twice at the same point and stopped{again}")
