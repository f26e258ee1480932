"""The languages that ship: what the program finds in its folders, said here once more."""

from __future__ import annotations

LANGUAGES = ("en", "de", "fr")
