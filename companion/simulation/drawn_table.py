"""Draws a lesson's table as a camera would see it."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from companion.core.actions import SECOND, Chair, Micros
from companion.core.clock import Clock
from companion.core.observations import UNKNOWN, Observation
from companion.core.view import VALUE_ONLY_PREFIX
from companion.games import mat_layout
from companion.referee.loop import RefereedGame
from companion.simulation.scene import SceneBuilder, build_renderer
from companion.vision.layout import Calibration
from companion.vision.recogniser import Recogniser, limit_opencv_to_one_thread
from companion.vision.renderer import TableScene
from companion.vision.table_watcher import TableWatcher

PICTURE_INTERVAL: Micros = 400 * SECOND // 1000
"""From picture to picture."""


class DrawnTable:
    """The table as the screen shows it, as a camera would see it: for lessons without one."""

    def __init__(
        self,
        game: str,
        chairs: Sequence[Chair],
        played: RefereedGame,
        clock: Clock,
        put: Callable[[Observation], None],
        *,
        laid: Callable[[], Mapping[str, tuple[str, ...]]],
    ) -> None:
        """`laid`: what the lesson had people lay, by place."""
        from companion.camera.table_reader import load_deck_of_game

        limit_opencv_to_one_thread()
        referee = played.referee
        layout = mat_layout(game, referee.rules.hand_count(referee.setup))
        self.picture: Any = None
        self._played = played
        self._put = put
        self._laid = laid
        self._noise = np.random.default_rng(1)
        self._scenes = SceneBuilder(layout, tuple(chairs), random.Random(1))
        self._renderer = build_renderer(game, layout)
        calibration = Calibration.from_marks(self._renderer.render(TableScene(), self._noise), layout)
        self._watcher = TableWatcher(Recogniser(load_deck_of_game(game)), layout, calibration)
        self._places = {place.name for place in layout.places}
        self._next: Micros = clock.now()

    def look(self, now: Micros) -> None:
        """Take and read a picture if one is due."""
        if now < self._next:
            return
        self._next = now + PICTURE_INTERVAL
        view, laid = self._played.view, self._laid()
        places = {}
        for place in view.places:
            cards = (place.card, *place.on_top)
            if any(
                card.startswith(VALUE_ONLY_PREFIX) for card in cards
            ):  # what the lesson had them lay there
                known = tuple(card for card in cards if not card.startswith(VALUE_ONLY_PREFIX))
                there = laid.get(place.region, ())
                cards = there if len(there) == len(cards) else known
            if cards and cards[0] not in {"", UNKNOWN} and place.region in self._places:
                places[place.region] = cards
        if view.card and view.card_region:
            places[view.card_region] = (view.card,)
        self.picture = self._renderer.render(self._scenes.build_scene(places, ()), self._noise)
        seen = self._watcher.step(self.picture, now)
        if seen is not None:
            self._put(seen)

    def next_due(self) -> Micros:
        return self._next
