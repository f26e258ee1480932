"""Turns sentences into written or spoken text in one language.

A catalogue's msgid is a key, its msgstr a whole sentence with named parts. Beside a `key` may stand
`key.<part>.<value>` (said instead when the part has that value), `key.bare` (when a part is missing) and
`key.spoken` (what the voice says where the screen shows more).

A sentence that begins with `{chair}, ` addresses a player. The address is a clip of its own, so it costs
one clip per chair and not one per chair and sentence; where nobody in particular is meant, it is left out.
"""

import ast
import io
import logging
import re
import string
import struct
from collections.abc import Iterator, Mapping
from copy import copy
from functools import cached_property, lru_cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from companion.core.actions import PALETTE, Chair
from companion.core.errors import CompanionError
from companion.core.view import Sentence, SentenceParts
from companion.games import GAMES, all_asset_folders
from companion.language import installed_languages
from companion.language.installed_languages import FALLBACK_LANGUAGE
from companion.system import safe_files
from companion.system.safe_files import SizeLimit
from companion.system.terminal import to_printable


class Translator(Protocol):
    """One language."""

    @property
    def code(self) -> str: ...

    @property
    def letters(self) -> str: ...

    def text(self, sentence: Sentence, names: Mapping[Chair, str] | None = None) -> str: ...

    def __contains__(self, key: object) -> bool: ...

    def tr(self, key: str, **parts: str | int) -> str: ...


def table_title(words: Translator, name: str, address: str) -> str:
    """What a table is called: its own name, else the last number of its address (`http://A.B.C.D:PORT`)."""
    host = address.rpartition("//")[2].partition(":")[0]
    return name or words.tr("ui.page.table", number=host.rpartition(".")[2])


ISO_DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(\d{2})")


def format_date(date: str, words: Translator, where: str = "recap") -> str:
    """A date as people write it, there; what is no date stays as it is."""
    found = ISO_DATE.match(date)
    if found is None:
        return date[:16]
    year, month, day = map(int, found.groups())
    named = words.tr(f"{where}.months").split()[month - 1]
    return words.tr(f"{where}.day", day=str(day), month=named, year=str(year))


UNPACKING_S = 2.0
"""An installed wheel is unpacked in any order: so much between two files means nothing."""
MAGIC = 0x950412DE
HEADER, ENTRY = struct.Struct("<7I"), struct.Struct("<2I")
PLURAL = "\0"
"""Between the two numbers of a key, and between the forms of its sentence."""


class LanguageError(CompanionError):
    """There is no such language, or its catalogue cannot be read."""


def read_catalogue(source: Path) -> GNUTranslations:
    """The catalogue at `source` (a `.po`), by the `.mo` beside it unless that is older or missing.

    What has not changed since it was read is not read again: to read one takes longer than a frame.
    """
    compiled = source.with_suffix(".mo")
    if compiled.exists() and (
        not source.exists() or compiled.stat().st_mtime >= source.stat().st_mtime - UNPACKING_S
    ):
        return _read_fresh(compiled)
    return _read_fresh(source)


def _read_fresh(file: Path) -> GNUTranslations:
    """A catalogue of its own, to which others may be added as fallbacks."""
    about = file.stat()
    return copy(_read_once(file, about.st_mtime_ns, about.st_size, about.st_ino))


@lru_cache(maxsize=16)
def _read_once(file: Path, *changed: int) -> GNUTranslations:
    if file.suffix == ".po":
        return GNUTranslations(compile_catalogue(file))
    return GNUTranslations(io.BytesIO(safe_files.read_bytes(file, SizeLimit.CATALOGUE)))


def compile_catalogue(source: Path) -> io.BytesIO:
    """A `.po` file as a `.mo` file; `LanguageError` names the line that cannot be read."""
    messages = sorted(_read_messages(source))
    texts = [text.encode() for text in (*(key for key, _ in messages), *(value for _, value in messages))]
    index, start = [], HEADER.size + ENTRY.size * len(texts)
    for text in texts:
        index.append(ENTRY.pack(len(text), start))
        start += len(text) + 1
    header = HEADER.pack(MAGIC, 0, len(messages), HEADER.size, HEADER.size + ENTRY.size * len(messages), 0, 0)
    return io.BytesIO(b"".join((header, *index, *(text + b"\0" for text in texts))))


