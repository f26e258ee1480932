"""Reads message catalogues: compiled `.mo` files, or `.po` files as people edit them."""

import ast
import io
import struct
from collections.abc import Iterator, Mapping
from copy import copy
from functools import lru_cache
from gettext import GNUTranslations
from pathlib import Path

from companion.core.errors import CompanionError
from companion.system import safe_files
from companion.system.safe_files import SizeLimit

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
    told = sorted(_read_messages(source))
    texts = [text.encode() for text in (*(key for key, _ in told), *(value for _, value in told))]
    index, start = [], HEADER.size + ENTRY.size * len(texts)
    for text in texts:
        index.append(ENTRY.pack(len(text), start))
        start += len(text) + 1
    header = HEADER.pack(MAGIC, 0, len(told), HEADER.size, HEADER.size + ENTRY.size * len(told), 0, 0)
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
