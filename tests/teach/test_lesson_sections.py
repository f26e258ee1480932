"""Where the rulebooks have a rule: told for every phase of every game."""

from __future__ import annotations

import pytest

from companion.games.dnup.rules.model import DnupPhase as Dnup
from companion.games.kabuki.rules.model import KabukiPhase as Kabuki
from companion.games.kinapa.rules.model import KinapaPhase as Kinapa
from companion.games.kobayakawa.rules.model import KobayakawaPhase as Kobayakawa
from companion.teach.rulebook import rulebook_section

OURS = {Dnup.SCANNING}
"""Phases that only this program has."""
OURS_TOO = {
    ("kinapa", "auditing"),
    ("kinapa", "picking"),
    ("kinapa", "over"),
    ("kabuki", "over"),
    ("kabuki", "reopening"),
}


@pytest.mark.parametrize(
    ("game", "phases"),
    [("kinapa", Kinapa), ("kabuki", Kabuki), ("kobayakawa", Kobayakawa), ("dnup", Dnup)],
)
def test_every_phase_of_a_game_has_its_place_in_the_rulebook(game: str, phases: type[Kinapa]) -> None:
    missing = {
        str(phase)
        for phase in phases
        if phase not in OURS and (game, str(phase)) not in OURS_TOO and not rulebook_section(game, phase)[0]
    }
    assert missing == set()


def test_what_no_rulebook_says_is_told_as_such() -> None:
    assert rulebook_section("dnup", "repair.not_now") == ("", "")
