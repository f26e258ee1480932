"""Reads lesson files: steps with a position, a lay-out, parts to do or answer.

A lesson is a TOML file and needs no Python; the README of `assets/lessons` describes it. Seats are written
`@1`, `@2`, …: `@1` is the learner, whichever chair that is, and the others follow clockwise. `@2+` is the BOT
deck of that seat, `bot` the one that belongs to everybody, `first` the seat asked before the deal. `#2` is
that seat's place on the table, counted from 1, `#2.1` the first of its two places.
"""

import re
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from companion.core.actions import Options, Seat, Setup, Value
from companion.core.errors import InputError
from companion.core.events import Event, kind_of
from companion.core.rules import Rules
from companion.games import RULES, all_asset_folders, find_game_rules
from companion.system import safe_files
from companion.system.safe_files import SizeLimit
from companion.system.toml_lines import find_key_lines

EventPattern = Mapping[str, Any]
"""`event` and some of its fields, which a ruling has to match."""


class LessonError(InputError):
    """A lesson cannot be used; names the file, the line and what is wrong there."""

    on_screen = "damaged"


class ExpectedMistake(Value, frozen=True):
    """An expected mistake, and the reply to it."""

    event: EventPattern
    say: str


class LessonPart(Value, frozen=True):
    """Something said, followed by an action, a question or a press to continue."""

    say: str
    wait: EventPattern | None = None
    does: tuple[str, ...] = ()
    """What the learner should do (`companion.teach.notation`); empty: doing nothing is right."""
    wrong: tuple[ExpectedMistake, ...] = ()
    otherwise: str = ""
    """Reply to any other mistake and to a wrong answer."""
    quiz: tuple[str, ...] = ()
    quiz_cards: tuple[tuple[str, ...], ...] = ()
    """What each answer names, as pictures: cards (`animal:5`), players (`seat:@2`), numbers (`figure:3`),
    signs and tokens (`fox`); empty: words are enough."""
    pictures: tuple[tuple[str, ...], ...] = ()
    """What is said as pictures, in groups of some as in `quiz_cards`, where nothing is asked."""
    right: int = 0
    """The right answer to a question, from 1."""
    well: str = ""
    """Reply to the right action or answer."""
    others: tuple[str, ...] = ()
    """What the other seats do meanwhile, in this order, each as soon as it is legal."""

    def find_reply(
        self, rulings: Sequence[Event], pupil: Seat, players: int
    ) -> tuple[str, Sequence[Event]] | None:
        """The reply to the first of these rulings that the part expects, and the rulings after it.

        The reply is empty where it is the right one.
        """
        known = [] if self.wait is None else [(self.wait, "")]
        known += [(wrong.event, wrong.say) for wrong in self.wrong]
        # The most specific pattern first: "that object" before "any object".
        known.sort(key=lambda one: -len(one[0]))
        fitting = (
            (say, rulings[place:])
            for place, event in enumerate(rulings, 1)
            for like, say in known
            if matches_pattern(like, event, pupil, players)
        )
        return next(fitting, None)


class LessonStep(Value, frozen=True):
    """One step: a position and the parts that start from it."""

    name: str
    title: str
    part: tuple[LessonPart, ...]
    start: tuple[str, ...] = ()
    """What happened before (`companion.teach.notation`)."""
    drawn: tuple[str, ...] = ()
    """What happened besides at a drawn table, where nobody draws a card."""
    lay: Mapping[str, tuple[str, ...]] = {}
    """Cards by place or hand: shown, and checked by the camera where they are face up."""
    learned: tuple[str, ...] = ()
    """Pictures as in `quiz_cards`: how the end of the lesson shows what was done in this step."""


class FinalRound(Value, frozen=True):
    """The first real round, after the steps."""

    say: str
    until: EventPattern
    times: int = 1
    well: str = ""
    options: Mapping[str, Any] = {}
    """House rules of this round alone, e.g. a short deck."""


