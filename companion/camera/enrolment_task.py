"""The live deck enrolment task: photographs each card as it is shown to the camera.

Lives in the camera's thread but for `add_command`, `view`, `card_pictures` and `announcement`. A card is
taken when it rests; a face that was shown before under another name is not taken, and the table is asked
which was wrong.
"""

import logging
import tomllib
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from msgspec.structs import replace

from companion.core.actions import Micros
from companion.core.camera_tasks import CameraCommand, EnrolView, SimilarCards
from companion.core.view import Sentence
from companion.games import all_asset_folders, deck_file, deck_folder, deck_name
from companion.system.fault_isolation import drain_queue
from companion.system.file_owner import make_folder
from companion.vision.acceptance import SAME_FACE_FLAW
from companion.vision.card_capture import CapturedCard, CardCapture, FaceIndex, IndexedFace, face_difference
from companion.vision.decks import Deck, build_deck, file_stem, read_card_pictures
from companion.vision.outlines import Bgr
from companion.vision.pictures import PictureError, read_picture, write_picture
from companion.vision.recogniser import Recogniser

log = logging.getLogger(__name__)
PICTURES_PER_CARD = 2
"""Pictures of each card: the second is the cheapest gain there is (wrong cards fell from 11 to 3 of 280)."""


def enrollable_games() -> tuple[str, ...]:
    """Every game whose faces are known by name."""
    return tuple(sorted(path.stem for folder in all_asset_folders() for path in folder.glob("decks/*.toml")))


def list_cards(game: str) -> tuple[str, ...]:
    """Every face of a game, in the order in which the plain deck lists them."""
    with deck_folder(game).with_suffix(".toml").open("rb") as stream:
        return tuple(str(card["id"]) for card in tomllib.load(stream)["card"])


def load_shipped_faces(game: str) -> dict[str, Bgr]:
    """A picture (uint8, BGR) of each card in the plain deck, to show which one is meant."""
    deck = Deck.load(deck_file(game))
    return {deck.cards[owner]: picture for owner, picture in zip(deck.owners, deck.pictures, strict=True)}


class EnrolmentFolder:
    """A folder of pictures, and the deck that is made of them."""

    def __init__(self, folder: Path, game: str) -> None:
        """`folder` is the table's."""
        self.game = game
        self._pictures = folder / "enrol" / deck_name(game)
        self.deck_path = folder / "decks" / f"{deck_name(game)}.deck"

    def load_pictures(self, cards: tuple[str, ...]) -> list[tuple[str, Bgr]]:
        """The pictures (uint8, BGR) of each card that has all of them; a card with fewer is started over."""
        if not self._pictures.is_dir():
            return []
        self._delete_damaged()
        found = list(read_card_pictures(self._pictures, known=cards))
        count = {card: sum(name == card for name, _ in found) for card in cards}
        whole = [(name, picture) for name, picture in found if count.get(name, 0) >= PICTURES_PER_CARD]
        for card in {name for name, _ in found} - {name for name, _ in whole}:
            self.delete_pictures(card)
        return whole

    def _delete_damaged(self) -> None:
        """Throw away what is no picture any more, as a bad memory card leaves it: it is asked for again."""
        for path in self._pictures.glob("*.png"):
            try:
                read_picture(path)
            except PictureError as trouble:
                log.warning("%s: it is taken again", trouble)
                path.unlink()

    def save_picture(self, card: str, number: int, picture: Bgr) -> None:
        """A card's `number`-th picture; whole or not at all."""
        make_folder(self._pictures)
        write_picture(self._pictures / f"{file_stem(card, number)}.png", picture)

    def delete_pictures(self, card: str) -> None:
        """Forget a card's pictures."""
        for number in range(1, PICTURES_PER_CARD + 1):
            (self._pictures / f"{file_stem(card, number)}.png").unlink(missing_ok=True)

    def save_deck(self, deck: Deck) -> None:
        """The whole deck, to be used in place of the plain one from the next game on."""
        make_folder(self.deck_path.parent)
        deck.save(self.deck_path)


HARD_PAIR_DIFFERENCE = 0.15
"""Faces that differ by less are reported as hard to tell apart; an easy pair differs by 0.5 and more."""
MAX_SHOWN_PAIRS = 2
"""Pairs that the self-check shows."""
MIN_MOVED_SHARE = 0.1
"""Of a card's height: pushed further, and another picture of it is worth taking."""