def _read_messages(source: Path) -> Iterator[tuple[str, str]]:
    """Every message as a `.mo` file has it: key and sentence, each with its plural behind it."""
    entry: dict[str, str] = {}
    field, doubtful, fuzzy = "", False, False
    for number, line in enumerate(safe_files.read_text(source, SizeLimit.CATALOGUE).splitlines(), 1):
        word, _, quoted = line.strip().partition(" ")
        if word.startswith("#"):
            doubtful |= word == "#," and "fuzzy" in quoted
            continue
        if word.startswith('"'):
            quoted = line.strip()
        elif word == "msgid":
            yield from _entry_messages(entry, fuzzy=fuzzy)
            entry, field, fuzzy, doubtful = {}, word, doubtful, False
        elif word:
            field = word
            if trouble := _order_error(field, entry):
                raise LanguageError(f"{source}, line {number}: {trouble}")
        else:
            continue
        try:
            entry[field] = entry.get(field, "") + ast.literal_eval(quoted)
        except (SyntaxError, ValueError, TypeError) as error:
            raise LanguageError(f"{source}, line {number}: this is not a line of a catalogue.") from error
    yield from _entry_messages(entry, fuzzy=fuzzy)


def _order_error(field: str, entry: Mapping[str, str]) -> str:
    """Why `field` cannot follow what `entry` has so far: forms need a plural, a plural needs forms."""
    if field.startswith("msgstr[") and "msgid_plural" not in entry:
        return f"{field} needs a line msgid_plural before it, or is called msgstr."
    if field == "msgstr" and "msgid_plural" in entry:
        return "after msgid_plural the forms are called msgstr[0], msgstr[1] and so on."
    return ""


def _entry_messages(entry: Mapping[str, str], *, fuzzy: bool) -> Iterator[tuple[str, str]]:
    """One entry, if it is translated and nobody doubts it; the head of the file always."""
    forms = [text for field, text in entry.items() if field.startswith("msgstr")]
    if all(forms) and forms and (not fuzzy or not entry["msgid"]):
        yield PLURAL.join((entry["msgid"], *filter(None, [entry.get("msgid_plural")]))), PLURAL.join(forms)


COUNTED_PARTS = ("count", "left", "cards")
"""Parts that decide between singular and plural where a sentence has several numbers."""
WHO = ("chair", "seat", "bot")
"""What a part is called, or ends in after `_`, whose number says who and not how many."""
MANY, MS, BUTTON = "many", "ms", "button"
"""Parts that a language has its own words for: a small number, milliseconds, a shared button."""
SPOKEN, BARE = ".spoken", ".bare"
ADDRESS, ADDRESSING = "shared.address", "{chair}, "
"""The key of an address, and how a sentence begins that has one."""
CACHE_SIZE = 2_000
"""Choices of a sentence that are remembered."""

log = logging.getLogger(__name__)


class _PartsWithGaps(dict[str, str]):
    """Parts of a sentence; one that is missing leaves a gap instead of an error in the middle of a game."""

    def __missing__(self, name: str) -> str:
        return "…"


