"""Reads one layer of settings against its types: what is wrong, in which line, and what was meant."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Struct, ValidationError
from msgspec.structs import FieldInfo

from companion.core.actions import Options
from companion.core.errors import InputError

Key = tuple[str, ...]
Games = Mapping[str, type[Options]]
LARGEST = 1_000_000
"""Characters; no settings file of a table is longer."""


class SettingsError(InputError):
    """Settings that cannot be used: one sentence per mistake."""


class Reading(Struct, frozen=True):
    """One layer: its values by key, its mistakes, and how to name a value's origin."""

    where: str
    values: dict[Key, Any]
    problems: tuple[str, ...] = ()
    names: dict[Key, str] = {}
    text: str = ""
    """What was read, if it was text."""

    def origin(self, key: Key) -> str:
        return self.names.get(key, self.where)

    def place(self, key: Key) -> str:
        """Where `key` is said: its origin, and the line."""
        line = line_of(self.text, key) if self.text else None
        return self.origin(key) + (f", line {line}" if line else "")

    def with_problems(self, more: list[str]) -> Reading:
        return msgspec.structs.replace(self, problems=(*self.problems, *more))


def parse(text: str, where: str) -> dict[str, Any]:
    """The TOML in `text`; a mistake in its form names line and column."""
    if len(text) > LARGEST:
        raise SettingsError(f"{where} is longer than {LARGEST} characters; that is no settings file.")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error))
        what, place = (found[1], f"line {found[2]}") if found else (str(error), "at its end")
        raise SettingsError(f"{where}, {place}: this is not TOML ({what.lower()}).") from None
    except RecursionError:
        raise SettingsError(f"{where} is nested too deeply; that is no settings file.") from None


def read_layer(
    source: str | Mapping[str, Any],
    where: str,
    kind: type[Struct],
    games: Games,
    *,
    names: Mapping[Key, str] | None = None,
) -> Reading:
    """What one layer says, as TOML text or as a tree, checked leaf by leaf."""
    tree = parse(source, where) if isinstance(source, str) else source
    problems: list[str] = []
    named = dict(names or {})

    def report(key: Key, sentence: str) -> None:
        line = line_of(source, key) if isinstance(source, str) else None
        place = named.get(key, where) + (f", line {line}" if line else "")
        problems.append(f"{place}: {sentence}" + ("" if sentence.endswith("?") else "."))

    everywhere = [key for key, _, _ in leaves(kind, games)]
    checker = _Checker(report, games, everywhere)
    values = dict(checker.struct(kind, tree, ()))
    layer = Reading(where, values, tuple(problems), named, source if isinstance(source, str) else "")
    return layer.with_problems(clashes([layer], games))


def clashes(layers: Sequence[Reading], games: Games) -> list[str]:
    """House rules that do not go together, as these layers say them; the first that says a key wins."""
    said = {key: layer for layer in reversed(layers) for key in layer.values if key[0] == "rules"}
    found = []
    for game, kind in games.items():
        values = {key[2]: layer.values[key] for key, layer in said.items() if key[1] == game}
        pair = msgspec.convert(values, kind).clash()
        if pair is None:
            continue
        one, other = (("rules", game, name) for name in pair)
        fitting = [
            _shown(word)
            for word in _words(fields_by_name(kind)[pair[1]])
            if msgspec.convert({**values, pair[1]: word}, kind).clash() is None
        ]
        found.append(
            f"{said[other].place(other)}: {_said(other, values[pair[1]])} does not go with "
            f"{_said(one, values[pair[0]])} ({said[one].place(one)}); write {' or '.join(fitting)}."
        )
    return found


def _said(key: Key, value: Any) -> str:
    return f"{'.'.join(key)} = {_shown(value)}"


def fields_by_name(kind: type[Struct]) -> dict[str, Any]:
    """The types of a section's keys."""
    return {field.encode_name: field.type for field in fields_of(kind)}


@cache
def fields_of(kind: type[Struct]) -> tuple[FieldInfo, ...]:
    """The fields of a section; every layer asks for them, and finding their types takes a while."""
    return msgspec.structs.fields(kind)


def leaves(kind: type[Struct], games: Games, above: Key = ()) -> Iterator[tuple[Key, Any, Any]]:
    """Every single setting as (key, type, default), in the order of its declaration."""
    for field in fields_of(kind):
        key = (*above, field.encode_name)
        if key == ("rules",):
            for game, options in games.items():
                yield from leaves(options, games, (*key, game))
        elif _is_struct(field.type):
            yield from leaves(field.type, games, key)
        elif get_origin(field.type) is dict:
            names, value = get_args(field.type)
            for name in _words(names):
                yield (*key, name), value, None
        else:
            default = field.default if field.default is not NODEFAULT else field.default_factory
            yield key, field.type, default() if callable(default) else msgspec.to_builtins(default)


