"""What the table asks of voice, lamps, guide, machine and workshop, and each as a part that may fail."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from companion.core import observations as ob
from companion.core.actions import Chair, Cue, Micros, Started
from companion.core.appliance import Appliance, Machine
from companion.core.camera_views import Bench, Work, Workshop
from companion.core.one_button import Edge
from companion.core.view import Guidance, Lamp, Sentence
from companion.referee.loop import Told
from companion.referee.parts import Parts
from companion.ui import commands as do


class Voice(Protocol):
    """What speaks, or cannot."""

    @property
    def available(self) -> bool: ...

    @property
    def caption(self) -> Sentence | None:
        """The sentence being told."""

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = ()) -> None: ...

    def play_cue(self, cue: Cue) -> None: ...

    def stop_cue(self) -> None: ...

    def poll(self, now: Micros) -> Iterable[Started]: ...


class GuardedVoice:
    """Falls silent: then the screen opens the counts."""

    def __init__(self, voice: Voice, parts: Parts) -> None:
        self._voice = voice
        self._parts = parts

    @property
    def available(self) -> bool:
        return self._parts.run("voice", lambda: self._voice.available, otherwise=False)

    @property
    def caption(self) -> Sentence | None:
        return self._parts.run("voice", lambda: self._voice.caption, None)

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = ()) -> None:
        self._parts.run("voice", lambda: self._voice.say(sentences, first), None)

    def play_cue(self, cue: Cue) -> None:
        self._parts.run("voice", lambda: self._voice.play_cue(cue), None)

    def stop_cue(self) -> None:
        self._parts.run("voice", self._voice.stop_cue, None)

    def poll(self, now: Micros) -> Iterable[Started]:
        return self._parts.run("voice", lambda: tuple(self._voice.poll(now)), ())


class Lamps(Protocol):
    """What glows."""

    def show(self, states: Mapping[Chair, Lamp], at: Micros) -> None: ...


class GuardedLamps:
    """Stay as they were."""

    def __init__(self, lamps: Lamps, parts: Parts) -> None:
        self._lamps = lamps
        self._parts = parts

    def show(self, states: Mapping[Chair, Lamp], at: Micros) -> None:
        self._parts.run("lamps", lambda: self._lamps.show(states, at), None)


class Guide(Protocol):
    """Who teaches beside the game, and says what the rules may hear of."""

    def guidance(self) -> Guidance | None:
        """What is said now."""

    def admits(self, seen: Edge | ob.Observation) -> bool:
        """Whether the rules hear of it now."""

    def told(self, told: Told) -> None:
        """A ruling was told."""

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


class GuardedGuide:
    """Says nothing more, and lets the rules hear of everything."""

    def __init__(self, guide: Guide, parts: Parts) -> None:
        self._guide = guide
        self._parts = parts

    def guidance(self) -> Guidance | None:
        return self._parts.run("guide", self._guide.guidance, None)

    def admits(self, seen: Edge | ob.Observation) -> bool:
        return self._parts.run("guide", lambda: self._guide.admits(seen), otherwise=True)

    def told(self, told: Told) -> None:
        self._parts.run("guide", lambda: self._guide.told(told), None)

    def advance(self, now: Micros) -> None:
        self._parts.run("guide", lambda: self._guide.advance(now), None)

    def next_due(self) -> Micros | None:
        return self._parts.run("guide", self._guide.next_due, None)

    def wanted(self, what: str) -> None:
        self._parts.run("guide", lambda: self._guide.wanted(what), None)

    def change(self, level: str) -> None:
        self._parts.run("guide", lambda: self._guide.change(level), None)

    @property
    def silent(self) -> bool:
        return self._parts.run("guide", lambda: self._guide.silent, otherwise=False)


class GuardedAppliance:
    """Copies nothing and switches nothing off."""

    def __init__(self, appliance: Appliance, parts: Parts) -> None:
        self._appliance = appliance
        self._parts = parts

    def tick(self, now: Micros, *, held: bool) -> None:
        self._parts.run("appliance", lambda: self._appliance.tick(now, held=held), None)

    def machine(self) -> Machine:
        return self._parts.run("appliance", self._appliance.machine, Machine())

    def notice(self, now: Micros) -> Sentence | None:
        return self._parts.run("appliance", lambda: self._appliance.notice(now), None)

    def lamps(self) -> frozenset[Chair] | None:
        return self._parts.run("appliance", self._appliance.lamps, None)

    def carry_out(self, command: do.CopyGames | do.Install | do.SwitchOff) -> None:
        """What a page asked of the machine."""
        match command:
            case do.CopyGames():
                self._parts.run("appliance", self._appliance.copy, None)
            case do.Install():
                self._parts.run("appliance", lambda: self._appliance.install(command.digest), None)
            case do.SwitchOff():
                self._parts.run("appliance", self._appliance.switch_off, None)


class GuardedWorkshop:
    """Calibrates, enrols and watches no more."""

    def __init__(self, workshop: Workshop, parts: Parts) -> None:
        self._workshop = workshop
        self._parts = parts

    def visit(self, page: str, game: str) -> None:
        self._parts.run("bench", lambda: self._workshop.visit(page, game), None)

    def work(self, wanted: Work) -> None:
        self._parts.run("bench", lambda: self._workshop.work(wanted), None)

    def bench(self) -> Bench | None:
        return self._parts.run("bench", self._workshop.bench, None)
