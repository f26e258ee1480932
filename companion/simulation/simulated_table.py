"""A simulated table: people on mock pins, cards as an overhead camera would see them, one game to referee.

Nothing is bypassed: a press reaches the rules through gpiozero's button on a mock pin, a card only through
the recogniser, which knows the deck from the pictures of its print sheets.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from companion.camera.table_reader import load_deck_of_game
from companion.core.actions import SECOND, Action, Chair, Micros, Setup
from companion.core.clock import Clock, earliest
from companion.core.observations import UNKNOWN, ActionDeclared, Observation, RegionReading, TableSeen
from companion.core.rules import Rules
from companion.core.view import VALUE_ONLY_PREFIX
from companion.games import deck_folder, games_with_mat, mat_layout, printed_mat
from companion.games.kit.world import PlayStyle, split_rotation
from companion.referee.journal import Journal
from companion.referee.loop import GRACE, Announcement, Inbox, RefereedGame
from companion.referee.referee import Referee
from companion.simulation.game_simulation import build_world
from companion.simulation.simulated_players import PlayerSimulator, ReachingHand
from companion.vision.layout import Calibration, Layout, Millimetres, Place
from companion.vision.outlines import Bgr
from companion.vision.recogniser import Recogniser, limit_opencv_to_one_thread
from companion.vision.renderer import LIVE, Conditions, TableRenderer, TableScene, Textures
from companion.vision.renderer import RenderedHand as Arm
from companion.vision.table_watcher import TableWatcher
from hardware.simulated_panel import SimulatedPanel

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


READING_TIME: Micros = 120_000
"""From a picture's exposure to its reading, as stated for the simulated camera."""
WATCHFUL_INTERVAL: Micros = 200_000
"""From picture to picture while the table is asked for, or a hand is over it."""
IDLE_INTERVAL: Micros = SECOND
"""From picture to picture otherwise."""


class DrawnMat:
    """The mat of a game with cards on it, drawn as a camera over it sees them, and what is read there."""

    def __init__(
        self,
        rules: Rules[Any],
        setup: Setup,
        chance: random.Random,
        noise: np.random.Generator,
        conditions: Conditions = LIVE,
    ) -> None:
        """`chance` is how people lay cards, `noise` the camera's."""
        limit_opencv_to_one_thread()
        layout = mat_layout(rules.name, rules.hand_count(setup))
        self.places = {place.name for place in layout.places}
        self._scenes = SceneBuilder(layout, setup.chairs, chance)
        self._renderer = build_renderer(rules.name, layout, conditions)
        self._noise = noise
        calibration = Calibration.from_marks(self._renderer.render(TableScene(), noise), layout)
        self.watcher = TableWatcher(Recogniser(load_deck_of_game(rules.name)), layout, calibration)

    def render(
        self, places: Mapping[str, tuple[str, ...]], hands: Sequence[ReachingHand] = (), at: Micros = 0
    ) -> Bgr:
        """The camera's picture at `at`, (720, 1280, 3) uint8, BGR, with these cards and hands."""
        return self._renderer.render(self._scenes.build_scene(places, hands, at), self._noise)


