"""Checks a lesson file for mistakes."""

import re
import tomllib
import typing
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from companion.core import events as ev
from companion.games import deck_folder, describe_range
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee
from companion.teach.lesson import EventPattern, Lesson, LessonPart, find_line
from companion.teach.notation import NotationError, judge_lines, parse_line
from companion.teach.rehearsal import Rehearsal

Known = Callable[[str, str], bool]
"""Whether a language's catalogue has a key."""
MAX_ANSWERS = 5
"""More answers do not fit below a question."""
NAMED = re.compile(r"(?<!\w)[@#]([1-9])")
"""A seat named in an action, a ruling or a place."""


class LessonProblem(typing.NamedTuple):
    """What is wrong, and where in the file."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


def find_problems(
    lesson: Lesson, source: str, known: Known, languages: tuple[str, ...], *, walked: bool = True
) -> tuple[LessonProblem, ...]:
    """Everything that would go wrong at the table, in the order of the file.

    `walked`: also what is found only by going through the lesson.
    """
    first = [
        *_check_form(lesson),
        *_check_layout(lesson),
        *_check_words(lesson, known, languages),
        *_check_own_words(lesson, languages),
    ]
    found = first or (list(_check_walk(lesson)) if walked else [])
    placed = {LessonProblem(find_line(source, path), what) for path, what in found}
    return tuple(sorted(placed))


def _check_form(lesson: Lesson) -> Iterator[tuple[str, str]]:
    rules = lesson.rules
    if lesson.players not in rules.players:
        fits = describe_range(rules.players)
        yield "$.players", f"{lesson.game} is for {fits} players, not {lesson.players}"
        return
    try:
        lesson.setup(tuple(range(lesson.players)))
    except (ValueError, TypeError) as wrong:
        yield "$.options", f"these house rules are wrong: {wrong}"
        return
    for number, step in enumerate(lesson.step):
        here = f"$.step[{number}]"
        if not step.part:
            yield here, f"step {step.name!r} has no [[step.part]]"
        try:
            yield from _check_start(lesson, step.start, here)
        except NotationError as wrong:
            yield f"{here}.start", str(wrong)
        for place, part in enumerate(step.part):
            yield from _check_part(lesson, part, f"{here}.part[{place}]")
    if lesson.round is not None:
        yield from _check_pattern(lesson, lesson.round.until, "$.round.until")


def _check_start(lesson: Lesson, start: tuple[str, ...], here: str) -> Iterator[tuple[str, str]]:
    setup = lesson.setup(tuple(range(lesson.players)))
    referee: Referee[Any] = Referee(
        lesson.rules, MemoryJournal(make_header(lesson.game, setup, kind="lesson"))
    )
    for line in start:
        entries = len(referee.journal.entries)
        judge_lines(referee, (line,), 0, referee.at + 1_000)
        new = referee.journal.entries[entries:]
        broken = [event for entry in new for event in entry.events if isinstance(event, ev.Infraction)]
        if broken:
            yield f"{here}.start", f"{line!r} breaks the rule {broken[0].rule}"
        elif not any(entry.events for entry in new) and line != "time":
            yield f"{here}.start", f"{line!r} can't be done there"
    if lesson.rules.is_window_open(referee.state):
        yield f"{here}.start", "a step can't begin during a count"


def _check_part(lesson: Lesson, part: LessonPart, here: str) -> Iterator[tuple[str, str]]:
    if part.quiz and part.wait is not None:
        yield f"{here}.quiz", "a part asks a question or waits for a move, not both"
    if len(part.quiz) > MAX_ANSWERS:
        yield f"{here}.quiz", f"{len(part.quiz)} answers have no room; {MAX_ANSWERS} have"
    if part.quiz and not 1 <= part.right <= len(part.quiz):
        yield f"{here}.right", f"the right answer is one of 1 to {len(part.quiz)}"
    if part.quiz_cards and len(part.quiz_cards) != len(part.quiz):
        yield f"{here}.quiz_cards", "cards for each answer, or for none"
    if part.quiz and not part.otherwise:
        yield f"{here}.quiz", "add `otherwise`: what to say to a wrong answer"
    if len(part.does) > 1:
        yield f"{here}.does", "one deed at a time: the next one is the next part"
    if (part.does or part.others or part.wrong) and part.wait is None:
        yield here, "deeds without `wait`: for what?"
    for key in ("does", "others"):
        for line in getattr(part, key):
            try:
                parse_line(line, 0, lesson.players)
            except NotationError as wrong:
                yield f"{here}.{key}", str(wrong)
    yield from _check_seats(lesson, (*part.does, *part.others), here)
    if part.wait is not None:
        yield from _check_pattern(lesson, part.wait, f"{here}.wait")
    for wrong_one in part.wrong:
        yield from _check_pattern(lesson, wrong_one.event, f"{here}.wrong")


def _check_seats(lesson: Lesson, written: Iterable[object], here: str) -> Iterator[tuple[str, str]]:
    """Checks the seats: they wrap round the table, so one that is too high would silently be another."""
    for words in written:
        for number in NAMED.findall(words) if isinstance(words, str) else ():
            if int(number) > lesson.players:
                yield here, f"{words!r}: only {lesson.players} sit there"


def _check_layout(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Checks that the lay-out is possible."""
    file = deck_folder(lesson.game).with_suffix(".toml")
    source = file.read_text(encoding="utf-8") if file.exists() else "card = []"  # a game without cards
    cards = [row["id"] for row in tomllib.loads(source)["card"]]
    for number, step in enumerate(lesson.step):
        for place, lying in step.lay.items():
            here = f"$.step[{number}].lay.{place}"
            yield from _check_seats(lesson, [place], here)
            for card in lying:
                name = card.removesuffix("@180")
                if name not in cards:
                    close = ", ".join(get_close_matches(name, cards, n=3)) or ", ".join(cards[:3])
                    yield here, f"{lesson.game} has no card {card!r}; there are {close}"


