"""People who bid in small steps and doubt now and then."""

from collections.abc import Mapping
from typing import ClassVar

from companion.games.kit.lawful import LawfulPeople
from cups.rules import CUPS


class CupsPeople(LawfulPeople):
    rules = CUPS
    weights: ClassVar[Mapping[str, float]] = {"bid": 1, "doubt": 6}