class SimulatedTable:
    """Everything that a real table would bring, made here."""

    def __init__(
        self,
        rules: Rules[Any],
        journal: Journal,
        *,
        seed: int,
        styles: Sequence[PlayStyle],
        clock: Clock,
        inbox: Inbox,
        fingers: Callable[[Callable[[SimulatedPanel], None]], None] | None = None,
        pictures: Callable[[Bgr, Micros], None] | None = None,
        conditions: Conditions = LIVE,
    ) -> None:
        """`fingers` hands a job to the thread that moves the buttons; without it they are moved here.

        `pictures` gets every picture after the table has changed.
        """
        self.clock = clock
        self.frames = 0
        self.is_watched: Callable[[], bool] = bool
        """Whether the table is asked for now."""
        self.picture: Bgr | None = None
        self._inbox = inbox
        self._bounce = random.Random(f"{seed} bounce")
        self._picture_at: Micros = -IDLE_INTERVAL
        self._fingers = fingers
        self._pictures = pictures
        self._pictured = -1
        self.panel = SimulatedPanel(clock, inbox.put, chance=self._bounce)
        setup = journal.header.setup.with_options(rules.options)
        world = build_world(rules.name, setup, random.Random(seed), styles)
        self._set_up_camera(rules, setup, seed, conditions)
        lots = random.Random(f"{seed} lots")
        buttons = self.panel.buttons
        self.game = RefereedGame(
            Referee(rules, journal),
            chance=lots.randrange,
            levels=buttons.read_levels,
            level=buttons.read_level,
        )
        self.people = PlayerSimulator(rules, world, self.game.referee.state, press=self._press, say=self._say)

    def _set_up_camera(self, rules: Rules[Any], setup: Setup, seed: int, conditions: Conditions) -> None:
        """Draw the mat from above, and learn where its places are in the picture; without a mat nothing."""
        self._mat: DrawnMat | None = None
        self.watcher: TableWatcher | None = None
        if rules.name not in games_with_mat():
            return
        chance = random.Random(f"{seed} hands")
        self._mat = DrawnMat(rules, setup, chance, np.random.default_rng(seed), conditions)
        self.watcher = self._mat.watcher

    # People -----------------------------------------------------------------------------------------------

    def step(self, now: Micros) -> None:
        """People do what is due, and think about what they hear and see."""
        self.people.advance(now)
        self.people.plan_actions(now)
        if self._fingers is None:
            self.panel.advance(now)

    def handle_ruling(self, ruling: Announcement) -> None:
        """Cards change hands as the rulings say."""
        self.people.handle_ruling(ruling)

    def _press(self, chair: Chair, at: Micros, hold: Micros) -> None:
        bounce = self._bounce.uniform(0.0, 6.0)
        if self._fingers is None:
            self.panel.press(chair, at=at, bounce_ms=bounce, hold=hold)
        else:

            def job(panel: SimulatedPanel) -> None:
                panel.press(chair, at=max(at, self.clock.now()), bounce_ms=bounce, hold=hold)

            self._fingers(job)

    def _say(self, chair: Chair, action: Action) -> None:
        self._inbox.put(ActionDeclared(at=self.clock.now(), action=action, source="touch"))

    # The camera -------------------------------------------------------------------------------------------

    def render_picture(self, at: Micros) -> Bgr:
        """The camera's picture of the table at `at`, (720, 1280, 3) uint8, BGR."""
        assert self._mat is not None, "a game without a mat has no camera"
        self.frames += 1
        self.picture = self._mat.render(self.people.world.places, self.people.hands, at)
        if self._pictures is not None and self._pictured != self.people.changes and not self.people.hands:
            self._pictured = self.people.changes
            self._pictures(self.picture, at)
        return self.picture

    def read_picture(self, picture: Bgr, at: Micros) -> tuple[TableSeen, ...]:
        """What settled with this picture, (height, width, 3) in BGR; stamped `READING_TIME` µs after `at`."""
        seen = None if self.watcher is None else self.watcher.step(picture, at)
        return () if seen is None else (replace(seen, at=at + READING_TIME),)

    def card_pictures(self) -> Mapping[str, tuple[str, Bgr]]:
        """Which card lies in a place now, and the camera's own picture of it."""
        return {} if self.watcher is None else self.watcher.card_pictures

    def update_picture(self, now: Micros) -> None:
        """Take and read a picture if one is due: the camera without a thread."""
        if self._mat is None or now < self._next_picture():
            return
        self._picture_at = now
        for seen in self.read_picture(self.render_picture(now), now):
            self._inbox.put(seen)

    def _next_picture(self) -> Micros:
        return self._picture_at + (
            WATCHFUL_INTERVAL if self.is_watched() or self.people.hands else IDLE_INTERVAL
        )

    def next_step_due(self) -> Micros | None:
        """When people have something to do; without threads also fingers and the camera."""
        if self._fingers is not None:
            return self.people.next_due()
        pictured = None if self._mat is None else self._next_picture()
        return earliest(pictured, self.people.next_due(), self.panel.next_due())

    def close(self) -> None:
        self.panel.close()


PICTURE_INTERVAL: Micros = 400 * SECOND // 1000
"""From picture to picture."""


class DrawnTable:
    """The table as the screen shows it, as a camera would see it: for lessons without one."""

    def __init__(
        self,
        played: RefereedGame,
        clock: Clock,
        put: Callable[[Observation], None],
        *,
        laid: Callable[[], Mapping[str, tuple[str, ...]]],
    ) -> None:
        """`laid`: what the lesson had people lay, by place."""
        rules, setup = played.referee.rules, played.referee.setup
        self.picture: Any = None
        self._played = played
        self._put = put
        self._laid = laid
        self._mat = DrawnMat(rules, setup, random.Random(1), np.random.default_rng(1))
        self._next: Micros = clock.now()

    def look(self, now: Micros) -> None:
        """Take and read a picture if one is due.

        It shows what is judged: what happened in the last `GRACE` comes after it.
        """
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
            if cards and cards[0] not in {"", UNKNOWN} and place.region in self._mat.places:
                places[place.region] = cards
        if view.card and view.card_region:
            places[view.card_region] = (view.card,)
        self.picture = self._mat.render(places)
        seen = self._mat.watcher.step(self.picture, now - GRACE)
        if seen is not None:
            self._put(replace(seen, regions=tuple(map(_without_hand, seen.regions))))

    def next_due(self) -> Micros:
        return self._next


def _without_hand(region: RegionReading) -> RegionReading:
    """A reading of what no hand has laid: what is drawn is there with the next picture."""
    came = region.clear_until + PICTURE_INTERVAL if region.clear_until else region.lies_since
    return replace(region, lies_since=min(region.lies_since, came))
