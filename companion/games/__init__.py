"""The games, written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core.rules import Rules
from companion.games.dnup.rules import Dnup
from companion.games.kabuki.rules import Kabuki
from companion.games.kinapa.rules import Kinapa
from companion.games.kobayakawa.rules import Kobayakawa

GAMES: Mapping[str, Rules[Any]] = {rules.name: rules for rules in (Kinapa(), Kabuki(), Kobayakawa(), Dnup())}
