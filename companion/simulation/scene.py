"""Lays out a simulated table's cards as an overhead camera would see them."""

import math
import random
from collections.abc import Mapping, Sequence

from companion.core.actions import Chair, Micros
from companion.games import deck_folder, printed_mat
from companion.games.kit.world import split_rotation
from companion.simulation.simulated_players import ReachingHand
from companion.vision.layout import Layout, Millimetres, Place
from companion.vision.renderer import LIVE, Conditions, TableRenderer, TableScene, Textures
from companion.vision.renderer import RenderedHand as Arm

_CLUMSY_MM, _CLUMSY_DEGREES = 2.0, 4.0
"""Standard deviation of how people lay cards."""
_REACH_MM = 70.0
"""How far a hand moves from coming into view over its place to the middle of it."""


def build_renderer(game: str, layout: Layout | None = None, conditions: Conditions = LIVE) -> TableRenderer:
    """Draws the cards of a game on this mat, or on that for its most hands, as a camera sees them."""
    textures = Textures.load(deck_folder(game))
    return TableRenderer(textures, layout or printed_mat(game), conditions)


class SceneBuilder:
    """Lays cards as people do, each a little off, and the same until it is moved."""

    def __init__(self, layout: Layout, chairs: Sequence[Chair], rng: random.Random) -> None:
        self._layout = layout
        self._printed = {place.name for place in (*layout.places, *layout.banks)}
        self._chairs = tuple(chairs)
        self._rng = rng
        self._laid: dict[str, tuple[tuple[str, ...], tuple[tuple[str, Millimetres, float], ...]]] = {}

    def build_scene(
        self, places: Mapping[str, tuple[str, ...]], hands: Sequence[ReachingHand], at: Micros = 0
    ) -> TableScene:
        """The table at an instant, with these cards and these people reaching over it."""
        cards: list[tuple[str, Millimetres, float]] = []
        for name, content in places.items():
            if name not in self._printed:
                continue  # an older mat has no such place: it lies before its owner, out of sight
            laid = self._laid.get(name)
            if laid is None or laid[0] != content:
                self._laid[name] = laid = (content, self._lay_cards(name, content, laid))
            cards += laid[1]
        return TableScene(
            tuple(cards), tuple(self._draw_arm(hand, at) for hand in hands if hand.place in self._printed)
        )

    def _lay_cards(
        self,
        name: str,
        content: tuple[str, ...],
        before: tuple[tuple[str, ...], tuple[tuple[str, Millimetres, float], ...]] | None,
    ) -> tuple[tuple[str, Millimetres, float], ...]:
        kept = before[1] if before and content[: len(before[0])] == before[0] else ()
        spots = self._card_places(name, content)
        return (
            *kept,
            *(
                self._lay_card(card, spots[min(at, len(spots) - 1)])
                for at, card in enumerate(content)
                if at >= len(kept)
            ),
        )

    def _card_places(self, name: str, content: tuple[str, ...]) -> list[Place]:
        return list(self._layout.spots(name)[: len(content)])

    def _lay_card(self, card: str, spot: Place) -> tuple[str, Millimetres, float]:
        """The card as its owner lays it, who may sit at any edge."""
        x, y = (value + max(-2, min(2, self._rng.gauss(0, 1))) * _CLUMSY_MM for value in spot.centre_mm)
        clumsy = max(-2, min(2, self._rng.gauss(0, 1))) * _CLUMSY_DEGREES
        name, turn = split_rotation(card)
        return name, (x, y), spot.angle + turn + clumsy

    def _draw_arm(self, hand: ReachingHand, at: Micros) -> Arm:
        """Arms come from where their owners sit: chair by chair clockwise, the first at the lower edge.

        A hand never rests: it reaches its place half way through its time, and draws back.
        """
        place = self._chairs.index(hand.chair)
        angle = 360.0 * place / len(self._chairs)
        half = (hand.until - hand.since) / 2
        away = _REACH_MM * abs(at - hand.since - half) / half
        x, y = self._layout.place(hand.place).centre_mm
        turn = math.radians(angle)
        return Arm((x - away * math.sin(turn), y + away * math.cos(turn)), angle, place)
