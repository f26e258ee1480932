"""Validation of one settings layer, with the line and a suggestion for each mistake."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, UNSET, Meta, Struct, ValidationError
from msgspec.structs import FieldInfo

from companion.core.actions import Options
from companion.core.errors import InputError
from companion.system.safe_files import parse_toml
from companion.system.toml_lines import KeyPath, find_key_lines

Games = Mapping[str, type[Options]]
INSTALLED_WORDS = "offered"
"""In the `extra` of a setting's type: lists the words it takes, which only this installation knows."""
MAX_MISTAKES = 20
"""Faults of one layer that are listed, each with its line and what was meant; the others are only counted."""
MAX_QUOTE_LENGTH = 60
"""Characters of a stranger's key or value, as a sentence quotes it."""


UNCLOSED = re.compile(r"""[^#"']*=\s*("[^"]*|'[^']*)$""")
SLIPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(".*[\u2018-\u201f\u00ab\u00bb]"), 'use straight quotes ", not curly ones'),
    (
        re.compile("[^#]*[\u00a0\u2007\u202f]"),
        "write plain spaces: one here was copied from a page or a text program",
    ),
    (re.compile(r"[^#]*=\s*0\d"), "a number has no 0 before it"),
    (re.compile(r"[^#]*=\s*\d+,\d"), "write a dot in a number, not a comma"),
    (UNCLOSED, "a closing quote is missing"),
    (re.compile(r"\s*\[{1,2}[^][#]*(#|$)"), "a closing ] is missing"),
    (re.compile(r"[^#]*=\s*\{[^}#]*(#|$)"), "a closing } is missing"),
    (re.compile(r"[^#]*=\s*\"[^\"]*\\"), "write / for \\ in a path"),
    (re.compile(r"\s*[\w.-]+\s*(:|\s[^=]*$)"), "between a name and its value belongs ="),
    (re.compile(r"[^#]*=\s*(?i:true|yes|on|false|no|off)\b"), "write true or false, in small letters"),
    (re.compile(r"[^#=]*=\s*[A-Za-z]"), "write a number in digits, and a word in quotes"),
)
"""What a line looks like that people get wrong, and the remedy."""
REFUSALS: Mapping[str, str] = {
    "Cannot": "this is there twice: keep one, with the lines of both",
    "Expected newline": "take away what follows the value; a remark begins with #",
}
"""How the parser's word of a line begins where no look at it tells, and the remedy."""


class SettingsError(InputError):
    """Settings that cannot be used: one sentence per mistake."""


class SettingsLayer(Struct, frozen=True):
    """One layer: its values by key, its mistakes, and how to name a value's origin."""

    where: str
    values: dict[KeyPath, Any]
    problems: tuple[str, ...] = ()
    names: dict[KeyPath, str] = {}
    text: str = ""
    """What was read, if it was text."""

    def origin(self, key: KeyPath) -> str:
        return self.names.get(key, self.where)

    def location(self, key: KeyPath) -> str:
        """Where `key` is said: its origin, and the line."""
        line = find_key_lines(self.text).get(key) if self.text else None
        return self.origin(key) + (f", line {line}" if line else "")

    def with_problems(self, more: list[str]) -> SettingsLayer:
        return msgspec.structs.replace(self, problems=(*self.problems, *more))


def parse_toml_layer(text: str, where: str) -> dict[str, Any]:
    """The TOML in `text`; raises `SettingsError` with line and column if it is not TOML."""
    try:
        return parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error))
        lines = text.split("\n")
        open_ended = next((number for number, line in enumerate(lines, 1) if UNCLOSED.match(line)), 0)
        what, number = (found[1], int(found[2])) if found else (str(error), open_ended)
        line, place = (lines[number - 1], f"line {number}") if number else ("", "at its end")
        fixes = [fix for looks, fix in SLIPS if looks.match(line)]
        fixes += [fix for begins, fix in REFUSALS.items() if what.startswith(begins)]
        why = fixes[0] if fixes else f"this isn't TOML ({what.lower()})"
        raise SettingsError(f"{where}, {place}: {why}.") from None
    except ValueError as error:
        raise SettingsError(f"{where} isn't a settings file: {error}.") from None