def _check_pattern(lesson: Lesson, pattern: EventPattern, here: str) -> Iterator[tuple[str, str]]:
    kinds = {ev.kind_of(kind): kind for kind in typing.get_args(lesson.rules.events)}
    name = pattern.get("event")
    if name not in kinds:
        close = ", ".join(get_close_matches(str(name), kinds, n=3)) or ", ".join(sorted(kinds))
        yield here, f"{lesson.game} has no ruling {name!r}; there are {close}"
        return
    yield from _check_seats(lesson, pattern.values(), here)
    for field in pattern:
        if field != "event" and field not in kinds[name].__struct_fields__:
            has = ", ".join(kinds[name].__struct_fields__) or "nothing"
            yield here, f"{name} has no {field!r}; it has {has}"


def _check_words(lesson: Lesson, known: Known, languages: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for path, key in catalogue_keys(lesson):
        if "." not in key:
            continue  # numbers and labels are the same in every language
        for code in languages:
            own = key in lesson.text.get(code, {})
            if not own and not known(code, key) and (code == languages[0] or not _is_own_key(lesson, key)):
                yield path, f"there is no sentence {key!r} in {code}"


def _check_own_words(lesson: Lesson, languages: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Checks the sentences that the lesson itself brings along."""
    for code, words in lesson.text.items():
        if code not in languages:
            yield f"$.text.{code}", f"no language {code!r}; there are {', '.join(languages)}"
        for key, sentence in words.items():
            try:
                sentence.format_map({"chair": ""})
            except (ValueError, AttributeError, KeyError, IndexError):
                yield (
                    f"$.text.{code}.{key}",
                    "of braces only {chair} has a meaning; write {{ for one that is shown",
                )


def _is_own_key(lesson: Lesson, key: str) -> bool:
    return any(key in words for words in lesson.text.values())


def catalogue_keys(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Every catalogue key, with where it is used."""
    yield "$.title", lesson.title
    for number, step in enumerate(lesson.step):
        here = f"$.step[{number}]"
        yield f"{here}.title", step.title
        for place, part in enumerate(step.part):
            at = f"{here}.part[{place}]"
            yield f"{at}.say", part.say
            for key in ("otherwise", "well"):
                if getattr(part, key):
                    yield f"{at}.{key}", getattr(part, key)
            yield from ((f"{at}.quiz", answer) for answer in part.quiz)
            yield from ((f"{at}.wrong", wrong.say) for wrong in part.wrong)
    if lesson.round is not None:
        yield "$.round.say", lesson.round.say
        if lesson.round.well:
            yield "$.round.well", lesson.round.well


def _check_walk(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Goes through every part correctly once, and tries everything else the learner could do."""
    for step, one in enumerate(lesson.step):
        for place, part in enumerate(one.part):
            here = f"$.step[{step}].part[{place}]"
            if part.wait is None:
                continue
            rehearsal = Rehearsal(lesson)
            if not rehearsal.skip_to(step, place):
                yield here, "doing everything before it never leads to this part"
                return
            rehearsal.run_until_asked()
            if part.does and rehearsal.course.kind == "wait" and rehearsal.right_action() is None:
                yield f"{here}.does", f"{part.does[0]!r} isn't allowed when the lesson waits for it"
                continue
            mistakes = rehearsal.other_actions()
            if not rehearsal.do_part():
                said = f"{part.does[0]!r}" if part.does else "doing nothing"
                yield (f"{here}.does" if part.does else here), f"{said} does not lead to {part.wait['event']}"
                continue
            for action in mistakes:
                again = Rehearsal(lesson)
                again.skip_to(step, place)
                again.run_until_asked()
                if again.perform(action) == "wait" and not again.do_part():
                    yield here, f"after '{action}' the lesson waits forever"
