"""A whole game as a text: what is asked, said and offered, in the order in which it is told."""

from __future__ import annotations

import pytest

from companion.core.events import kind_of
from tests.languages import LANGUAGES
from tests.programs import aloud


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_game_is_written_down_from_its_cards_to_its_winner(code: str) -> None:
    lines = list(aloud.told(aloud.played("kobayakawa", 3), code))
    kinds = {line[:7].strip() for line in lines[2:]}
    assert kinds == {aloud.ASKS, aloud.HINTS, aloud.OFFERS, aloud.SAYS, aloud.SHOWS, aloud.WHY}
    assert all(f"{kind}" in lines[1] for kind in kinds), "what the marks mean comes first"
    assert lines[6].startswith(aloud.SHOWS), "then the game in short, then the cards are prepared"
    assert not [line for line in lines if "{" in line or "kobayakawa." in line], (
        "every sentence is there, and filled in"
    )


LAST = "Last round! Fighting costs two kamons. The winner also takes the two from the middle."


def test_all_that_is_said_stands_in_it_each_time_and_in_order() -> None:
    referee = aloud.played("kobayakawa", 3)
    said = [
        line.removeprefix("said").strip() for line in aloud.told(referee, "en") if line.startswith("said")
    ]
    fights = sum(kind_of(event) == "Fought" for entry in referee.journal.entries for event in entry.events)
    assert sum(line.endswith(" fights.") for line in said) == fights > 0
    assert said.index(LAST) > min(at for at, line in enumerate(said) if line.endswith(" fights."))


def test_a_hand_that_is_raised_again_stands_in_it_again() -> None:
    """What changes the state is never left out: else a true sentence that follows looks false."""
    referee = aloud.played("kinapa", 4)
    lines = list(aloud.told(referee, "en"))
    raised = [
        event
        for entry in referee.journal.entries
        for event in entry.events
        if kind_of(event) in {"HandRaised", "HandLowered"}
    ]
    written = [line for line in lines if line.endswith((" raises a hand.", " lowers their hand."))]
    assert len(written) == len(raised) > len(set(written))
