"""Isolates the failures of voice, lamps, guide: a part that fails answers with a default."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

from companion.core import observations as ob
from companion.core.actions import Chair, Cue, CueStarted, Micros
from companion.core.switch import Edge
from companion.core.view import Guidance, LampSignal, Sentence
from companion.referee.loop import Announcement
from companion.system.appliance import MachineStatus
from companion.system.fault_isolation import FaultIsolation


class Speaker(Protocol):
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

    def poll(self, now: Micros) -> Iterable[CueStarted]: ...


class Lamps(Protocol):
    """What glows."""

    def show_states(self, states: Mapping[Chair, LampSignal], at: Micros) -> None: ...


class Guide(Protocol):
    """Who teaches beside the game, and says what the rules may hear of."""

    def guidance(self) -> Guidance | None:
        """What is said now."""

    def admits(self, seen: Edge | ob.Observation) -> bool:
        """Whether the rules hear of it now."""

    def handle_ruling(self, ruling: Announcement) -> None:
        """A ruling was announced."""

    def advance(self, now: Micros) -> None:
        """Whatever is due."""

    def next_due(self) -> Micros | None: ...

    def handle_request(self, what: str) -> None:
        """Somebody asked to go on, back, or for a hint."""

    def set_level(self, level: str) -> None:
        """Another assistance level from Teach to Tournament."""

    @property
    def silent(self) -> bool:
        """Whether nothing but the count is said."""


T = TypeVar("T")

FAILURE_VALUES: Mapping[str, object] = {
    "available": False,
    "sounded": True,
    "poll": (),
    "admits": True,
    "silent": False,
    "read_status": MachineStatus(),
}
"""What a part that has failed answers where None does not do: without a voice the screen opens the counts."""


def guard_part(name: str, part: T, parts: FaultIsolation) -> T:
    """`part`, each of whose methods and properties is run as the part `name` of `parts`."""
    return cast("T", _GuardedPart(name, part, parts))


class _GuardedPart:
    def __init__(self, name: str, part: object, parts: FaultIsolation) -> None:
        self._name = name
        self._part = part
        self._parts = parts

    def __getattr__(self, asked: str) -> Any:
        otherwise = FAILURE_VALUES.get(asked)
        if callable(getattr(type(self._part), asked, None)):
            return self._parts.wrap(self._name, getattr(self._part, asked), otherwise)
        return self._parts.run(self._name, lambda: getattr(self._part, asked), otherwise)