class EnrolmentTask:
    """One deck being enrolled."""

    def __init__(self, folder: Path, game: str) -> None:
        self._folder = folder
        self._wanted: SimpleQueue[CameraCommand] = SimpleQueue()
        self._easel = CardCapture()
        self._announcement: tuple[int, Sentence | None] = (0, None)
        self._open(game if game in enrollable_games() else enrollable_games()[0])

    def _open(self, game: str) -> None:
        self._game = game
        self._shelf, self._all = EnrolmentFolder(self._folder, game), list_cards(game)
        self._plain = load_shipped_faces(game)
        self._plain_album = FaceIndex(self._plain.items())
        self._album = FaceIndex(self._shelf.load_pictures(self._all))
        taken = {card for card, _ in self._album.pictures()}
        self._queue = [card for card in self._all if card not in taken]
        self._past = [card for card in self._all if card in taken]
        """Cards that were taken, the newest last."""
        self._first: CapturedCard | None = None
        self._last: tuple[IndexedFace, CapturedCard] | None = None
        """The second picture of the card before."""
        self._hint = ""
        self._other = ""
        self._accepted: set[str] = set()
        """Cards that only look like others, as the table said."""
        self._deck: Deck | None = None
        self._reader: Recogniser | None = None
        self._read = ""
        self._twins: tuple[SimilarCards, ...] = ()
        self._trouble: Sentence | None = None
        self._easel.forget_background()
        self._view = self._build_view(None)
        self._finish_if_complete()
        self._view = self._build_view(None)
        self._pictures = self._shown_cards()

    # Called from the loop ---------------------------------------------------------------------------------

    def add_command(self, wanted: CameraCommand) -> None:
        """Carried out with the next picture."""
        self._wanted.put(wanted)

    def view(self) -> EnrolView:
        return self._view

    def card_pictures(self) -> tuple[tuple[str, Any], ...]:
        """Pictures of the cards that the page talks about."""
        return self._pictures

    def announcement(self) -> tuple[int, Sentence | None]:
        return self._announcement

    # In the camera's thread -------------------------------------------------------------------------------

    def step(self, image: Bgr, at: Micros) -> tuple[()]:
        """One picture (height, width, 3)."""
        for wanted in drain_queue(self._wanted):
            self._carry_out(wanted)
        captured = self._easel.step(image)
        try:
            if captured is not None:
                self._process_card(captured)
        except OSError:
            self._trouble = Sentence("ui.enrol.not_saved")
        self._view = self._build_view(image)
        return ()

    def _process_card(self, captured: CapturedCard) -> None:
        """A card rests before the camera."""
        if self._deck is not None:
            assert self._reader is not None
            self._read = self._reader.read_place(captured.frame, captured.quad).card
        elif self._easel.disturbed:
            self._easel.disturbed = False
            if self._first is None:
                self._first_picture(self._queue[0], captured)
            else:
                self._second_picture(self._queue[0], self._first, captured)

    def _first_picture(self, card: str, captured: CapturedCard) -> None:
        if self._album.has_wrong_shape(captured):
            self._hint, self._other = "other_shape", ""
            self._say("another")
            return
        known = self._album.identify(captured)
        if known is not None and self._are_similar_cards(card, known):
            known = None
        if card not in self._accepted:
            if known is not None and self._is_still_there(known, captured):
                return
            other = known.card if known is not None else self._match_shipped_deck(card, captured)
            if other:
                self._hint, self._other = ("shown_before" if known is not None else "looks_like"), other
                self._pictures = self._shown_cards()
                self._say("another")
                return
        self._save_picture(card, captured.picture, 1)
        self._first, self._hint, self._other = captured, "", ""
        self._say("turn")

    def _second_picture(self, card: str, first: CapturedCard, captured: CapturedCard) -> None:
        known = FaceIndex([(card, first.picture)]).identify(captured)
        if known is None:
            self._hint = "not_the_same"
            self._say("another")
            return
        if not known.turned and not _was_moved(first, captured):
            return
        self._save_picture(
            card, np.ascontiguousarray(np.rot90(captured.picture, 2)) if known.turned else captured.picture, 2
        )
        self._first, self._last, self._hint = None, (known, captured), ""
        self._past.append(self._queue.pop(0))
        self._say("good")
        self._finish_if_complete()
        self._pictures = self._shown_cards()

    def _is_still_there(self, known: IndexedFace, captured: CapturedCard) -> bool:
        """Whether this is only the card before, which nobody took away yet: a hand passed over it."""
        if self._last is None or not self._past or known.card != self._past[-1]:
            return False
        before, there = self._last
        return known.turned == before.turned and not _was_moved(there, captured)

    def _are_similar_cards(self, card: str, known: IndexedFace) -> bool:
        """Whether the plain deck has these two as like as this: then they are two cards."""
        if known.card == card or card not in self._plain or known.card not in self._plain:
            return False
        return known.flaw > face_difference(self._plain[card], self._plain[known.card]) / 2

    def _match_shipped_deck(self, card: str, captured: CapturedCard) -> str:
        """The other card of the plain deck that this one is, if it is one of it: a swap, most likely."""
        known = self._plain_album.identify(captured)
        return known.card if known is not None and known.card != card else ""

    def _save_picture(self, card: str, picture: Bgr, number: int) -> None:
        self._trouble = None
        self._shelf.save_picture(card, number, picture)
        self._album.add(card, picture)

    # What people want -------------------------------------------------------------------------------------

    def _carry_out(self, wanted: CameraCommand) -> None:
        match wanted:
            case CameraCommand("game"):
                known = enrollable_games()
                self._open(known[(known.index(self._game) + 1) % len(known)])
            case CameraCommand("bare"):
                self._easel.forget_background()
            case CameraCommand("retake"):
                self._retake()
            case CameraCommand("later") if len(self._queue) > 1 and self._deck is None:
                self._forget(self._queue[0])
                self._queue.append(self._queue.pop(0))
            case CameraCommand("mine", (str() as how,)) if self._other:
                if how == "mine":
                    self._ask_again(self._other)
                self._accepted.add(self._queue[0])
                self._hint = self._other = ""
                self._easel.disturbed = True
            case CameraCommand("anew"):
                for card in self._all:
                    self._shelf.delete_pictures(card)
                self._open(self._game)
            case CameraCommand("again", (str() as card,)) if card in self._all:
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
        self._shelf.delete_pictures(card)
        self._album.drop(card)
        self._accepted.discard(card)
        self._first, self._hint, self._other = None, "", ""

    # The end ----------------------------------------------------------------------------------------------

    def _finish_if_complete(self) -> None:
        """With the last card the deck is made, saved and checked."""
        if self._queue:
            return
        order = {card: number for number, card in enumerate(self._all)}
        pictures = sorted(self._album.pictures(), key=lambda one: order.get(one[0], len(order)))
        self._view = replace(self._view, hint=Sentence("ui.enrol.checking"), outline=())
        deck = build_deck(pictures, name=self._game, complete=True)
        try:
            self._shelf.save_deck(deck)
        except OSError:
            self._trouble = Sentence("ui.enrol.not_saved")
        self._deck, self._reader = deck, Recogniser(deck)
        self._twins = tuple(
            SimilarCards(one, other, apart, _similarity_advice(apart))
            for one, other, apart in deck.find_look_alikes(MAX_SHOWN_PAIRS)
        )
        self._say("done")

    # What is seen -----------------------------------------------------------------------------------------

    def _build_view(self, image: Bgr | None) -> EnrolView:
        phase = "done" if self._deck is not None else "turn" if self._first is not None else "show"
        if phase == "show" and self._other:
            phase = "clash"
        outline = self._easel.outline
        return EnrolView(
            game=self._game,
            games=enrollable_games(),
            phase=phase,
            hint=self._hint_sentence(image, phase),
            card=self._queue[0] if self._queue else "",
            cards=self._all,
            known=frozenset(self._all) - frozenset(self._queue),
            outline=()
            if outline is None or image is None
            else tuple((float(x) / image.shape[1], float(y) / image.shape[0]) for x, y in outline),
            other=self._other,
            can_go_back=self._first is not None or bool(self._past),
            twins=self._twins if phase == "done" else (),
            read=self._read if phase == "done" else "",
        )

    def _hint_sentence(self, image: Bgr | None, phase: str) -> Sentence:
        if self._trouble is not None:
            return self._trouble
        if image is None:
            return Sentence("ui.calibrate.no_picture")
        if not self._easel.ready:
            return Sentence("ui.enrol.bare")
        if self._easel.shows_round:
            return Sentence("ui.enrol.round")
        asks_back = phase == "show" and self._queue[0].startswith("back:")
        return Sentence(f"ui.enrol.{self._hint or ('show_back' if asks_back else phase)}")

    def _shown_cards(self) -> tuple[tuple[str, Any], ...]:
        """The card that is asked for, as the plain deck has it; at the end the hardest pairs as shown."""
        if self._deck is not None:
            names = {name for twins in self._twins for name in (twins.one, twins.other)}
            return tuple((name, self._album.pictures_of(name)[0]) for name in sorted(names))
        asked = self._queue[0] if self._queue else ""
        pictures = [(asked, self._plain[asked])] if asked in self._plain else []
        if self._other:
            shown = self._album.pictures_of(self._other) or [self._plain[self._other]]
            pictures.append((self._other, shown[0]))
        return tuple(pictures)

    def _say(self, what: str) -> None:
        self._announcement = self._announcement[0] + 1, Sentence(f"shared.enrol.{what}")


def _was_moved(first: CapturedCard, now: CapturedCard) -> bool:
    """Whether the card lies elsewhere than for its first picture."""
    height = float(np.linalg.norm(first.quad[3] - first.quad[0]))
    return float(np.linalg.norm(now.quad.mean(axis=0) - first.quad.mean(axis=0))) > MIN_MOVED_SHARE * height


def _similarity_advice(apart: float) -> Sentence:
    if apart < SAME_FACE_FLAW:
        return Sentence("ui.enrol.advice.same")
    return Sentence("ui.enrol.advice.hard" if apart < HARD_PAIR_DIFFERENCE else "ui.enrol.advice.easy")
