"""People who bid in small steps, and doubt three times out of four."""

from collections.abc import Mapping
from typing import ClassVar

from companion.games.kit.world import LawfulPeople
from cups.rules import CUPS


class CupsPeople(LawfulPeople):
    rules = CUPS
    weights: ClassVar[Mapping[str, float]] = {"doubt": 3}
    near = 0.5
