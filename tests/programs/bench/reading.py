"""Reading one place of the mat, the one thing a game with a camera does all the time.

A card that lies as before, beside the same place read as if nothing were known of it; then another card in
its stead, and the bare cloth. Then a deck of 81 cards opened from its file, as a start does it. Pictures are
made, as the demo's are; times are CPU time of one thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games import GAMES, deck_file, deck_folder, mat_layout
from companion.vision.decks import Deck, build_deck
from companion.vision.outline_reading import Sighting
from companion.vision.recogniser import Recogniser
from companion.vision.renderer import MIDDLE, TableRenderer, TableScene, Textures
from tests.programs.bench.figures import Row, cpu_us, least, rounds

NAME = "reading"
ROUNDS, CARDS = 7, 6
LARGE, MOST_MS = 81, 300.0
"""Cards of the deck that is opened, and the most that may take."""


def rows() -> Iterator[Row]:
    cv2.setNumThreads(1)
    for game in GAMES:
        yield from _of(game)
    yield _opening()


def _of(game: str) -> Iterator[Row]:
    folder = deck_folder(game)
    textures, layout = Textures.load(folder), mat_layout(game, 4)
    renderer, chance = TableRenderer(textures, layout, MIDDLE), np.random.default_rng(1)
    recogniser = Recogniser(Deck.load(deck_file(game)))
    spot = next(iter(layout.spots(layout.places[0].name)))
    quad = renderer.calibration.place_corners(spot)
    cards = [card for card in textures.cards if not card.startswith("back:")][:CARDS]

    def shown(*lying: str) -> NDArray[np.uint8]:
        return renderer.render(TableScene(tuple((card, spot.centre_mm, 2.0) for card in lying)), chance)

    twice = [(shown(card), shown(card)) for card in cards]
    seen = [recogniser.read_place(first, quad) for first, _ in twice]
    read = [at for at, (card, sighting) in enumerate(zip(cards, seen, strict=True)) if sighting.card == card]
    bare = shown()

    def times(before: list[Sighting | None], pictures: list[NDArray[np.uint8]]) -> float:
        """Microseconds a reading."""
        return cpu_us(
            lambda: [recogniser.read_place(p, quad, before=b) for p, b in zip(pictures, before, strict=True)]
        ) / len(pictures)

    again, known = [twice[at][1] for at in read], [seen[at] for at in read]
    found = rounds(
        ROUNDS,
        {
            "as before": lambda: times([*known], again),
            "first time": lambda: times([None] * len(known), again),
            "another": lambda: times([*known[1:], known[0]], again),
            "bare": lambda: times([*known], [bare] * len(known)),
        },
    )
    ms = {name: least(each) / 1000 for name, each in found.items()}
    yield Row(
        figure=f"a card of {game} that lies as before",
        value=ms["as before"],
        unit="ms",
        baseline="read as if for the first time",
        beside=ms["first time"],
        ratio=ms["as before"] / ms["first time"],
        note=f"{game}: another card in its stead {ms['another']:.1f} ms, the bare cloth {ms['bare']:.1f} ms",
    )


def _opening() -> Row:
    faces = [
        (f"{game}/{card}", picture)
        for game in GAMES
        for card, picture in Textures.load(deck_folder(game)).cards.items()
    ]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "large.deck"
        build_deck(faces[:LARGE], complete=True).save(file)
        found = rounds(ROUNDS, {"opened": lambda: cpu_us(lambda: Recogniser(Deck.load(file)))})
    ms = least(found["opened"]) / 1000
    return Row(
        figure=f"a deck of {min(LARGE, len(faces))} cards opened",
        value=ms,
        unit="ms",
        aim=f"≤ {MOST_MS:.0f} ms",
        met=ms <= MOST_MS,
    )
