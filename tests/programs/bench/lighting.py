"""Where reading begins to suffer: a rendered table under ever more glare, shadow, blur and flicker.

`python -m tests.programs.bench.lighting` prints what `companion.vision.lighting` measures at each step, and
how many of the plain deck's cards are read there. Its limits are set below the first step that costs
readings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games import mat_layout
from companion.system import asset_paths
from companion.vision.decks import Deck
from companion.vision.layout import Layout
from companion.vision.lighting import MIN_FLICKER_FRAMES, measure_blur, measure_flicker, measure_places
from companion.vision.recogniser import Recogniser, limit_opencv_to_one_thread
from companion.vision.renderer import HARD, MIDDLE, Conditions, TableRenderer, TableScene, Textures

Picture = NDArray[np.uint8]
Spoil = Callable[[Picture, int], Picture]
"""A picture and its number in, the spoilt picture out."""
FOLDER = asset_paths.bundled_assets_folder() / "decks" / "kinapa"


def spot(strength: float, x: float, y: float) -> Spoil:
    """A lamp's reflection at a pixel, about as wide as a place."""

    def spoil(picture: Picture, number: int) -> Picture:
        down, across = np.mgrid[0 : picture.shape[0], 0 : picture.shape[1]].astype(np.float32)
        light = 255 * strength * np.exp(-((across - x) ** 2 + (down - y) ** 2) / (2 * 60.0**2))
        white = np.clip(light, 0, 255).astype(np.uint8)
        return np.asarray(cv2.add(picture, cv2.merge([white] * 3)), np.uint8)

    return spoil


def bands(depth: float, hertz: int = 50, rate: float = 30.0) -> Spoil:
    """Bands of a lamp on the mains, as a sensor sees them that takes a thirtieth of a second for its rows."""

    def spoil(picture: Picture, number: int) -> Picture:
        rows = np.arange(picture.shape[0]) / picture.shape[0]
        light = 1 - depth * (0.5 + 0.5 * np.sin(2 * np.pi * 2 * hertz * (number + rows) / rate))
        return np.asarray(np.clip(picture * light[:, None, None], 0, 255), np.uint8)

    return spoil


def as_it_is(picture: Picture, number: int) -> Picture:
    return picture


def measured(conditions: Conditions, layout: Layout, spoil: Spoil = as_it_is) -> tuple[dict[str, float], str]:
    """The worst of each fault, and how many cards of one place are read."""
    textures, chance = Textures.load(FOLDER), np.random.default_rng(1)
    renderer = TableRenderer(textures, layout, conditions)
    calibration = renderer.calibration
    bare = [spoil(renderer.render(TableScene(), chance), n) for n in range(MIN_FLICKER_FRAMES)]
    found = measure_places(
        bare[0],
        [(p.name, calibration.place_corners(spot)) for p in layout.places for spot in layout.spots(p.name)],
    )
    scale = float(np.sqrt(abs(np.linalg.det(calibration.homography[:2, :2]))))
    blur = measure_blur(bare[0], [calibration.to_pixels(m) for m in layout.marks_mm.values()], scale)
    moving = measure_flicker(bare)
    worst = {fault: max(f.value for f in found if f.fault == fault) for fault in ("glare", "shadow")}
    worst |= {f.fault: f.value for f in (blur, moving) if f is not None}
    recogniser, read, all_ = Recogniser(Deck.load(FOLDER / "kinapa.deck")), 0, 0
    for name in ("slot:5", "slot:8"):
        place = layout.object_card_place(name)
        for card in (card for card in textures.cards if not card.startswith("back:")):
            picture = spoil(renderer.render(TableScene(((card, place.centre_mm, 2.0),)), chance), all_)
            read += recogniser.read_place(picture, calibration.place_corners(place)).card == card
            all_ += 1
    return worst, f"{read} of {all_} read"


def main() -> None:
    limit_opencv_to_one_thread()
    layout = mat_layout("kinapa", 8)
    where = TableRenderer(Textures.load(FOLDER), layout, MIDDLE).calibration.place_corners(
        layout.object_card_place("slot:8")
    )
    x, y = (float(value) for value in where.mean(axis=0))
    steps: list[tuple[str, Conditions, Spoil]] = [("as the demo", MIDDLE, as_it_is), ("hard", HARD, as_it_is)]
    steps += [(f"glare {g}", MIDDLE, spot(g, x, y)) for g in (0.15, 0.3, 0.45, 0.6)]
    steps += [
        (f"hard, light {v}", replace(HARD, light=v, shadow=0.9), as_it_is) for v in (0.6, 0.8, 1.0, 1.1)
    ]
    steps += [(f"blur {v}", replace(MIDDLE, blur=v), as_it_is) for v in (1.3, 1.8, 2.3, 3.0, 4.0)]
    steps += [(f"flicker {v}", MIDDLE, bands(v)) for v in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)]
    for name, conditions, spoil in steps:
        worst, read = measured(conditions, layout, spoil)
        print(f"{name:<16}", *(f"{fault} {value:7.3f}" for fault, value in worst.items()), " ", read)


if __name__ == "__main__":
    main()
