"""A lesson as it stands in its file: steps, each with a start, what is laid, said, done and asked.

A lesson is a TOML file that needs no Python; the README of `assets/lessons` has the form. Seats are written
`@1`, `@2`, …: `@1` is the learner, the others follow clockwise, whichever chair the learner sits on.
`@2+` is the unheld deck of that seat, `bot` the one that belongs to all, `first` whom the program asks before
the deal; `#2` is that seat's place on the table, counted from 1, `#2.1` the first of its two places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from companion.core import strangers
from companion.core.actions import Options, Seat, Setup, Value
from companion.core.errors import InputError
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.strangers import Most
from companion.games import RULES, asset_folders
from companion.games.asked import game_named

Pattern = Mapping[str, Any]
"""`event` and some of its fields: what a ruling has to be like."""


class LessonError(InputError):
    """A lesson that cannot be used: which file, which line, and what is wrong there."""

    on_screen = "damaged"


class Wrong(Value, frozen=True):
    """A mistake that was thought of, and what is said to it."""

    event: Pattern
    say: str


class Part(Value, frozen=True):
    """One thing said; then a deed is awaited, a question is asked, or somebody presses on."""

    say: str
    wait: Pattern | None = None
    does: tuple[str, ...] = ()
    """What the learner should do, in the notation of deeds; empty: nothing is the right thing."""
    wrong: tuple[Wrong, ...] = ()
    otherwise: str = ""
    """Said to any other mistake, and to a wrong answer."""
    quiz: tuple[str, ...] = ()
    right: int = 0
    """The right answer of a quiz, from 1."""
    well: str = ""
    """Said when it was done or answered well."""
    others: tuple[str, ...] = ()
    """What the other seats do while this deed is awaited, in this order, as soon as it is lawful."""

    def meaning(self, rulings: Iterable[Event], pupil: Seat, players: int) -> str | None:
        """What is said of the first of these rulings that was thought of; empty: it is the awaited one."""
        known = [] if self.wait is None else [(self.wait, "")]
        known += [(wrong.event, wrong.say) for wrong in self.wrong]
        # What says more of a ruling counts first: "that object" before "any object".
        known.sort(key=lambda one: -len(one[0]))
        fitting = (say for event in rulings for like, say in known if fits(like, event, pupil, players))
        return next(fitting, None)


class Step(Value, frozen=True):
    """One step: a position, and the parts that go on from it."""

    name: str
    title: str
    part: tuple[Part, ...]
    start: tuple[str, ...] = ()
    """What happened before, in the notation of deeds."""
    lay: Mapping[str, tuple[str, ...]] = {}
    """What lies where, and who holds what: shown, and checked by the camera where it lies open."""


class Round(Value, frozen=True):
    """The first real round, after the steps."""

    say: str
    until: Pattern
    times: int = 1
    well: str = ""
    options: Mapping[str, Any] = {}
    """House rules of this round alone, e.g. a short deck: a table's first games do without them."""