def read_layer(
    source: str | Mapping[str, Any],
    where: str,
    kind: type[Struct],
    games: Games,
    *,
    names: Mapping[KeyPath, str] | None = None,
) -> SettingsLayer:
    """What one layer says, as TOML text or as a tree, checked leaf by leaf."""
    tree = parse_toml_layer(source, where) if isinstance(source, str) else source
    named = dict(names or {})
    everywhere = [key for key, _, _ in iterate_settings(kind, games)]
    checker = _Checker(games, everywhere)
    values = dict(checker.struct(kind, tree, ()))
    lines = find_key_lines(source) if isinstance(source, str) and checker.mistakes else {}
    problems = []
    for key, sentence in checker.mistakes:
        place = named.get(key, where) + (f", line {lines[key]}" if key in lines else "")
        problems.append(f"{place}: {sentence}" + ("" if sentence.endswith("?") else "."))
    if checker.more:
        problems.append(f"{where}: and {checker.more} more mistakes; fix these first.")
    layer = SettingsLayer(where, values, tuple(problems), named, source if isinstance(source, str) else "")
    return layer.with_problems(find_conflicts([layer], games))


def find_conflicts(layers: Sequence[SettingsLayer], games: Games) -> list[str]:
    """House rules that do not go together, as these layers say them; the first that says a key wins."""
    said = {key: layer for layer in reversed(layers) for key in layer.values if key[0] == "rules"}
    found = []
    for game, kind in games.items():
        values = {key[2]: layer.values[key] for key, layer in said.items() if key[1] == game}
        pair = msgspec.convert(values, kind).find_conflict()
        if pair is None:
            continue
        one, other = (("rules", game, name) for name in pair)
        fitting = [
            _quote_value(word)
            for word in _literal_words(fields_by_name(kind)[pair[1]])
            if msgspec.convert({**values, pair[1]: word}, kind).find_conflict() is None
        ]
        found.append(
            f"{said[other].location(other)}: "
            f"{_assignment_text(other, values[pair[1]])} does not go with "
            f"{_assignment_text(one, values[pair[0]])} ({said[one].location(one)}); "
            f"write {' or '.join(fitting)}."
        )
    return found


def _assignment_text(key: KeyPath, value: Any) -> str:
    return f"{'.'.join(key)} = {_quote_value(value)}"


def fields_by_name(kind: type[Struct]) -> dict[str, Any]:
    """The types of a section's keys."""
    return {field.encode_name: field.type for field in fields_of(kind)}


@cache
def fields_of(kind: type[Struct]) -> tuple[FieldInfo, ...]:
    """The fields of a section; every layer asks for them, and finding their types takes a while."""
    return msgspec.structs.fields(kind)


def iterate_settings(
    kind: type[Struct], games: Games, above: KeyPath = ()
) -> Iterator[tuple[KeyPath, Any, Any]]:
    """Every single setting as (key, type, default), in the order of its declaration."""
    for field in fields_of(kind):
        key = (*above, field.encode_name)
        if key == ("rules",):
            for game, options in games.items():
                yield from iterate_settings(options, games, (*key, game))
        elif _is_struct(field.type):
            yield from iterate_settings(field.type, games, key)
        elif get_origin(field.type) is dict:
            names, value = get_args(field.type)
            for name in _literal_words(names):
                yield (*key, name), value, None
            if not _literal_words(names):  # whatever somebody names: one value with all of them
                yield key, field.type, None
        elif (choice := _default_choice(field)) is not None:
            yield key, choice, get_args(choice)[0]
        elif field.default is not UNSET:  # what only the program writes, where a game needs it, is no setting
            default = field.default if field.default is not NODEFAULT else field.default_factory
            yield key, field.type, default() if callable(default) else msgspec.to_builtins(default)


def _default_choice(field: Any) -> Any:
    """The choices of a setting that is not written down while nobody chose: its first one stands."""
    if field.default is not UNSET:
        return None
    return next((part for part in get_args(field.type) if get_origin(part) is Literal), None)


