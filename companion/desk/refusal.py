"""What the desk does not do, said in the language of the browser that asked."""

from __future__ import annotations

from companion.core.errors import CompanionError


class Refusal(CompanionError):  # noqa: N818 - what it says, not what it is
    """A key of the catalogues with its parts; nothing was changed."""

    def __init__(self, key: str, **parts: str | int) -> None:
        super().__init__(key)
        self.key = key
        self.parts = parts


class Overtaken(Refusal):
    """Somebody else changed the same thing since it was shown."""

    def __init__(self) -> None:
        super().__init__("desk.refused.overtaken")