class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole lesson."""

    game: str
    mode: str
    title: str
    players: int
    step: tuple[Step, ...]
    round: Round | None = None
    options: Mapping[str, Any] = {}
    """House rules of the lesson: usually without a clock."""
    laying: str = "lesson.lay"
    """The sentence over the cards that are to be laid."""
    text: Mapping[str, Mapping[str, str]] = {}
    """Language → key → sentence, for a lesson that brings its own words."""

    @property
    def rules(self) -> Rules[Any]:
        return RULES[self.game]

    @property
    def steps(self) -> int:
        """How many steps people are told of: the first round is the last."""
        return len(self.step) + (self.round is not None)

    def layout(self, step_at: int) -> Mapping[str, tuple[str, ...]]:
        """What lies and who holds what: of this step, or of the last that said so."""
        for step in reversed(self.step[: step_at + 1]):
            if step.lay:
                return step.lay
        return {}

    def setup(self, chairs: tuple[int, ...]) -> Setup:
        """The lesson at these chairs."""
        own = {} if self.round is None else self.round.options
        options: Options = msgspec.convert({**self.options, **own}, self.rules.options)
        return Setup(chairs, options)


def shipped(game: str = "") -> tuple[Path, ...]:
    """The files of the shipped lessons whose game is registered, by game and mode."""
    return tuple(
        file
        for folder in asset_folders()
        for file in sorted(folder.glob("lessons/*/*.toml"))
        if file.parent.name in RULES and game in {"", file.parent.name}
    )


def without_clock(game: str, options: Options) -> Options:
    """House rules for a table that learns: those of its lesson, which has no clock."""
    for file in shipped(game)[:1]:
        plain = msgspec.to_builtins(options)
        lesson: Options = msgspec.convert({**plain, **load(file).options}, type(options))
        return lesson
    return options


def load(file: Path) -> Lesson:
    """The lesson in a file; `LessonError` names the line of the first thing wrong."""
    return parse(source_of(file), str(file))


def source_of(file: Path) -> str:
    """What stands in the file of a lesson."""
    try:
        return strangers.text(file, Most.LESSON)
    except UnicodeDecodeError as trouble:
        raise LessonError(f"{file} isn't a UTF-8 text file; name a TOML file.") from trouble
    except OSError as trouble:
        reason = trouble.strerror or str(trouble)
        raise LessonError(f"can't read {file} ({reason}); check its name and rights.") from trouble


def lesson_named(wanted: str) -> Lesson:
    """The lesson of a game, of `game/mode`, or in a file."""
    if wanted.endswith(".toml"):
        return load(Path(wanted))
    name, _, mode = wanted.partition("/")
    rules = game_named(name)
    lessons = [load(file) for file in shipped(rules.name)]
    fitting = [lesson for lesson in lessons if mode in {"", lesson.mode}]
    if not fitting:
        modes = ", ".join(f"{lesson.game}/{lesson.mode}" for lesson in lessons) or "none yet"
        raise InputError(f"There is no lesson {wanted!r}; choose from: {modes}.")
    return fitting[0]


def parse(source: str, name: str = "lesson") -> Lesson:
    """The lesson that `source` says."""
    try:
        raw = strangers.toml(source)
    except ValueError as error:
        raise LessonError(f"{name}: this isn't TOML: {error}.") from error
    try:
        lesson = msgspec.convert(raw, Lesson)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at ")
        where = path.strip("`") or "$"
        unknown = re.fullmatch(r"Object contains unknown field `(.+)`", what)
        where = f"{where}.{unknown[1]}" if unknown is not None else where
        raise LessonError(f"{name}, line {line_of(source, where)}: {_in_words(what, where)}.") from error
    if lesson.game not in RULES:
        at = line_of(source, "$.game")
        raise LessonError(f"{name}, line {at}: no game {lesson.game!r}; choose from {', '.join(RULES)}.")
    return lesson


def _in_words(what: str, where: str) -> str:
    """What msgspec says, as somebody would say it who has never seen Python."""
    if (unknown := re.fullmatch(r"Object contains unknown field `(.+)`", what)) is not None:
        return f"nothing here is called {unknown[1]!r}"
    if (missing := re.fullmatch(r"Object missing required field `(.+)`", what)) is not None:
        return f"{missing[1]!r} is missing here"
    if (other := re.fullmatch(r"Expected `(.+)`, got `(.+)`", what)) is not None:
        wanted = " or ".join(KINDS.get(kind, kind) for kind in other[1].split(" | ") if kind != "null")
        named = re.findall(r"\.(\w+)", where)
        about = f"{named[-1]!r} has to be" if named else "this has to be"
        return f"{about} {wanted}, not {KINDS.get(other[2], other[2])}"
    return what


KINDS: Mapping[str, str] = MappingProxyType(
    {
        "str": 'a text in "quotes"',
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "array": "a list in [ ]",
        "object": "a table in { } or under a [heading]",
        "date": "a date",
    }
)
"""What a value is called."""


def line_of(source: str, path: str) -> int:
    """The line at which a part of a lesson stands, by its path, e.g. `$.step[2].part[0].wait`."""
    lines = dict(_lines(source))
    while path not in lines and max(path.rfind("."), path.rfind("[")) > 0:
        path = path[: max(path.rfind("."), path.rfind("["))]  # a key may have any letters: cut, do not match
    return lines.get(path, 1)


def _lines(source: str) -> Iterator[tuple[str, int]]:
    """Every table and key by its path, with its line."""
    counts: dict[str, int] = {}
    here = "$"
    for number, line in enumerate(source.splitlines(), 1):
        head = re.match(r"\s*(\[{1,2})\s*([\w.\"-]+)\s*\]{1,2}", line)
        if head is not None:
            here = _table(head[2], many=len(head[1]) == 2, counts=counts)
            yield here, number
            continue
        key = re.match(r"\s*\"?([\w@:.-]+)\"?\s*=", line)
        if key is not None:
            yield f"{here}.{key[1]}", number


def _table(name: str, *, many: bool, counts: dict[str, int]) -> str:
    """The path of a table by its head; arrays of tables are counted."""
    path = "$"
    parts = name.split(".")
    for place, part in enumerate(parts):
        path = f"{path}.{part}"
        if many and place == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
            for deeper in [known for known in counts if known.startswith(f"{path}[")]:
                if not deeper.startswith(f"{path}[{counts[path]}]"):
                    continue
                del counts[deeper]
        if path in counts:
            path = f"{path}[{counts[path]}]"
    return path


SEAT = re.compile(r"@([1-8])(\+?)|#([1-8])(?:\.([12]))?|(bot)|(first)")


def seat_named(written: Any, offset: int, players: int) -> Any:
    """`@2` → the seat it stands for, the learner's being `offset`; everything else as it is."""
    if not isinstance(written, str):
        return written
    found = SEAT.fullmatch(written)
    if found is None:
        kind, colon, place = written.rpartition(":")
        if colon and SEAT.fullmatch(place):
            return f"{kind}:{seat_named(place, offset, players)}"
        return written
    if found[5] or found[6]:
        return players if found[5] else 0
    seat: Seat = (int(found[1] or found[3]) - 1 + offset) % players
    if found[1]:
        return seat + players if found[2] else seat
    return 2 * seat + int(found[4]) if found[4] else seat + 1


def fits(pattern: Pattern, event: Any, offset: int, players: int) -> bool:
    """Whether a ruling is like the pattern: a list has to be contained, anything else to be equal."""
    if type(event).__name__ != pattern["event"]:
        return False
    for field, wanted in pattern.items():
        if field == "event":
            continue
        value = getattr(event, field, None)
        if isinstance(wanted, list | tuple):
            if not {seat_named(one, offset, players) for one in wanted} <= set(value or ()):
                return False
        elif value != seat_named(wanted, offset, players):
            return False
    return True
