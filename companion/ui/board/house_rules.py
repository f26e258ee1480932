"""House rules as questions with choices, derived from a game's options."""

from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.actions import Options, Value
from companion.core.view import Sentence


class HouseRule(Value, frozen=True):
    """One question; its text is `<game>.option.<key>`, that of a choice `<game>.option.<key>.<choice>`."""

    key: str
    value: str | int
    choices: tuple[str | int, ...]

    @property
    def next_choice(self) -> str | int:
        """The choice after the present one."""
        return self.choices[(self.choices.index(self.value) + 1) % len(self.choices)]


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
            found.append(HouseRule(field.name, value, fitting))
    return tuple(found)


def _choices(kind: msgspec.inspect.Type) -> tuple[str | int, ...]:
    match kind:
        case msgspec.inspect.BoolType():
            return (True, False)
        case msgspec.inspect.LiteralType():
            return tuple(value for value in kind.values if isinstance(value, (str, int)))
    return ()


def with_choice(options: Options, key: str, value: Any) -> Options:
    """The options with one question answered otherwise."""
    return replace(options, **{key: value})


MAX_SPOKEN_RULES = 4
"""House rules that are announced when a game starts: nobody listens to more."""


def spoken_rules(game: str, options: Options) -> tuple[Sentence, ...]:
    """What is announced when a game starts: that it is friendly, each rule that is not the rulebook's."""
    printed = {rule.key: rule.value for rule in house_rule_questions(type(options)())}
    other = [rule for rule in house_rule_questions(options) if rule.value != printed[rule.key]]
    friendly = (Sentence("shared.friendly"),) if options.friendly else ()
    if not other:
        return friendly
    keys = (f"{game}.option.{rule.key}" for rule in other[:MAX_SPOKEN_RULES])
    each = zip(keys, other, strict=False)
    told = (one for key, rule in each for one in (Sentence(key), Sentence(f"{key}.{choice_key(rule.value)}")))
    return (*friendly, Sentence("shared.house_rules"), *told)


def choice_key(value: str | int) -> str:
    """How a choice is named in the catalogue's keys."""
    return str(value).lower() if isinstance(value, bool) else str(value)
