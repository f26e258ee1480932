"""What all pages share: the size, the fonts, the pictures, the languages, the keys."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from companion.ui.paint import Painter
from companion.ui.pictures import Art
from companion.ui.words import Words

KEYS: Mapping[str, str] = {
    **{str(chair): str(chair) for chair in range(1, 9)},
    "back": "left",
    "next": "right",
    "ok": "space",
}
"""The keyboard keys that stand in for buttons: part → key."""

UPRIGHT = 0.75
"""A screen that is higher than wide is measured by its width: what is 1 % of the height elsewhere."""


class Screen:
    """Owns what is drawn with; made for each size of the window."""

    def __init__(
        self,
        size: tuple[int, int],
        languages: Callable[[str], Words],
        keys: Mapping[str, str] = KEYS,
    ) -> None:
        self._languages = languages
        self._spoken: dict[str, Words] = {}
        self.keys = {**KEYS, **keys}
        self.parts = {key: part for part, key in self.keys.items()}
        """Key → the button it stands in for."""
        self.resize(size)

    def resize(self, size: tuple[int, int]) -> None:
        """The window has another size now."""
        self.size = size
        self.painter, self.art = _drawn_with(min(size[1], round(size[0] * UPRIGHT)))

    def words(self, code: str) -> Words:
        """One language, loaded at its first use."""
        if code not in self._spoken:
            self._spoken[code] = self._languages(code)
        return self._spoken[code]


@lru_cache(maxsize=2)
def _drawn_with(height: int) -> tuple[Painter, Art]:
    """Fonts and pictures for one height: a later screen of that height finds what was drawn before."""
    painter = Painter(height)
    return painter, Art(painter)
