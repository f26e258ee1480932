"""House rules of a game as questions: what the set-up page asks, and the catalogue needs words for."""

from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.actions import Options, Value
from companion.core.view import Sentence


class HouseRule(Value, frozen=True):
    """One question; its text is `<game>.option.<key>`."""

    key: str
    value: str | int
    choices: tuple[str | int, ...]
    counts: bool = False
    """Whether it asks for a number between bounds."""

    @property
    def next_choice(self) -> str | int:
        """The choice after the present one."""
        return self.choices[(self.choices.index(self.value) + 1) % len(self.choices)]

    def answer(self, game: str, choice: str | int | None = None) -> Sentence:
        """A choice, the present one by default: `<game>.option.<key>.<choice>`, of a number `….number`."""
        key, choice = f"{game}.option.{self.key}", self.value if choice is None else choice
        if self.counts:
            return Sentence(f"{key}.number", (("number", choice),))
        return Sentence(f"{key}.{choice_key(choice)}")


MAX_NUMBERS = 100
"""Numbers that somebody steps through on the screen; one of more is left to the settings file."""


def house_rule_questions(options: Options) -> tuple[HouseRule, ...]:
    """All questions that leave a choice, each with the answers that go with the others given."""
    told = msgspec.inspect.type_info(type(options))
    assert isinstance(told, msgspec.inspect.StructType)
    found = []
    for field in told.fields:
        choices, value = _choices(field.type), getattr(options, field.name)
        if choices and value is msgspec.UNSET:  # left out of what is written: it stands for its first choice
            value = choices[0]
        if len(choices) > 1:
            fitting = tuple(
                choice
                for choice in choices
                if choice == value or with_choice(options, field.name, choice).find_conflict() is None
            )
            counts = isinstance(field.type, msgspec.inspect.IntType)
            found.append(HouseRule(field.name, value, fitting, counts))
    return tuple(found)


def _choices(kind: msgspec.inspect.Type) -> tuple[str | int, ...]:
    match kind:
        case msgspec.inspect.BoolType():
            return (True, False)
        case msgspec.inspect.LiteralType():
            return tuple(value for value in kind.values if isinstance(value, (str, int)))
        case msgspec.inspect.IntType(ge=int() as least, le=int() as most) if most - least < MAX_NUMBERS:
            return tuple(range(least, most + 1))
    return ()


def with_choice(options: Options, key: str, value: Any) -> Options:
    """The options with one question answered otherwise."""
    return replace(options, **{key: value})


def choice_key(value: str | int) -> str:
    """How a choice is named in the catalogue's keys."""
    return str(value).lower() if isinstance(value, bool) else str(value)