class Language:
    """One language of the table, with English behind it, and the key itself behind that."""

    def __init__(
        self,
        code: str,
        colours: tuple[str, ...] = PALETTE,
        locale: Path | None = None,
        own: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    ) -> None:
        """`own`: language → key → sentence, for what brings its own words along."""
        self.code = code
        self._words = {**own.get(FALLBACK_LANGUAGE, {}), **own.get(code, {})}
        self.colours = colours
        """Colour of each chair, chair 1 first."""
        self._locale = locale
        self._own = self._catalogue(code)
        self.letters = installed_languages.find_language(code).about.letters
        """The keys of the screen's keyboard."""
        self._missed: set[str] = set()
        self._found: dict[tuple[object, ...], tuple[str, str]] = {}

    def text(self, sentence: Sentence, names: Mapping[Chair, str] | None = None) -> str:
        """The sentence as it is written; chairs by name where they have one, else by colour."""
        return self._render(sentence, names or {}, spoken=False)

    def speech_text(self, sentence: Sentence) -> str:
        """The sentence as it is said: chairs by colour, at most one part that varies."""
        return self._render(sentence, {}, spoken=True)

    def tr(self, key: str, **parts: str | int) -> str:
        """The sentence of `key` with its parts filled in."""
        return self._render(Sentence(key, tuple(parts.items())), {}, spoken=False)

    def chair_name(self, chair: Chair, names: Mapping[Chair, str] | None = None) -> str:
        """What a chair's person is called."""
        return to_printable((names or {}).get(chair, "")) or self.tr(f"ui.colour.{self.colours[chair]}")

    def bot_name(self, owner: int, names: Mapping[Chair, str] | None = None) -> str:
        """The name of a deck that no player holds; below 0 it has no owner."""
        return self.tr("ui.bot") if owner < 0 else self.tr("ui.bot.of", chair=self.chair_name(owner, names))

    def clip_name(self, sentence: Sentence) -> str:
        """The name of the clip that says the sentence after its address: its key and the part that varies."""
        key, template = self._cached_template(sentence, spoken=True)
        values = dict(sentence.parts)
        varying = part_names(template.removeprefix(ADDRESSING))
        wanted = [self._value(name, values[name]) for name in varying if name in values]
        return ".".join([key.removesuffix(SPOKEN), *wanted])

    def address_part(self, sentence: Sentence) -> Sentence | None:
        """The address a sentence begins with, a sentence of its own; None where it addresses nobody."""
        _, template = self._cached_template(sentence, spoken=True)
        chair = dict(sentence.parts).get("chair")
        if chair is None or not template.startswith(ADDRESSING):
            return None
        return Sentence(ADDRESS, (("chair", chair),))

    def has_words_for(self, sentence: Sentence) -> bool:
        """Whether this language itself has words for it, with no help from English."""
        keys = [
            one
            for key in filter(None, (sentence.key, family_key(sentence.key)))
            for one in template_keys(key, sentence.parts, spoken=False)
        ]
        return any(
            key in self._words or find_template(self._own, key, sentence.parts) is not None for key in keys
        )

    def __contains__(self, key: object) -> bool:
        keys = (key, family_key(key)) if isinstance(key, str) else ()
        return any(self._template(one, ()) is not None for one in filter(None, keys))

    def _value(self, name: str, value: str | int) -> str:
        return self.colours[value] if is_chair_part(name) and isinstance(value, int) else str(value)

    def _render(self, sentence: Sentence, names: Mapping[Chair, str], *, spoken: bool) -> str:
        _, template = self._cached_template(sentence, spoken=spoken)
        if template.startswith(ADDRESSING) and "chair" not in dict(sentence.parts):
            template = without_address(template)
        parts = _PartsWithGaps((name, self._part(name, value, names)) for name, value in sentence.parts)
        return template.format_map(parts)

    def _part(self, name: str, value: str | int, names: Mapping[Chair, str]) -> str:
        if isinstance(value, int) and is_chair_part(name):
            return self.chair_name(value, names)
        if isinstance(value, int) and name == "bot":
            return self.bot_name(value, names)
        if name == MANY and (word := f"ui.many.{value}") in self:
            return self.tr(word)
        if name == BUTTON and (word := f"ui.button.{value}") in self:
            return self.tr(word)
        if name == MS:
            return str(value).replace(".", self.tr("ui.decimal"))
        return to_printable(str(value))

    def _cached_template(self, sentence: Sentence, *, spoken: bool) -> tuple[str, str]:
        """The catalogue's key for this sentence with these parts, and its text; pages ask for it often."""
        asked = (sentence, spoken, *(type(value) for _, value in sentence.parts))  # True is not 1
        if asked not in self._found:
            if len(self._found) >= CACHE_SIZE:
                self._found.clear()
            self._found[asked] = self._select_template(sentence, spoken=spoken)
        return self._found[asked]

    def _select_template(self, sentence: Sentence, *, spoken: bool) -> tuple[str, str]:
        key, parts = sentence.key, sentence.parts
        found = self._find_template(key, parts, spoken=spoken)
        if found is None and (family := family_key(key)) is not None:
            found = self._find_template(family, parts, spoken=spoken)
        if found is not None:
            return found
        if key not in self._missed:
            self._missed.add(key)
            log.warning("No sentence for %r in %s", key, self.code)
        return key, key.replace("{", "{{").replace("}", "}}")

    def _find_template(self, key: str, parts: SentenceParts, *, spoken: bool) -> tuple[str, str] | None:
        for candidate in template_keys(key, parts, spoken=spoken):
            template = self._template(candidate, parts)
            if template is None:
                continue
            bare = self._template(key + BARE, parts)
            is_whole = bare is None or {name for name, _ in parts} >= set(part_names(template))
            return (candidate, template) if bare is None or is_whole else (key + BARE, bare)
        return None

    def _template(self, key: str, parts: SentenceParts) -> str | None:
        if key in self._words:
            return self._words[key]
        found = find_template(self._own, key, parts)
        if self.code == FALLBACK_LANGUAGE or (found is not None and is_well_formed(found)):
            return found
        return find_template(self._english, key, parts)

    @cached_property
    def _english(self) -> NullTranslations:
        return self._catalogue(FALLBACK_LANGUAGE)

    def _catalogue(self, code: str) -> NullTranslations:
        if self._locale is not None:
            return load_catalogue(self._locale, code)
        try:
            own = load_catalogue(installed_languages.find_language(code).folder.parent, code)
        except LanguageError as trouble:
            if installed_languages.is_bundled_language(code):
                raise
            log.warning("%s", trouble)
            own = NullTranslations()
        return add_game_catalogues(own, code)


