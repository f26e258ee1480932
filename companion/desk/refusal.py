"""What the desk does not do, said in the language of the browser that asked."""

from companion.core.errors import CompanionError


class Refusal(CompanionError):  # noqa: N818 - what it says, not what it is
    """A key of the catalogues with its parts; nothing was changed."""

    def __init__(self, key: str, **parts: str | int) -> None:
        super().__init__(key)
        self.key = key
        self.parts = parts


class Question(CompanionError):  # noqa: N818 - what it says, not what it is
    """Something is about to change that takes trouble to put back; nothing was changed yet.

    `deed`: key of the button that does it; `back`: the address for those who don't want it.
    """

    def __init__(self, key: str, *, deed: str, back: str, **parts: str | int) -> None:
        super().__init__(key)
        self.key = key
        self.deed = deed
        self.back = back
        self.parts = parts


class Overtaken(Refusal):
    """Somebody else changed the same thing since it was shown."""

    def __init__(self) -> None:
        super().__init__("desk.refused.overtaken")
