"""The games, written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.rules.base import Rules
from companion.rules.dnup import Dnup
from companion.rules.kabuki import Kabuki
from companion.rules.kinapa import Kinapa
from companion.rules.kobayakawa import Kobayakawa

GAMES: Mapping[str, Rules[Any]] = {rules.name: rules for rules in (Kinapa(), Kabuki(), Kobayakawa(), Dnup())}
