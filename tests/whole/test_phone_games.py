"""Whole games by four phones alone, over real sockets with a proxy that delays, drops and reorders."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.games.kabuki.rules.model import KabukiOptions
from companion.games.kabuki.rules.recap import photo_finishes
from companion.referee.phone_chairs import PHONE_SOURCE
from tests.whole.phone_sockets import socket_table

TRICKS = ("hearts", "spades", "euchre")
LONGER = ("dnup", "kobayakawa", "liars_dice", *TRICKS, "roses", "in_order", "any_game")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["kinapa", *(pytest.param(one, marks=pytest.mark.long) for one in LONGER)])
def test_four_phones_alone_play_a_whole_game(game: str) -> None:
    with socket_table(game, seed=3, drops=0.05, jitter=30) as table:
        if game in TRICKS:  # where nobody lays a card, every card is told by phone
            table.people.world.tells_cards = True
        table.play()
        assert table.game.over
        assert table.by_touch == []
        assert table.lost > 0
        told = [e.cause for e in table.game.referee.journal.entries]
        presses = [one for one in told if isinstance(one, ob.ButtonPressed | ob.ActionDeclared)]
        assert {one.source for one in presses} == {PHONE_SOURCE}
        assert not any(isinstance(one, ob.ButtonHeld | ob.ButtonReleased) for one in told)


@pytest.mark.slow
def test_kabuki_is_played_by_all_phones_and_the_photo_finish_has_their_intervals() -> None:
    """`phones = all_phones`: their resolution is stated, and the game is told as friendly."""
    everybody = frozenset(range(4))
    options = KabukiOptions(game_by="rounds", masks=12).adapt_to_phones(everybody, everybody, everybody)
    with socket_table("kabuki", seed=2, drops=0.05, jitter=10, options=options) as table:
        table.play()
        assert table.game.over
        found = photo_finishes((0, 1, 2, 3), options, table.game.referee.journal.entries)
        presses = [press for finish in found for press in finish.presses]
        assert presses
        assert {press.source for press in presses} == {PHONE_SOURCE}
        assert all(finish.resolution == options.resolution(PHONE_SOURCE) for finish in found)
        assert any(press.within is not None for press in presses)
        assert all(finish.friendly for finish in found)
