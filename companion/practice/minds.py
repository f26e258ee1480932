"""What opponents of three strengths share: their names, and advice with its reason."""

from __future__ import annotations

from typing import NamedTuple

from companion.actions import Action
from companion.view import Sentence

STRENGTHS = ("easy", "medium", "strong")


class Advice(NamedTuple):
    """The best choice, and why, in one sentence."""

    action: Action
    why: Sentence
