"""Finds the installed languages: one folder `locale/XX` each, with a catalogue and a `language.toml`.

Ours are in `assets`, those that somebody added in the data folder
(`companion.system.asset_paths.user_data_folder`). One whose `language.toml` cannot be used is left out and
named by `companion doctor`. A `hyphens.txt`, made by `make hyphens`, says where long words may be broken.
"""

import logging
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from companion.core.actions import Value
from companion.system import asset_paths, safe_files
from companion.system.safe_files import SizeLimit
from companion.system.terminal import to_printable

log = logging.getLogger(__name__)

FALLBACK_LANGUAGE = "en"
"""What a language lacks is said in this one; it is offered first."""
LANGUAGE_CODE_PATTERN = r"^[a-z]{2,3}(_[A-Z]{2})?\Z"
"""How a language is called: by ISO 639, as its folder is."""
LATIN_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ-"
MAX_LETTERS = 48
"""Four rows of twelve: more keys are too small for a finger."""
NAME_PUNCTUATION = "-'’"
"""What stands in names beside letters."""
WordsPerMinute = Annotated[int, Meta(ge=80, le=400)]


class LanguageFile(Value, frozen=True, forbid_unknown_fields=True):
    """What `language.toml` says."""

    name: Annotated[str, Meta(min_length=1, max_length=16)]
    """What its speakers call it."""
    letters: Annotated[str, Meta(max_length=MAX_LETTERS)] = LATIN_LETTERS
    """The keys of the screen's keyboard, in four rows."""
    voice: Annotated[str, Meta(pattern=r"^([A-Za-z][\w+/-]{0,39})?\Z")] = ""
    """espeak-ng's name for it; empty: its code."""
    pace: WordsPerMinute = 165
    """Words a minute."""
    announcing_pace: WordsPerMinute = 185
    """Of what opens a count, which has to be over when the first beat falls."""
    hyphens: Annotated[str, Meta(max_length=16)] = ""
    """pyphen's name for it, for `make hyphens`; empty: its long words are not broken."""


class InstalledLanguage(Value, frozen=True):
    """One language of this table."""

    code: str
    root: Path
    """The folder with its `locale/XX` and its `clips/XX`."""
    about: LanguageFile

    @property
    def folder(self) -> Path:
        """Its sentences, its hyphens and its `language.toml`."""
        return self.root / "locale" / self.code

    @property
    def voice(self) -> str:
        """espeak-ng's name for it."""
        return self.about.voice or self.code


def installed_languages(environ: Mapping[str, str] = os.environ) -> Mapping[str, InstalledLanguage]:
    """Every language that can be chosen, by code: English first, the others by code."""
    return _load_languages((asset_paths.bundled_assets_folder(), asset_paths.user_data_folder(environ)))[0]


def find_broken_languages(environ: Mapping[str, str] = os.environ) -> Mapping[Path, str]:
    """Each folder of a language that cannot be used, and in one sentence why."""
    return _load_languages((asset_paths.bundled_assets_folder(), asset_paths.user_data_folder(environ)))[1]


def language_codes(environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The same by code alone."""
    return tuple(installed_languages(environ))


def find_language(code: str) -> InstalledLanguage:
    """A language by its code; of one that is not known what all have: ours would lie there."""
    return installed_languages().get(code) or InstalledLanguage(
        code, asset_paths.bundled_assets_folder(), LanguageFile(code)
    )


def is_bundled_language(code: str) -> bool:
    """Whether it is one of those that ship with the program."""
    return find_language(code).root == asset_paths.bundled_assets_folder()


def has_catalogue(folder: Path) -> bool:
    """Whether a folder has sentences, compiled or not."""
    return any((folder / "LC_MESSAGES" / f"companion.{end}").exists() for end in ("po", "mo"))


@lru_cache(maxsize=4)
def _load_languages(roots: tuple[Path, ...]) -> tuple[Mapping[str, InstalledLanguage], Mapping[Path, str]]:
    """The languages in these folders, and what is wrong in others; who comes first has the code."""
    languages: dict[str, InstalledLanguage] = {}
    wrong: dict[Path, str] = {}
    for root in roots:
        for folder in _language_folders(root / "locale"):
            try:
                about = load_language_file(folder)
            except ValueError as trouble:
                wrong[folder] = str(trouble)
                log.warning("The language in %s is left out: %s", folder, trouble)
            else:
                languages.setdefault(folder.name, InstalledLanguage(folder.name, root, about))
    order = sorted(languages, key=lambda code: (code != FALLBACK_LANGUAGE, code))
    return {code: languages[code] for code in order}, wrong


def _language_folders(locale: Path) -> Iterator[Path]:
    """The folders that are called like a language and have sentences."""
    try:
        inside = sorted(locale.iterdir())
    except OSError:  # none there, or none for us
        return
    yield from (
        folder
        for folder in inside
        if re.fullmatch(LANGUAGE_CODE_PATTERN, folder.name) and has_catalogue(folder)
    )


def load_language_file(folder: Path) -> LanguageFile:
    """What a language's folder says of it; `ValueError` tells in one sentence what cannot be used."""
    file = folder / "language.toml"
    try:
        about = msgspec.convert(
            safe_files.parse_toml(safe_files.read_text(file, SizeLimit.SETTINGS)), LanguageFile
        )
    except FileNotFoundError:
        raise ValueError(f"{file} is missing; copy that of another language and change it") from None
    except OSError as trouble:
        raise ValueError(f"{file}: {trouble.strerror}") from None
    except ValueError as trouble:  # msgspec's and tomllib's are such, and so is text that is not UTF-8
        raise ValueError(f"{file}: {to_printable(str(trouble))}") from None
    if twice := sorted({letter for letter in about.letters if about.letters.count(letter) > 1}):
        raise ValueError(f"{file}: letters has {to_printable(twice[0])!r} twice; keep one")
    if strange := [
        letter for letter in about.letters if not letter.isalpha() and letter not in NAME_PUNCTUATION
    ]:
        raise ValueError(f"{file}: letters has {to_printable(strange[0])!r}, which is not a letter")
    return msgspec.structs.replace(
        about, letters=about.letters or LATIN_LETTERS, name=to_printable(about.name)
    )


LETTERS = re.compile(r"[^\W\d_]+")


def syllable_file(language: str) -> Path:
    """The list of a language: one word a line, its syllables joined by hyphens."""
    return find_language(language).folder / "hyphens.txt"


@cache
def load_syllables(language: str) -> Mapping[str, tuple[int, ...]]:
    """For each word in small letters, after how many letters it may be broken."""
    try:
        listed = safe_files.read_text(syllable_file(language), SizeLimit.NOTE)
    except (OSError, UnicodeDecodeError):
        return {}
    found = {}
    for line in listed.splitlines():
        parts = line.split("-")
        ends = [sum(map(len, parts[:count])) for count in range(1, len(parts))]
        found["".join(parts)] = tuple(ends)
    return found


def break_points(word: str, language: str) -> tuple[tuple[int, str], ...]:
    """After how many characters `word` may be broken, and what is written there: a hyphen if it has none."""
    listed = load_syllables(language)
    found = [(place + 1, "") for place, mark in enumerate(word[:-1]) if mark in "-–/" and place]
    for letters in LETTERS.finditer(word):
        found += [(letters.start() + end, "-") for end in listed.get(letters.group().lower(), ())]
    return tuple(sorted(found))