def is_chair_part(name: str) -> bool:
    """Whether a part of a sentence is said as the name of a player."""
    return name.rpartition("_")[2] == "chair"


def without_address(template: str) -> str:
    """A sentence that addresses a player, without the address."""
    said = template.removeprefix(ADDRESSING)
    return said[:1].upper() + said[1:]


def template_keys(key: str, parts: SentenceParts, *, spoken: bool) -> Iterator[str]:
    """The catalogue's keys for a sentence, the most particular first."""
    for base in (*(f"{key}.{name}.{value}" for name, value in parts), key):
        if spoken:
            yield base + SPOKEN
        yield base


def find_template(catalogue: NullTranslations, key: str, parts: SentenceParts) -> str | None:
    """The text of `key`, in the number that its counted part asks for."""
    count = plural_number(parts)
    template = catalogue.ngettext(key, key, 1 if count is None else count)  # gettext finds no forms in 3.11.2
    if template == key:
        template = catalogue.gettext(key)
    return None if template == key else template


def plural_number(parts: SentenceParts) -> int | None:
    """The number that decides between singular and plural:

    the only one, else the first of `COUNTED_PARTS`.
    """
    numbers = {
        name: value for name, value in parts if isinstance(value, int) and name.rpartition("_")[2] not in WHO
    }
    if len(numbers) == 1:
        return next(iter(numbers.values()))
    return next((value for name, value in numbers.items() if name in COUNTED_PARTS), None)


@lru_cache(maxsize=1024)
def part_names(template: str) -> tuple[str, ...]:
    """The named parts of a sentence, in the order in which they are said."""
    return tuple(dict.fromkeys(name for _, name, _, _ in string.Formatter().parse(template) if name))


@lru_cache(maxsize=1024)
def is_well_formed(template: str) -> bool:
    """Whether a sentence has nothing in braces but names: what somebody mistyped must not stop a game."""
    try:
        found = [part[1:] for part in string.Formatter().parse(template) if part[1] is not None]
    except ValueError:
        return False
    return all(str(name).isidentifier() and not form and not how for name, form, how in found)


def load_catalogue(locale: Path, code: str) -> NullTranslations:
    """The catalogue of a language; one edited since it was compiled is read from its source.

    Raises `LanguageError` if there is no such language or its catalogue cannot be read.
    """
    source = locale / code / "LC_MESSAGES" / "companion.po"
    if not installed_languages.has_catalogue(locale / code):
        raise LanguageError(
            f"There is no language {code!r}; there are: {', '.join(installed_languages.language_codes())}."
        )
    try:
        return read_catalogue(source)
    except (OSError, ValueError, struct.error) as trouble:
        raise LanguageError(f"{source} can't be read: {trouble}") from trouble


def family_key(key: str) -> str | None:
    """The same key of the game with whose words its game speaks (`Game.words`); None where it has its own."""
    game, _, rest = key.partition(".")
    words = GAMES[game].words if game in GAMES else ""
    return f"{words}.{rest}" if words else None


def add_game_catalogues(catalogue: NullTranslations, code: str) -> NullTranslations:
    """The same with the sentences of games from outside, which say what ours does not."""
    for source, theirs in game_catalogues(code):
        if isinstance(theirs, LanguageError):
            log.warning("%s is left out: %s", source, theirs)
        else:
            catalogue.add_fallback(theirs)
    return catalogue


def game_catalogues(code: str) -> Iterator[tuple[Path, NullTranslations | LanguageError]]:
    """Each catalogue of a game from outside, or why it cannot be used."""
    for folder in all_asset_folders()[1:]:
        files = folder.glob(f"locale/{code}/LC_MESSAGES/*.[mp]o")
        for source in sorted({file.with_suffix(".po") for file in files}):
            try:
                yield source, read_catalogue(source)
            except LanguageError as trouble:
                yield source, trouble
            except (OSError, ValueError) as trouble:
                yield source, LanguageError(f"{source}: {trouble}")
