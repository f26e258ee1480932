"""Watching what is read: the newest picture's cards, how surely, and the time that it took."""

from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from companion.camera.enrol_files import cards_of, games
from companion.camera.reader import deck_of
from companion.core.actions import Micros
from companion.core.camera_views import Spotted, WatchView, Work
from companion.core.clock import Clock, GameClock
from companion.core.observations import UNKNOWN
from companion.core.view import Sentence
from companion.referee.parts import taken_out
from companion.vision.decks import DeckError, renewed
from companion.vision.locate import Bgr
from companion.vision.recognise import Recogniser, one_thread
from companion.vision.search import Sighting
from companion.vision.tracker import Tracker


class WatchBench:
    """Lives in the camera's thread but for `work`, `view`, `cards` and `spoken`; nothing seen is a fact."""

    def __init__(self, folder: Path, deck: str, *, clock: Clock | None = None) -> None:
        """`folder` is the table's; `deck` a game, or the file of a deck."""
        self._folder = folder
        self._clock = clock or GameClock()
        self._wanted: SimpleQueue[Work] = SimpleQueue()
        self._tracker: Tracker | None = None
        self._named, self._complete = True, False
        self._pictures = 0
        self._read: Micros = 0
        self._before: list[Sighting] | None = None
        self._deck = deck
        self._shown: tuple[WatchView, Bgr | None] = WatchView(deck, games()), None

    # Called from the loop ---------------------------------------------------------------------------------

    def work(self, wanted: Work) -> None:
        """Carried out with the next picture."""
        self._wanted.put(wanted)

    def view(self) -> WatchView:
        return self._shown[0]

    def shown(self) -> tuple[WatchView, Bgr | None]:
        """The view, and the picture (uint8, BGR) it was made from: the outlines would not fit a newer one."""
        return self._shown

    def cards(self) -> tuple[tuple[str, Any], ...]:
        return ()

    def spoken(self) -> tuple[int, Sentence | None]:
        return 0, None

    # In the camera's thread -------------------------------------------------------------------------------

    def step(self, image: Bgr, at: Micros) -> tuple[()]:
        """One picture (height, width, 3)."""
        for wanted in taken_out(self._wanted):
            self._carry_out(wanted)
        tracker = self._tracker or self._opened()
        self._pictures += 1
        if tracker is None:
            self._shown = self._shown[0], image
            return ()
        before = self._clock.now()
        seen = tracker.step(image)
        spent = self._clock.now() - before
        if self._before is None or not _alike(seen, self._before):
            self._read, self._before = spent, seen
        view = WatchView(
            self._deck,
            games(),
            self._named,
            self._complete,
            seen=spotted(seen, image),
            pictures=self._pictures,
            spent=spent,
            read=self._read,
        )
        self._shown = view, image
        return ()

    def _carry_out(self, wanted: Work) -> None:
        match wanted:
            case Work("game"):
                known = games()
                following = known.index(self._deck) + 1 if self._deck in known else 0
                self._deck = known[following % len(known)]
            case Work("afresh"):
                pass
            case _:
                return
        self._tracker = self._before = None

    def _opened(self) -> Tracker | None:
        """The deck ready to be read; else the view says what ails it."""
        one_thread()
        try:
            if self._deck in games():
                deck = deck_of(self._deck, self._folder / "decks")
            else:
                deck = renewed(Path(self._deck))
        except DeckError:
            told = Sentence("ui.watch.no_deck", (("deck", Path(self._deck).name),))
            self._shown = WatchView(self._deck, games(), trouble=told), None
            return None
        known = {card for game in games() for card in cards_of(game)}
        self._named, self._complete = known.issuperset(deck.cards), deck.complete
        self._tracker = Tracker(Recogniser(deck))
        return self._tracker


def spotted(seen: Sequence[Sighting], image: Bgr) -> tuple[Spotted, ...]:
    """The sightings in shares of the picture, the surest first, those that can't be read last."""
    size = np.array(image.shape[1::-1], float)
    told = [
        Spotted(
            "" if one.card == UNKNOWN else one.card,
            0.0 if one.card == UNKNOWN else round(float(one.confidence), 4),
            tuple((float(x), float(y)) for x, y in one.corners / size),
            "" if one.why is None else str(one.why),
        )
        for one in seen
    ]
    return tuple(sorted(told, key=lambda one: (one.card == "", -one.confidence, one.card)))


def _alike(one: Sequence[Sighting], other: Sequence[Sighting]) -> bool:
    """Whether nothing new was read."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
