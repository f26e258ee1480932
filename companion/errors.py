"""What this project raises when somebody has to do something: one sentence, which names the fix."""

from __future__ import annotations

from typing import ClassVar


class CompanionError(Exception):
    """Something a person can put right; printed as its one sentence, never as a traceback."""

    exit_code: ClassVar[int] = 1


class InputError(CompanionError, ValueError):
    """A file, an argument or a setting that cannot be used as it is."""

    exit_code: ClassVar[int] = 2
