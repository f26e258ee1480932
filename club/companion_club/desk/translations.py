"""Translations for the desk's pages: sentences, dates, points, game titles."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from companion.games import RULES
from companion.language import installed_languages
from companion.language.language import Language
from companion.network.web.static_files import choose_language


class DeskTranslations:
    """One language of the desk."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._language = Language(code)
        self.languages = {
            one: found.about.name for one, found in installed_languages.installed_languages().items()
        }

    def __call__(self, key: str, **parts: str | int) -> str:
        return self._language.tr(key, **parts)

    def game(self, name: str) -> str:
        """A game's title; what nobody knows here keeps its name."""
        if not name:
            return self("desk.any")
        return self(f"{name}.name") if name in RULES else name

    def trouble(self, key: str) -> str:
        """What is wrong at a table; a newer one may send a key that is not known here."""
        return self(key if key in self._language else "desk.table.problem")

    def points(self, value: Fraction) -> str:
        """A number with at most two decimals, as the language writes it."""
        exact = f"{float(value):.2f}".rstrip("0").rstrip(".")
        return exact.replace(".", self("ui.decimal"))

    def day(self, instant: str) -> str:
        return instant[:10]

    def clock(self, instant: str) -> str:
        """Hours and minutes in UTC; pages show them in the browser's own time."""
        return instant[11:16]


def game_names() -> list[str]:
    return list(RULES)


def load_translations() -> Mapping[str, DeskTranslations]:
    """Every language by its code."""
    return {code: DeskTranslations(code) for code in installed_languages.language_codes()}


def choose_page_language(asked: str, kept: str, accepted: str) -> str:
    """The language somebody asked for now, chose before, or whose browser prefers it."""
    codes = installed_languages.language_codes()
    return next((one for one in (asked, kept) if one in codes), "") or choose_language(accepted, codes)


ASSETS_FOLDER = Path(__file__).parent / "assets"
"""Where the desk's templates, styles and scripts lie."""
