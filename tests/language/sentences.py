"""What the catalogues have to say."""

from __future__ import annotations

import ast
import re
import typing
from collections.abc import Container, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.pofile import read_po

from companion.core import events as shared
from companion.core.events import kind_of
from companion.core.rules import Rules
from companion.core.verbs import VerbRule
from companion.core.view import Sentence
from companion.games.kinapa.rules import judge, model
from companion.games.kinapa.rules.model import AnyKinapaEvent
from companion.language.language import family_key
from companion.system.fault_isolation import PART_OF_THREAD, SCREEN_NAMES
from tests.games.laws import verbs_of

RULE_FILES = Path(judge.__file__).parent
TELLING = frozenset(
    {
        *(
            "_infraction",
            "infraction_ruling",
            "Infraction",
            "_call_misplacement",
            "Repair",
            "void_window",
            "WindowVoided",
            "tr",
            "Sentence",
        ),
        *("run", "wrap", "report_failure", "switch_off"),
    }
)

BOOKKEEPING = {
    *(shared.PressBegan, shared.PressEnded, shared.ChoiceStepped, shared.GameUncovered),
    *(shared.ClocksStopped, shared.ClocksShifted, shared.TableUnseen),
    *(model.ButtonDown, model.ButtonUp),
}
"""Steps of a button, and that everything is looked at: silent in every game."""
FORGETTING = (model.ObjectForgotten, model.OpenCardsForgotten)
"""What goes back to a card that was covered since: silent."""
NOT_TOLD = {"rule", "reason", "then", "card", "cue_due", "first_beat", "by"}
BOT_EVENTS: dict[type, set[str]] = {
    model.AidLaid: {"bot", "face"},
    model.BotAsked: {"chair", "bot", "number"},
    model.DecksSwitched: {"chair", "bot"},
    model.SwitchAsked: set(),
}
"""What these tell is not simply what they hold."""


WITHOUT_WORDS = {shared.Infraction, shared.Repair, shared.WindowVoided}
"""Told by their rule, instruction or reason."""


@cache
def told_in(path: Path) -> tuple[ast.AST, ...]:
    """What may name a key in a module:

    calls of `TELLING` and whatever is assigned to `is_on_phone_screen`.
    """
    return tuple(node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if tells(node))


def tells(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=called):
            return last(called) in TELLING
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return last(target) in {"on_screen", "ON_SCREEN"}
        case _:
            return False


def last(node: ast.expr) -> str:
    """The last name of `package.module.name`."""
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))


def strings(node: ast.expr, game: str = "kinapa") -> list[str]:
    """The keys an expression can be; the areas of the verbs stand for `{said.area}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return strings(node.body, game) + strings(node.orelse, game)
    if isinstance(node, ast.JoinedStr) and ast.unparse(node).startswith("f'{said.area}."):
        verbs = verbs_of(game).values()
        areas = [verb.area for verb in verbs if isinstance(verb, VerbRule) and verb.area]
        return [area + ast.literal_eval(node.values[1]) for area in areas]
    return []


def events() -> dict[str, frozenset[str]]:
    """Every event's key and the parts its sentence has."""
    found = {}
    for cls in typing.get_args(AnyKinapaEvent):
        if cls in BOOKKEEPING | WITHOUT_WORDS | {model.CountDue, model.DeckEmptied, *FORGETTING}:
            continue
        hints = typing.get_type_hints(cls)
        parts = {
            {"seat": "chair"}.get(name, name)
            for name in cls.__struct_fields__
            if hints[name] in {int, str} and name not in NOT_TOLD
        }
        parts = BOT_EVENTS.get(cls, parts)
        game = "shared" if cls.__module__ == shared.__name__ else "kinapa"
        found[f"{game}.{kind_of(cls)}"] = frozenset(parts)
    return found


def parts() -> Iterator[str]:
    """The parts that may fail, each told by its name."""
    yield "judging"
    for path in sorted(RULE_FILES.parents[2].rglob("*.py")):
        for node in told_in(path):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and re.search(r"parts\.(run|guard|tell|fell)$", called):
                yield from strings(node.args[0])
    yield from PART_OF_THREAD.values()
    yield from SCREEN_NAMES.values()


@cache
def catalogue(code: str) -> dict[str, tuple[str, ...]]:
    """A catalogue as its file has it: key → its sentence, or its singular and plural."""
    source = Path(__file__).parents[2] / "assets" / "locale" / code / "LC_MESSAGES" / "companion.po"
    with source.open("rb") as text:
        read = read_po(text, locale=code, abort_invalid=True)
    return {
        message.id[0] if isinstance(message.id, tuple) else message.id: (
            message.string if isinstance(message.string, tuple) else (message.string,)
        )
        for message in read
        if message.id
    }


def has_words(words: Container[str], key: str) -> bool:
    """Whether a catalogue has a sentence, be it that of the game whose words this game uses."""
    return key in words or family_key(key) in words


def told(rules: Rules[Any], state: Any, before: Any, events: Iterable[shared.Event]) -> Iterator[Sentence]:
    """Everything a table is shown or told in one state."""
    view = rules.view(state)
    yield view.headline
    if view.hint is not None:
        yield view.hint
    yield from (deck.says for deck in view.bots if deck.says is not None)
    for chair in view.chairs:
        yield from (choice.label for choice in chair.choices)
    yield from (choice.label for choice in view.shared)
    yield from rules.restore_instructions(state, before)
    if (turn := rules.restored_turn(state, before)) is not None:
        yield turn
    for event in events:
        spoken = (rules.sentence(state, event, log=log) for log in (False, True))
        yield from (sentence for sentence in spoken if sentence is not None)
