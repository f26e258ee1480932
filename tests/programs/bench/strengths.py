"""How much more often each strength of opponents wins than the one below it, with half of the seats each."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games import GAMES
from tests.programs.bench.figures import Row
from tests.programs.tournament import ladder, match

GAMES_EACH = 60
PLAYERS = 4


def rows() -> Iterator[Row]:
    for game in (name for name, game in GAMES.items() if game.opponents is not None):
        for one, other in ladder():
            score = match(game, one, other, games=GAMES_EACH, players=PLAYERS)
            yield Row(
                figure=f"{game}: wins of {one} against {other}",
                value=100 * score.share,
                unit="%",
                baseline="half of the seats",
                beside=50.0,
                ratio=2 * score.share,
                aim="above 1 ×",
                met=score.share > 0.5,
                note=f"{game}, {one}: 95 % interval {score.low:.1%} to {score.high:.1%}, {score.games} games",
            )
