"""Exceptions of the desk that a page shows in the language of the browser."""

from companion.core.errors import CompanionError


class DeskRefusalError(CompanionError):
    """A key of the catalogues with its parts; nothing was changed."""

    def __init__(self, key: str, **parts: str | int) -> None:
        super().__init__(key)
        self.key = key
        self.parts = parts


class ConfirmationRequiredError(CompanionError):
    """Something is about to change that takes trouble to put back; nothing was changed yet.

    `deed`: key of the button that does it; `back`: the address for those who don't want it.
    """

    def __init__(self, key: str, *, deed: str, back: str, **parts: str | int) -> None:
        super().__init__(key)
        self.key = key
        self.deed = deed
        self.back = back
        self.parts = parts


class EditConflictError(DeskRefusalError):
    """Somebody else changed the same thing since it was shown."""

    def __init__(self) -> None:
        super().__init__("desk.refused.overtaken")
