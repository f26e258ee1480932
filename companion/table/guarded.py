"""What the table asks of voice, lamps and guide; any of them, machine and workshop too, may fail."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

from companion.core import observations as ob
from companion.core.actions import Chair, Cue, Micros, Started
from companion.core.appliance import Machine
from companion.core.one_button import Edge
from companion.core.view import Guidance, Lamp, Sentence
from companion.referee.loop import Announced
from companion.referee.parts import Parts


class Voice(Protocol):
    """What speaks, or cannot."""

    @property
    def available(self) -> bool: ...

    @property
    def sounded(self) -> bool:
        """Whether the count that was begun last has sounded to its end, or nothing is heard."""

    @property
    def caption(self) -> Sentence | None:
        """The sentence being said."""

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = ()) -> None: ...

    def play_cue(self, cue: Cue) -> None: ...

    def stop_cue(self) -> None: ...

    def poll(self, now: Micros) -> Iterable[Started]: ...


class Lamps(Protocol):
    """What glows."""

    def show(self, states: Mapping[Chair, Lamp], at: Micros) -> None: ...


class Guide(Protocol):
    """Who teaches beside the game, and says what the rules may hear of."""

    def guidance(self) -> Guidance | None:
        """What is said now."""

    def admits(self, seen: Edge | ob.Observation) -> bool:
        """Whether the rules hear of it now."""

    def announced(self, ruling: Announced) -> None:
        """A ruling was announced."""

    def advance(self, now: Micros) -> None:
        """Whatever is due."""

    def next_due(self) -> Micros | None: ...

    def wanted(self, what: str) -> None:
        """Somebody asked to go on, back, or for a hint."""

    def change(self, level: str) -> None:
        """Another assistance level from Teach to Tournament."""

    @property
    def silent(self) -> bool:
        """Whether nothing but the count is said."""


T = TypeVar("T")

OTHERWISE: Mapping[str, object] = {
    "available": False,
    "sounded": True,
    "poll": (),
    "admits": True,
    "silent": False,
    "machine": Machine(),
}
"""What a part that has failed answers where None does not do: without a voice the screen opens the counts."""


def guarded(name: str, part: T, parts: Parts) -> T:
    """`part`, each of whose methods and properties is run as the part `name` of `parts`."""
    return cast("T", _Guarded(name, part, parts))


class _Guarded:
    def __init__(self, name: str, part: object, parts: Parts) -> None:
        self._name = name
        self._part = part
        self._parts = parts

    def __getattr__(self, asked: str) -> Any:
        otherwise = OTHERWISE.get(asked)
        if callable(getattr(type(self._part), asked, None)):
            return self._parts.guard(self._name, getattr(self._part, asked), otherwise)
        return self._parts.run(self._name, lambda: getattr(self._part, asked), otherwise)