def from_text(text: str, kind: Any) -> Any:
    """A value given as bare text, by the environment or on the command line."""
    try:
        return msgspec.to_builtins(msgspec.convert(text, kind, strict=False))
    except ValidationError:
        pass
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def line_of(text: str, key: Key) -> int | None:
    """The line where `key` is said: the first statement after which the file has it."""
    lines = text.splitlines(keepends=True)
    begins = 0
    for end in range(1, len(lines) + 1):
        try:
            place: Any = tomllib.loads("".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue  # in the middle of a value of several lines
        for name in key:
            place = place.get(name) if isinstance(place, dict) else None
        if place is not None:
            return begins + 1
        begins = end
    return None


def suggestion(word: str, known: Collection[str]) -> str:
    """The second half of a sentence that names an unknown key: what was probably meant."""
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    return f"which is unknown; did you mean {close[0]}?" if close else "which is unknown."


def expected(kind: Any) -> str:
    """A type in words."""
    return _in_words(msgspec.json.schema(kind))


class _Checker:
    """Walks a tree beside its types and reports every mistake it meets."""

    def __init__(self, report: Callable[[Key, str], None], games: Games, everywhere: Collection[Key]) -> None:
        self._report = report
        self._games = games
        self._everywhere = everywhere

    def struct(self, kind: type[Struct], value: Any, key: Key) -> Iterator[tuple[Key, Any]]:
        fields = fields_by_name(kind)
        for name, inner in self._section(value, key):
            here = (*key, name)
            if here == ("rules",):
                yield from self._rules(inner, here)
            elif name in fields:
                yield from self._value(fields[name], inner, here)
            else:
                self._unknown(here, fields)

    def _rules(self, value: Any, key: Key) -> Iterator[tuple[Key, Any]]:
        for game, inner in self._section(value, key):
            if game in self._games:
                yield from self.struct(self._games[game], inner, (*key, game))
            else:
                self._unknown((*key, game), self._games)

    def _value(self, kind: Any, value: Any, key: Key) -> Iterator[tuple[Key, Any]]:
        if _is_struct(kind):
            yield from self.struct(kind, value, key)
        elif get_origin(kind) is dict:
            names, inner_kind = get_args(kind)
            for name, inner in self._section(value, key):
                if name in _words(names):
                    yield from self._value(inner_kind, inner, (*key, name))
                else:
                    self._unknown((*key, name), _words(names))
        else:
            try:
                msgspec.convert(value, kind)
            except ValidationError:
                self._report(key, self._mismatch(kind, value, key))
                return
            twice = _twice(kind, value)
            if twice:
                self._report(key, f"{'.'.join(key)} has {_shown(twice[0])} twice; each once")
            else:
                yield key, value

    def _section(self, value: Any, key: Key) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Mapping):
            yield from value.items()
        else:
            dotted = ".".join(key)
            self._report(key, f"{dotted} is a section; write [{dotted}] and its keys below it")

    def _mismatch(self, kind: Any, value: Any, key: Key) -> str:
        sentence = f"{'.'.join(key)} must be {expected(kind)}, not {_shown(value)}"
        words = _words(kind)
        close = get_close_matches(value, words, n=1) if isinstance(value, str) else []
        return f'{sentence}; did you mean "{close[0]}"?' if close else sentence

    def _unknown(self, key: Key, known: Collection[str]) -> None:
        close = get_close_matches(key[-1], known, n=1, cutoff=0.6)
        elsewhere = [other for other in self._everywhere if other[-1] == key[-1]]
        if close:
            hint = f'did you mean "{".".join((*key[:-1], close[0]))}"?'
        elif elsewhere:
            hint = f'did you mean "{".".join(elsewhere[0])}"?'
        else:
            hint = f"known here: {', '.join(known) or 'nothing'}"
        self._report(key, f'"{".".join(key)}" is not a setting; {hint}')


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _words(kind: Any) -> tuple[str, ...]:
    listed = msgspec.json.schema(kind).get("enum", ())
    return tuple(word for word in listed if isinstance(word, str))


def _twice(kind: Any, value: Any) -> list[Any]:
    """What stands twice in a list that has everything once."""
    if not msgspec.json.schema(kind).get("uniqueItems"):
        return []
    return [item for place, item in enumerate(value) if item in value[:place]]


def _in_words(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(_shown(word) for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_in_words(choice) for choice in schema["anyOf"])
    if "prefixItems" in schema:
        inner = ", ".join(_in_words(item) for item in schema["prefixItems"])
        return f"a list of {inner}"
    match schema.get("type"):
        case "boolean":
            return "true or false"
        case "integer":
            return f"a whole number{_limits(schema)}"
        case "number":
            return f"a number{_limits(schema)}"
        case "array":
            longest = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
            return f"a list{longest}, each {_in_words(schema.get('items', {}))}"
        case "string":
            longest = f" of at most {schema['maxLength']} characters" if "maxLength" in schema else ""
            form = f" ({schema['description']})" if "description" in schema else ""
            return f"text in quotes{longest}{form}"
    return "another kind of value"


def _limits(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    return f" from {low} to {high}" if low is not None and high is not None else ""


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a section"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
