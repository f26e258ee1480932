"""What may not stand on a page in another language: sentences that only the English catalogue has."""

from __future__ import annotations

from functools import cache

from babel.messages.pofile import read_po

from companion.system.asset_paths import bundled_assets_folder


def _catalogue(code: str) -> dict[str, str]:
    """Key → sentence, where it is one in every number."""
    with (bundled_assets_folder() / "locale" / code / "LC_MESSAGES" / "companion.po").open("rb") as file:
        return {str(one.id): one.string for one in read_po(file) if isinstance(one.string, str) and one.id}


@cache
def english_only(code: str) -> frozenset[str]:
    """English sentences, without parts to fill in, that nothing is called in this language."""
    known = set(_catalogue(code).values())
    return frozenset(
        text for text in _catalogue("en").values() if text not in known and "{" not in text and len(text) > 1
    )