def parse_value(text: str, kind: Any) -> Any:
    """A value given as bare text, by the environment or on the command line."""
    try:
        return msgspec.to_builtins(msgspec.convert(text, kind, strict=False))
    except ValidationError:
        pass
    try:
        return parse_toml(f"value = {text}")["value"]
    except ValueError:
        return text


def suggest_key(word: str, known: Collection[str]) -> str:
    """The second half of a sentence that names an unknown key: what was probably meant."""
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    return f"which is unknown; did you mean {close[0]}?" if close else "which is unknown."


def describe_type(kind: Any) -> str:
    """A type in words."""
    words = installed_words(kind)
    return _describe_schema({"enum": words} if words else msgspec.json.schema(kind))


class _Checker:
    """Walks a tree beside its types and keeps every mistake it meets."""

    def __init__(self, games: Games, everywhere: Collection[KeyPath]) -> None:
        self.mistakes: list[tuple[KeyPath, str]] = []
        self.more = 0
        """How many mistakes there are beyond those listed."""
        self._games = games
        self._everywhere = everywhere

    def struct(self, kind: type[Struct], value: Any, key: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
        fields = fields_by_name(kind)
        for name, inner in self._section(value, key):
            here = (*key, name)
            if here == ("rules",):
                yield from self._rules(inner, here)
            elif name in fields:
                yield from self._value(fields[name], inner, here)
            else:
                self._add_mistake(here, self._describe_unknown_key, fields)

    def _rules(self, value: Any, key: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
        for game, inner in self._section(value, key):
            if game in self._games:
                yield from self.struct(self._games[game], inner, (*key, game))
            else:
                self._add_mistake((*key, game), self._describe_unknown_key, self._games)

    def _value(self, kind: Any, value: Any, key: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
        if _is_struct(kind):
            yield from self.struct(kind, value, key)
        elif get_origin(kind) is dict:
            names, inner_kind = get_args(kind)
            words = _literal_words(names)
            if not words:
                yield from self._check_named_values(names, inner_kind, value, key, ())
                return
            for name, inner in self._section(value, key):
                if name in words:
                    yield from self._value(inner_kind, inner, (*key, name))
                else:
                    self._add_mistake((*key, name), self._describe_unknown_key, words)
        else:
            if not _is_valid(value, kind):
                self._add_mistake(key, self._describe_mismatch, kind, value)
                return
            twice = _duplicates(kind, value)
            if isinstance(value, str) and "\0" in value:
                self._add_mistake(key, _is_cut)
            elif twice:
                self._add_mistake(key, _is_twice, twice[0])
            else:
                yield key, value

    def _check_named_values(
        self, names: Any, kind: Any, value: Any, key: KeyPath, below: KeyPath
    ) -> Iterator[tuple[KeyPath, Any]]:
        """What somebody named as they liked: a name with dots may be said as a section in a section."""
        for part, inner in self._section(value, (*key, *below)):
            path = (*below, part)
            if isinstance(inner, Mapping):
                yield from self._check_named_values(names, kind, inner, key, path)
            elif not _is_valid(".".join(path), names):
                self._add_mistake((*key, *path), self._describe_unknown_key, ())
            else:
                yield from (
                    ((*key, ".".join(path)), one) for _, one in self._value(kind, inner, (*key, *path))
                )

    def _section(self, value: Any, key: KeyPath) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Mapping):
            yield from value.items()
        else:
            self._add_mistake(key, _is_section)

    def _add_mistake(self, key: KeyPath, describe: Callable[..., str], *about: Any) -> None:
        """Keep a mistake; finding what was meant is slow, so only the first `MAX_MISTAKES` are kept."""
        if len(self.mistakes) < MAX_MISTAKES:
            self.mistakes.append((key, describe(key, *about)))
        else:
            self.more += 1

    def _describe_mismatch(self, key: KeyPath, kind: Any, value: Any) -> str:
        sentence = f"{'.'.join(key)} must be {describe_type(kind)}, not {_quote_value(value)}"
        words = _literal_words(kind)
        close = get_close_matches(value, words, n=1) if isinstance(value, str) else []
        return f'{sentence}; did you mean "{close[0]}"?' if close else sentence

    def _describe_unknown_key(self, key: KeyPath, known: Collection[str]) -> str:
        """A key that is none: it stands in another section, is misspelt here, or both."""
        elsewhere = {other[-1]: other for other in self._everywhere}
        here = get_close_matches(key[-1], known, n=1, cutoff=0.6)
        there = get_close_matches(key[-1], elsewhere, n=1, cutoff=0.75)
        section = key[-1:] if key[-1] in {other[0] for other in self._everywhere} else ()
        if (section := section or elsewhere.get(key[-1], ())[:-1]) and len(key) > 1:
            above, under = ".".join(key[:-1]), ".".join(section)
            hint = f"it stands under [{above}]: move it under the line [{under}], or write that line, too"
        elif key[-1] in elsewhere or (there and not here):
            hint = f'did you mean "{".".join(elsewhere[there[0]])}"?'
        elif here:
            hint = f'did you mean "{".".join((*key[:-1], here[0]))}"?'
        else:
            hint = f"known here: {', '.join(known) or 'nothing'}"
        return f"{_quote_key(key)} is not a setting; {hint}"


def _is_section(key: KeyPath) -> str:
    dotted = ".".join(key)
    return f"{dotted} is a section; write [{dotted}] and its keys below it"


def _is_cut(key: KeyPath) -> str:
    return f"{'.'.join(key)} contains the character NUL; take it out"


def _is_twice(key: KeyPath, value: Any) -> str:
    return f"{'.'.join(key)} has {_quote_value(value)} twice; keep one"


def _quote_key(key: KeyPath) -> str:
    """A key of a stranger, in quotes and cut to what can be read."""
    text = ".".join(key)
    return f'"{text}"' if len(text) <= MAX_QUOTE_LENGTH else f'"{text[: MAX_QUOTE_LENGTH - 3]}…"'


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def installed_words(kind: Any) -> tuple[str, ...]:
    """The words that a setting takes where only this installation knows them; else none."""
    metas = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
    extras = [meta.extra or {} for meta in metas if isinstance(meta, Meta)]
    return next((tuple(extra[INSTALLED_WORDS]()) for extra in extras if INSTALLED_WORDS in extra), ())


def _is_valid(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except ValidationError:
        return False
    words = installed_words(kind)
    return not words or value in words


def _literal_words(kind: Any) -> tuple[str, ...]:
    listed = installed_words(kind) or msgspec.json.schema(kind).get("enum", ())
    return tuple(word for word in listed if isinstance(word, str))


def _duplicates(kind: Any, value: Any) -> list[Any]:
    """What stands twice in a list that has everything once."""
    if not msgspec.json.schema(kind).get("uniqueItems"):
        return []
    return [item for place, item in enumerate(value) if item in value[:place]]


def _describe_schema(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(_quote_value(word) for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_describe_schema(choice) for choice in schema["anyOf"])
    if "prefixItems" in schema:
        inner = ", ".join(_describe_schema(item) for item in schema["prefixItems"])
        return f"a list of {inner}"
    match schema.get("type"):
        case "boolean":
            return "true or false"
        case "integer":
            return f"a whole number{_describe_limits(schema)}"
        case "number":
            return f"a number{_describe_limits(schema)}"
        case "array":
            longest = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
            return f"a list{longest}, each {_describe_schema(schema.get('items', {}))}"
        case "string":
            longest = f" of at most {schema['maxLength']} characters" if "maxLength" in schema else ""
            form = f" ({schema['description']})" if "description" in schema else ""
            return f"text in quotes{longest}{form}"
    return "another kind of value"


def _describe_limits(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    return f" from {low} to {high}" if low is not None and high is not None else ""


def _quote_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a section"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_QUOTE_LENGTH else text[: MAX_QUOTE_LENGTH - 3] + "…"
