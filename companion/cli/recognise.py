"""`companion recognise`: lists the cards that are recognised in picture files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import print_json, print_lines

if TYPE_CHECKING:
    from companion.vision.decks import Deck
    from companion.vision.outline_reading import Sighting

UNREADABLE_EXIT_CODE = 2
"""What the command ends with when a picture could not be read, or drawn; the others were."""
MAX_HINT_SIDE = 3200
"""Pixels of a side by which the light and colour of a photo are told: looking at all takes much memory."""
Picture = Any
"""Height × width × 3, BGR: numpy is imported when the verb runs."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Name the cards in pictures; `UNREADABLE_EXIT_CODE` if a picture could not be read or drawn.

    Raises `InputError` for a deck that cannot be read.
    """
    from companion.games import find_deck_file

    deck = find_deck_file(args.deck)
    from companion.core.clock import GameClock
    from companion.vision.decks import DeckError, load_and_upgrade_deck
    from companion.vision.pictures import PictureError, read_picture
    from companion.vision.recogniser import Recogniser, limit_opencv_to_one_thread

    limit_opencv_to_one_thread()
    try:
        learnt = load_and_upgrade_deck(deck, _upgrade_progress(deck))
    except DeckError as trouble:
        raise InputError(f"{trouble}.") from trouble
    drawings = _drawing_paths(args.draw, args.images) if args.draw else ()
    recogniser: Recogniser | None = None  # made for the first picture that can be read: it takes seconds
    clock, told, failed = GameClock(), [], False
    for number, path in enumerate(args.images):
        about: dict[str, Any] = {"image": str(path)}
        try:
            picture = read_picture(path)
            recogniser = recogniser or Recogniser(learnt)
            before = clock.now()
            seen = recogniser.recognise(picture, explain=args.explain)
        except PictureError as trouble:
            failed = True
            print_lines(f"companion: {trouble}.", error=True)
            told.append({**about, "error": f"{trouble}.", "cards": [], "unknown": []})
            continue
        about |= _to_json([s for s in seen if s.card], picture) | {"ms": (clock.now() - before) / 1000}
        told.append(about)
        if not about["cards"] and (hint := _picture_problem(picture, learnt)):
            about["hint"] = hint
        if args.explain:
            about["outlines"] = [_judgement_to_json(one, picture) for one in seen]
        if not args.json:
            _print_cards(about, complete=learnt.complete)
        if drawings and not _write_drawing(drawings[number], picture, [s for s in seen if s.card]):
            failed = True
        elif drawings and not args.json:
            print_lines(f"  marked in {drawings[number]}")
    if args.json:
        print_json(told, indent=1)
    return UNREADABLE_EXIT_CODE if failed else 0


def _upgrade_progress(deck: Path) -> Callable[[float], None]:
    """Says how far an older deck is learnt, at each quarter."""
    said = 0

    def print_progress(share: float) -> None:
        nonlocal said
        if int(4 * share) > said:
            said = int(4 * share)
            print_lines(f"{deck.name} is from an older version; converting it: {25 * said} %.", error=True)

    return print_progress


def _to_json(seen: Sequence[Sighting], picture: Picture) -> dict[str, Any]:
    """What was seen, as JSON has it."""
    from companion.core.observations import UNKNOWN

    def sighting_to_json(sighting: Sighting) -> dict[str, Any]:
        chance = round(sighting.confidence, 4)
        return {
            "card": sighting.card,
            "corners": _round_corners(sighting),
            "confidence": chance,
            "score": chance,
        }

    return {
        "width": picture.shape[1],
        "height": picture.shape[0],
        "cards": [
            sighting_to_json(s) for s in sorted(seen, key=lambda s: -s.confidence) if s.card != UNKNOWN
        ],
        "unknown": [sighting_to_json(s) for s in seen if s.card == UNKNOWN],
    }


def _picture_problem(picture: Picture, deck: Deck) -> str:
    """What is wrong with a picture in which no card was read; "" if that is not plain."""
    from companion.vision.decks import MIN_SIDE
    from companion.vision.pictures import is_black, is_colourless, is_white

    high, wide = picture.shape[:2]
    if min(high, wide) < MIN_SIDE:
        return f"the photo has only {wide} x {high} pixels: take a larger one"
    step = max(1, max(high, wide) // MAX_HINT_SIDE)
    picture = picture[::step, ::step]
    if is_black(picture):
        return "the photo is black: take off the lens cap, or switch on a light"
    if is_white(picture):
        return "the photo is white all over, far too much light: turn the lamp away, or expose it less"
    if is_colourless(picture) and not all(map(is_colourless, deck.pictures)):
        return "the photo has no colour, which cards are told by as well: take it in colour"
    return ""


def _judgement_to_json(seen: Sighting, picture: Picture) -> dict[str, Any]:
    """How one outline was judged, as JSON has it; "card" is empty if it was given up."""
    why, refused = {}, ""
    if seen.why is not None:
        refused = str(seen.why.refused)
        bright = " (too bright to tell the two apart)" if _may_be_overexposed(seen, picture) else ""
        why = {"best": seen.why.card, "rival": seen.why.rival, "why": f"{seen.why}{bright}"}
    return {"card": seen.card, "corners": _round_corners(seen), "refused": refused, **why}


def _round_corners(seen: Sighting) -> list[list[float]]:
    """The corners to a tenth of a pixel, without a zero below zero."""
    return [[round(float(x), 1) + 0.0, round(float(y), 1) + 0.0] for x, y in seen.corners]


def _may_be_overexposed(seen: Sighting, picture: Picture) -> bool:
    """Was a card refused because pale print, by which it is told from its sister, may be burnt out?"""
    from companion.vision.acceptance import RejectionReason
    from companion.vision.comparison import COUNTING_SIZE, is_overexposed
    from companion.vision.outlines import Pyramid

    if seen.why is None or seen.why.refused != RejectionReason.LOOK_ALIKE or seen.why.lead != 0:
        return False
    return is_overexposed(Pyramid(picture).view(seen.corners, COUNTING_SIZE))


def _print_cards(about: dict[str, Any], *, complete: bool) -> None:
    """One picture's cards for a person; `complete`: the deck's print has no other cards."""
    from companion.vision.acceptance import unread_cards_text

    count, strangers = len(about["cards"]), len(about["unknown"])
    rest = f", and {unread_cards_text(strangers, complete=complete)}" if strangers else ""
    print_lines(f"{about['image']}: {count} card{'s' * (count != 1)}{rest} ({about['ms']:.0f} ms)")
    for card in about["cards"]:
        corners = " ".join(f"{round(x)},{round(y)}" for x, y in card["corners"])
        print_lines(f"  {card['card']:<16} {card['confidence']:.2f}  {corners}")
    if about.get("outlines") == []:
        print_lines("  nothing in it has the outline of a card and looks like one of this deck")
    if "hint" in about:
        print_lines(f"  {about['hint']}")
    judged = []
    for one in about.get("outlines", ()):
        x, y = (sum(along) / 4 for along in zip(*one["corners"], strict=True))
        judged.append(
            f"  {one['card'] or 'given up':<16} at {x:.0f},{y:.0f}: {one.get('why', 'nothing compared')}"
        )
    print_lines(*dict.fromkeys(judged))  # one place is often outlined more than once


def _drawing_paths(folder: Path, images: Sequence[Path]) -> tuple[Path, ...]:
    """Where each picture's drawing goes: a name for each, even if two pictures have the same one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(f"{folder} is a file; name a folder for the pictures.") from None
    except OSError as trouble:
        raise InputError(f"can't make {folder} ({trouble.strerror}); name another folder.") from trouble
    names: list[str] = []
    for path in images:
        name, number = f"{path.stem}-seen", 2
        while name in names:
            name, number = f"{path.stem}-{number}-seen", number + 1
        names.append(name)
    return tuple(folder / f"{name}.jpg" for name in names)


def _write_drawing(path: Path, picture: Picture, seen: Sequence[Sighting]) -> bool:
    """Whether the drawing could be written; if not, why is said, and the other pictures are still read."""
    from companion.vision.drawing import draw_sightings, save_drawing

    try:
        save_drawing(path, draw_sightings(picture, seen))
    except OSError as trouble:
        print_lines(f"companion: can't write {path} ({trouble.strerror}); name another folder.", error=True)
        return False
    return True
