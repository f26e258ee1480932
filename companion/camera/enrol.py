"""Enrolling a deck live: each card is shown once, turned round, and known from then on.

Lives in the camera's thread but for `work`, `view`, `cards` and `spoken`. A card is taken when it rests; a
face that was shown before under another name is not taken, and the table is asked which was wrong.
"""

from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from msgspec.structs import replace

from companion.camera.enrol_files import Shelf, cards_of, games, plain_faces
from companion.core.actions import Micros
from companion.core.camera_views import EnrolView, Twins, Work
from companion.core.view import Sentence
from companion.referee.parts import taken_out
from companion.vision.album import Album, Seen, apart
from companion.vision.decks import Deck, enrol
from companion.vision.easel import Easel, Shown
from companion.vision.limits import SAME
from companion.vision.locate import Bgr
from companion.vision.recognise import Recogniser

HARD = 0.15
"""Faces that differ by less are reported as hard to tell apart; an easy pair differs by 0.5 and more."""
TWINS = 2
"""Pairs that the self-check shows."""
PUSHED = 0.1
"""Of a card's height: pushed further, and another picture of it is worth taking."""


class EnrolBench:
    """One deck being enrolled."""

    def __init__(self, folder: Path, game: str) -> None:
        self._folder = folder
        self._wanted: SimpleQueue[Work] = SimpleQueue()
        self._easel = Easel()
        self._spoken: tuple[int, Sentence | None] = (0, None)
        self._open(game if game in games() else games()[0])

    def _open(self, game: str) -> None:
        self._game = game
        self._shelf, self._all = Shelf(self._folder, game), cards_of(game)
        self._plain = plain_faces(game)
        self._plain_album = Album(self._plain.items())
        self._album = Album(self._shelf.pictures(self._all))
        taken = {card for card, _ in self._album.pictures()}
        self._queue = [card for card in self._all if card not in taken]
        self._past = [card for card in self._all if card in taken]
        """Cards that were taken, the newest last."""
        self._first: Shown | None = None
        self._last: tuple[Seen, Shown] | None = None
        """The second picture of the card before."""
        self._hint = ""
        self._other = ""
        self._accepted: set[str] = set()
        """Cards that only look like others, as the table said."""
        self._deck: Deck | None = None
        self._reader: Recogniser | None = None
        self._read = ""
        self._twins: tuple[Twins, ...] = ()
        self._trouble: Sentence | None = None
        self._easel.clear()
        self._view = self._seen(None)
        self._finish_if_whole()
        self._view = self._seen(None)
        self._pictures = self._shown_cards()

    # Called from the loop ---------------------------------------------------------------------------------

    def work(self, wanted: Work) -> None:
        """Carried out with the next picture."""
        self._wanted.put(wanted)

    def view(self) -> EnrolView:
        return self._view

    def cards(self) -> tuple[tuple[str, Any], ...]:
        """Pictures of the cards that the page talks about."""
        return self._pictures

    def spoken(self) -> tuple[int, Sentence | None]:
        return self._spoken

    # In the camera's thread -------------------------------------------------------------------------------

    def step(self, image: Bgr, at: Micros) -> tuple[()]:
        """One picture (height, width, 3)."""
        for wanted in taken_out(self._wanted):
            self._carry_out(wanted)
        shown = self._easel.step(image)
        try:
            if shown is not None:
                self._look(shown)
        except OSError:
            self._trouble = Sentence("ui.enrol.not_saved")
        self._view = self._seen(image)
        return ()

    def _look(self, shown: Shown) -> None:
        """A card rests before the camera."""
        if self._deck is not None:
            assert self._reader is not None
            self._read = self._reader.read(shown.frame, shown.quad).card
        elif self._easel.disturbed:
            self._easel.disturbed = False
            if self._first is None:
                self._first_picture(self._queue[0], shown)
            else:
                self._second_picture(self._queue[0], self._first, shown)

    def _first_picture(self, card: str, shown: Shown) -> None:
        if self._album.misshapen(shown):
            self._hint, self._other = "other_shape", ""
            self._say("another")
            return
        known = self._album.known(shown)
        if known is not None and self._only_alike(card, known):
            known = None
        if card not in self._accepted:
            if known is not None and self._lies_there_still(known, shown):
                return
            other = known.card if known is not None else self._like_the_plain(card, shown)
            if other:
                self._hint, self._other = ("shown_before" if known is not None else "looks_like"), other
                self._pictures = self._shown_cards()
                self._say("another")
                return
        self._take(card, shown.picture, 1)
        self._first, self._hint, self._other = shown, "", ""
        self._say("turn")

    def _second_picture(self, card: str, first: Shown, shown: Shown) -> None:
        known = Album([(card, first.picture)]).known(shown)
        if known is None:
            self._hint = "not_the_same"
            self._say("another")
            return
        if not known.turned and not _pushed(first, shown):
            return
        self._take(
            card, np.ascontiguousarray(np.rot90(shown.picture, 2)) if known.turned else shown.picture, 2
        )
        self._first, self._last, self._hint = None, (known, shown), ""
        self._past.append(self._queue.pop(0))
        self._say("good")
        self._finish_if_whole()
        self._pictures = self._shown_cards()

    def _lies_there_still(self, known: Seen, shown: Shown) -> bool:
        """Whether this is only the card before, which nobody took away yet: a hand passed over it."""
        if self._last is None or not self._past or known.card != self._past[-1]:
            return False
        before, there = self._last
        return known.turned == before.turned and not _pushed(there, shown)

    def _only_alike(self, card: str, known: Seen) -> bool:
        """Whether the plain deck has these two as like as this: then they are two cards."""
        if known.card == card or card not in self._plain or known.card not in self._plain:
            return False
        return known.flaw > apart(self._plain[card], self._plain[known.card]) / 2

    def _like_the_plain(self, card: str, shown: Shown) -> str:
        """The other card of the plain deck that this one is, if it is one of it: a swap, most likely."""
        known = self._plain_album.known(shown)
        return known.card if known is not None and known.card != card else ""

    def _take(self, card: str, picture: Bgr, number: int) -> None:
        self._trouble = None
        self._shelf.keep(card, number, picture)
        self._album.add(card, picture)

    # What people want -------------------------------------------------------------------------------------

    def _carry_out(self, wanted: Work) -> None:
        match wanted:
            case Work("game"):
                known = games()
                self._open(known[(known.index(self._game) + 1) % len(known)])
            case Work("bare"):
                self._easel.clear()
            case Work("retake"):
                self._retake()
            case Work("later") if len(self._queue) > 1 and self._deck is None:
                self._forget(self._queue[0])
                self._queue.append(self._queue.pop(0))
            case Work("mine", (str() as how,)) if self._other:
                if how == "mine":
                    self._ask_again(self._other)
                self._accepted.add(self._queue[0])
                self._hint = self._other = ""
                self._easel.disturbed = True
            case Work("anew"):
                for card in self._all:
                    self._shelf.drop(card)
                self._open(self._game)
            case Work("again", (str() as card,)) if card in self._all:
                self._ask_again(card, first=True)
            case _:
                return
        self._pictures = self._shown_cards()

    def _retake(self) -> None:
        """The card on hand once more; if nothing of it was taken yet, the one before.

        What is there is taken only when it was moved: it may be what went wrong.
        """
        self._easel.disturbed = False
        if self._first is not None:
            self._forget(self._queue[0])
        elif self._past:
            self._ask_again(self._past[-1], first=True)

    def _ask_again(self, card: str, *, first: bool = False) -> None:
        """A card is asked for again: now, or after the one on hand."""
        self._forget(card)
        if card in self._past:
            self._past.remove(card)
            self._queue.insert(0 if first else 1, card)
        self._deck = self._reader = None

    def _forget(self, card: str) -> None:
        self._shelf.drop(card)
        self._album.drop(card)
        self._accepted.discard(card)
        self._first, self._hint, self._other = None, "", ""

    # The end ----------------------------------------------------------------------------------------------

    def _finish_if_whole(self) -> None:
        """With the last card the deck is made, saved and checked."""
        if self._queue:
            return
        order = {card: number for number, card in enumerate(self._all)}
        pictures = sorted(self._album.pictures(), key=lambda one: order.get(one[0], len(order)))
        self._view = replace(self._view, hint=Sentence("ui.enrol.checking"), outline=())
        deck = enrol(pictures, name=self._game, complete=True)
        try:
            self._shelf.save(deck)
        except OSError:
            self._trouble = Sentence("ui.enrol.not_saved")
        self._deck, self._reader = deck, Recogniser(deck)
        self._twins = tuple(
            Twins(one, other, apart, _advice(apart)) for one, other, apart in deck.look_alikes(TWINS)
        )
        self._say("done")

    # What is seen -----------------------------------------------------------------------------------------

    def _seen(self, image: Bgr | None) -> EnrolView:
        phase = "done" if self._deck is not None else "turn" if self._first is not None else "show"
        if phase == "show" and self._other:
            phase = "clash"
        outline = self._easel.outline
        return EnrolView(
            game=self._game,
            games=games(),
            phase=phase,
            hint=self._hint_now(image, phase),
            card=self._queue[0] if self._queue else "",
            taken=len(self._all) - len(self._queue),
            total=len(self._all),
            outline=()
            if outline is None or image is None
            else tuple((float(x) / image.shape[1], float(y) / image.shape[0]) for x, y in outline),
            other=self._other,
            can_go_back=self._first is not None or bool(self._past),
            twins=self._twins if phase == "done" else (),
            read=self._read if phase == "done" else "",
        )

    def _hint_now(self, image: Bgr | None, phase: str) -> Sentence:
        if self._trouble is not None:
            return self._trouble
        if image is None:
            return Sentence("ui.calibrate.no_picture")
        if not self._easel.ready:
            return Sentence("ui.enrol.bare")
        asks_back = phase == "show" and self._queue[0].startswith("back:")
        return Sentence(f"ui.enrol.{self._hint or ('show_back' if asks_back else phase)}")

    def _shown_cards(self) -> tuple[tuple[str, Any], ...]:
        """The card that is asked for, as the plain deck has it; at the end the hardest pairs as shown."""
        if self._deck is not None:
            names = {name for twins in self._twins for name in (twins.one, twins.other)}
            return tuple((name, self._album.of(name)[0]) for name in sorted(names))
        asked = self._queue[0] if self._queue else ""
        pictures = [(asked, self._plain[asked])] if asked in self._plain else []
        if self._other:
            shown = self._album.of(self._other) or [self._plain[self._other]]
            pictures.append((self._other, shown[0]))
        return tuple(pictures)

    def _say(self, what: str) -> None:
        self._spoken = self._spoken[0] + 1, Sentence(f"shared.enrol.{what}")


def _pushed(first: Shown, now: Shown) -> bool:
    """Whether the card lies elsewhere than for its first picture."""
    height = float(np.linalg.norm(first.quad[3] - first.quad[0]))
    return float(np.linalg.norm(now.quad.mean(axis=0) - first.quad.mean(axis=0))) > PUSHED * height


def _advice(apart: float) -> Sentence:
    if apart < SAME:
        return Sentence("ui.enrol.advice.same")
    return Sentence("ui.enrol.advice.hard" if apart < HARD else "ui.enrol.advice.easy")
