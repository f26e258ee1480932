"""Resources that all pages share: size, fonts, pictures, languages, keys."""

from collections.abc import Callable, Mapping
from functools import lru_cache

from companion.language.translator import Translator
from companion.ui.toolkit.picture_cache import PictureCache
from companion.ui.toolkit.text_painter import TextPainter

DEFAULT_KEYS: Mapping[str, str] = {
    **{str(chair): str(chair) for chair in range(1, 9)},
    "back": "left",
    "next": "right",
    "ok": "space",
}
"""The keyboard keys that stand in for buttons: part → key."""

UPRIGHT = 0.75
"""A screen that is higher than wide is measured by its width: what is 1 % of the height elsewhere."""


class PageResources:
    """Owns what is drawn with; made for each size of the window."""

    def __init__(
        self,
        size: tuple[int, int],
        languages: Callable[[str], Translator],
        keys: Mapping[str, str] = DEFAULT_KEYS,
    ) -> None:
        self._languages = languages
        self._spoken: dict[str, Translator] = {}
        self.keys = {**DEFAULT_KEYS, **keys}
        self.parts = {key: part for part, key in self.keys.items()}
        """Key → the button it stands in for."""
        self.resize(size)

    def resize(self, size: tuple[int, int]) -> None:
        """The window has another size now."""
        self.size = size
        self.painter, self.art = _resources_for(min(size[1], round(size[0] * UPRIGHT)))

    def words(self, code: str) -> Translator:
        """One language, loaded at its first use."""
        if code not in self._spoken:
            self._spoken[code] = self._languages(code)
        return self._spoken[code]


@lru_cache(maxsize=2)
def _resources_for(height: int) -> tuple[TextPainter, PictureCache]:
    """Fonts and pictures for one height: a later screen of that height finds what was drawn before."""
    painter = TextPainter(height)
    return painter, PictureCache(painter)