class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole lesson."""

    game: str
    mode: str
    title: str
    players: int
    step: tuple[LessonStep, ...]
    round: FinalRound | None = None
    minutes: int = 0
    """About how long it takes; 0: not told."""
    options: Mapping[str, Any] = {}
    """House rules of the lesson: usually without a clock."""
    text: Mapping[str, Mapping[str, str]] = {}
    """Language → key → sentence, for a lesson that brings its own words."""

    @property
    def rules(self) -> Rules[Any]:
        return RULES[self.game]

    @property
    def step_count(self) -> int:
        """Number of steps, including the first round."""
        return len(self.step) + (self.round is not None)

    def layout(self, step_at: int) -> Mapping[str, tuple[str, ...]]:
        """The lay-out of this step, or of the last one that has any."""
        for step in reversed(self.step[: step_at + 1]):
            if step.lay:
                return step.lay
        return {}

    def known_layout(self, step_at: int, covered: Container[str]) -> Mapping[str, tuple[str, ...]]:
        """The same with what was laid earlier and not laid again: hands, and in the covered places."""
        before = {
            where: cards
            for step in self.step[: step_at + 1]
            for where, cards in step.lay.items()
            if where.startswith(("@", "bot")) or where in covered
        }
        return {**before, **self.layout(step_at)}

    def setup(self, chairs: tuple[int, ...]) -> Setup:
        """The set-up of the lesson for these chairs."""
        own = {} if self.round is None else self.round.options
        options: Options = msgspec.convert({**self.options, **own}, self.rules.options)
        return Setup(chairs, options)


def find_lesson_files(game: str = "") -> tuple[Path, ...]:
    """The files of the lessons of all installed games, by game and mode."""
    return tuple(
        file
        for folder in all_asset_folders()
        for file in sorted(folder.glob("lessons/*/*.toml"))
        if file.parent.name in RULES and game in {"", file.parent.name}
    )


def untimed_options(game: str, options: Options) -> Options:
    """House rules for a game at the level `teach`: those of its lesson, without a clock."""
    for file in find_lesson_files(game)[:1]:
        plain = msgspec.to_builtins(options)
        lesson: Options = msgspec.convert({**plain, **load_lesson(file).options}, type(options))
        return lesson
    return options


def load_lesson(file: Path) -> Lesson:
    """Read a lesson; raises `LessonError` with the line of the first mistake."""
    return parse_lesson(read_lesson_text(file), str(file))


def read_lesson_text(file: Path) -> str:
    """The text of a lesson's file; raises `LessonError` if it cannot be read."""
    try:
        return safe_files.read_text(file, SizeLimit.LESSON)
    except UnicodeDecodeError as trouble:
        raise LessonError(f"{file} isn't a UTF-8 text file; name a TOML file.") from trouble
    except OSError as trouble:
        reason = trouble.strerror or str(trouble)
        raise LessonError(f"can't read {file} ({reason}); check its name and permissions.") from trouble


def find_lesson(wanted: str) -> Lesson:
    """The lesson with the name of a game, `game/mode`, or a file; raises `InputError` if there is none."""
    if wanted.endswith(".toml"):
        return load_lesson(Path(wanted))
    name, _, mode = wanted.partition("/")
    rules = find_game_rules(name)
    lessons = [load_lesson(file) for file in find_lesson_files(rules.name)]
    fitting = [lesson for lesson in lessons if mode in {"", lesson.mode}]
    if not fitting:
        modes = ", ".join(f"{lesson.game}/{lesson.mode}" for lesson in lessons) or "none yet"
        raise InputError(f"There is no lesson {wanted!r}; choose from: {modes}.")
    return fitting[0]


def parse_lesson(source: str, name: str = "lesson") -> Lesson:
    """Parse a lesson; raises `LessonError`."""
    try:
        raw = safe_files.parse_toml(source)
    except ValueError as error:
        raise LessonError(f"{name}: this isn't TOML: {error}.") from error
    try:
        lesson = msgspec.convert(raw, Lesson)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at ")
        where = path.strip("`") or "$"
        unknown = re.fullmatch(r"Object contains unknown field `(.+)`", what)
        where = f"{where}.{unknown[1]}" if unknown is not None else where
        raise LessonError(
            f"{name}, line {find_line(source, where)}: {_explain_error(what, where)}."
        ) from error
    if lesson.game not in RULES:
        at = find_line(source, "$.game")
        raise LessonError(f"{name}, line {at}: no game {lesson.game!r}; choose from {', '.join(RULES)}.")
    return lesson


def _explain_error(what: str, where: str) -> str:
    """An error of msgspec in words for people who do not know Python."""
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
"""Names of types, for error messages."""


def find_line(source: str, path: str) -> int:
    """The line of a value in a lesson, by its path, e.g. `$.step[2].part[0].wait`."""
    lines = {
        "$" + "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in key): line
        for key, line in find_key_lines(source).items()
    }
    while path not in lines and max(path.rfind("."), path.rfind("[")) > 0:
        path = path[: max(path.rfind("."), path.rfind("["))]  # keys may contain anything: cut, do not match
    return lines.get(path, 1)


SEAT = re.compile(r"@([1-8])(\+?)|#([1-8])(?:\.([12]))?|(bot)|(first)")


def resolve_seat(written: Any, offset: int, players: int) -> Any:
    """Resolve `@2` to a seat, where `offset` is the learner's; return anything else unchanged."""
    if not isinstance(written, str):
        return written
    found = SEAT.fullmatch(written)
    if found is None:
        kind, colon, place = written.rpartition(":")
        if colon and SEAT.fullmatch(place):
            return f"{kind}:{resolve_seat(place, offset, players)}"
        return written
    if found[5] or found[6]:
        return players if found[5] else 0
    seat: Seat = (int(found[1] or found[3]) - 1 + offset) % players
    if found[1]:
        return seat + players if found[2] else seat
    return 2 * seat + int(found[4]) if found[4] else seat + 1


def matches_pattern(pattern: EventPattern, event: Any, offset: int, players: int) -> bool:
    """Whether a ruling matches a pattern: lists must be contained, everything else equal."""
    if kind_of(event) != pattern["event"]:
        return False
    for field, wanted in pattern.items():
        if field == "event":
            continue
        value = getattr(event, field, None)
        if isinstance(wanted, list | tuple):
            if not {resolve_seat(one, offset, players) for one in wanted} <= set(value or ()):
                return False
        elif value != resolve_seat(wanted, offset, players):
            return False
    return True
