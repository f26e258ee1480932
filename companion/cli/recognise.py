"""`companion recognise`: which cards lie in pictures, where, and how surely."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.settings.terminal import say, say_json

if TYPE_CHECKING:
    from companion.vision.decks import Deck
    from companion.vision.search import Sighting

UNREADABLE = 2
"""What the command ends with when a picture could not be read, or drawn; the others were."""
ENOUGH = 3200
"""Pixels of a side by which the light and colour of a photo are told: looking at all takes much memory."""
Picture = Any
"""Height × width × 3, BGR: numpy is imported when the verb runs."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Name the cards in pictures; `UNREADABLE` if a picture could not be read or drawn.

    Raises `InputError` for a deck that cannot be read.
    """
    from companion.games.asked import deck_named

    deck = deck_named(args.deck)
    from companion.core.clock import GameClock
    from companion.vision.decks import DeckError, renewed
    from companion.vision.pictures import PictureError, opened
    from companion.vision.recognise import Recogniser, one_thread

    one_thread()
    try:
        learnt = renewed(deck, _learning(deck))
    except DeckError as trouble:
        raise InputError(f"{trouble}.") from trouble
    drawings = _drawings(args.draw, args.images) if args.draw else ()
    recogniser: Recogniser | None = None  # made for the first picture that can be read: it takes seconds
    clock, told, failed = GameClock(), [], False
    for number, path in enumerate(args.images):
        about: dict[str, Any] = {"image": str(path)}
        try:
            picture = opened(path)
            recogniser = recogniser or Recogniser(learnt)
            before = clock.now()
            seen = recogniser.recognise(picture, explain=args.explain)
        except PictureError as trouble:
            failed = True
            say(f"companion: {trouble}.", error=True)
            told.append({**about, "error": f"{trouble}.", "cards": [], "unknown": []})
            continue
        about |= _plain([s for s in seen if s.card], picture) | {"ms": (clock.now() - before) / 1000}
        told.append(about)
        if not about["cards"] and (hint := _hint(picture, learnt)):
            about["hint"] = hint
        if args.explain:
            about["outlines"] = [_explained(one, picture) for one in seen]
        if not args.json:
            _print(about, complete=learnt.complete)
        if drawings and not _draw(drawings[number], picture, [s for s in seen if s.card]):
            failed = True
        elif drawings and not args.json:
            say(f"  marked in {drawings[number]}")
    if args.json:
        say_json(told, indent=1)
    return UNREADABLE if failed else 0


def _learning(deck: Path) -> Callable[[float], None]:
    """Says how far an older deck is learnt, at each quarter."""
    said = 0

    def told(share: float) -> None:
        nonlocal said
        if int(4 * share) > said:
            said = int(4 * share)
            say(f"{deck.name} is from an older version; converting it: {25 * said} %.", error=True)

    return told


def _plain(seen: Sequence[Sighting], picture: Picture) -> dict[str, Any]:
    """What was seen, as JSON has it."""
    from companion.core.observations import UNKNOWN

    def one(sighting: Sighting) -> dict[str, Any]:
        chance = round(sighting.confidence, 4)
        return {"card": sighting.card, "corners": _corners(sighting), "confidence": chance, "score": chance}

    return {
        "width": picture.shape[1],
        "height": picture.shape[0],
        "cards": [one(s) for s in sorted(seen, key=lambda s: -s.confidence) if s.card != UNKNOWN],
        "unknown": [one(s) for s in seen if s.card == UNKNOWN],
    }


def _hint(picture: Picture, deck: Deck) -> str:
    """What is wrong with a picture in which no card was read; "" if that is not plain."""
    from companion.vision.decks import LEAST_SIDE
    from companion.vision.pictures import black, colourless, white

    high, wide = picture.shape[:2]
    if min(high, wide) < LEAST_SIDE:
        return f"the photo has only {wide} x {high} pixels: take a larger one"
    step = max(1, max(high, wide) // ENOUGH)
    picture = picture[::step, ::step]
    if black(picture):
        return "the photo is black: take off the lens cap, or switch on a light"
    if white(picture):
        return "the photo is white all over, far too much light: turn the lamp away, or expose it less"
    if colourless(picture) and not all(map(colourless, deck.pictures)):
        return "the photo has no colour, which cards are told by as well: take it in colour"
    return ""


def _explained(seen: Sighting, picture: Picture) -> dict[str, Any]:
    """How one outline was judged, as JSON has it; "card" is empty if it was given up."""
    why, refused = {}, ""
    if seen.why is not None:
        refused = str(seen.why.refused)
        bright = " (too bright to tell the two apart)" if _too_bright(seen, picture) else ""
        why = {"best": seen.why.card, "rival": seen.why.rival, "why": f"{seen.why}{bright}"}
    return {"card": seen.card, "corners": _corners(seen), "refused": refused, **why}


def _corners(seen: Sighting) -> list[list[float]]:
    """The corners to a tenth of a pixel, without a zero below zero."""
    return [[round(float(x), 1) + 0.0, round(float(y), 1) + 0.0] for x, y in seen.corners]


def _too_bright(seen: Sighting, picture: Picture) -> bool:
    """Was a card refused because pale print, by which it is told from its sister, may be burnt out?"""
    from companion.vision.burnt import SMALL, is_burnt
    from companion.vision.judge import Refusal
    from companion.vision.locate import Pyramid

    if seen.why is None or seen.why.refused != Refusal.SISTER or seen.why.lead != 0:
        return False
    return is_burnt(Pyramid(picture).view(seen.corners, SMALL))


def _print(about: dict[str, Any], *, complete: bool) -> None:
    """One picture's cards for a person; `complete`: the deck's print has no other cards."""
    from companion.vision.judge import unread

    count, strangers = len(about["cards"]), len(about["unknown"])
    rest = f", and {unread(strangers, complete=complete)}" if strangers else ""
    say(f"{about['image']}: {count} card{'s' * (count != 1)}{rest} ({about['ms']:.0f} ms)")
    for card in about["cards"]:
        corners = " ".join(f"{round(x)},{round(y)}" for x, y in card["corners"])
        say(f"  {card['card']:<16} {card['confidence']:.2f}  {corners}")
    if about.get("outlines") == []:
        say("  nothing in it has the outline of a card and looks like one of this deck")
    if "hint" in about:
        say(f"  {about['hint']}")
    judged = []
    for one in about.get("outlines", ()):
        x, y = (sum(along) / 4 for along in zip(*one["corners"], strict=True))
        judged.append(
            f"  {one['card'] or 'given up':<16} at {x:.0f},{y:.0f}: {one.get('why', 'nothing compared')}"
        )
    say(*dict.fromkeys(judged))  # one place is often outlined more than once


def _drawings(folder: Path, images: Sequence[Path]) -> tuple[Path, ...]:
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


def _draw(path: Path, picture: Picture, seen: Sequence[Sighting]) -> bool:
    """Whether the drawing could be written; if not, why is said, and the other pictures are still read."""
    from companion.vision.drawing import drawn, save

    try:
        save(path, drawn(picture, seen))
    except OSError as trouble:
        say(f"companion: can't write {path} ({trouble.strerror}); name another folder.", error=True)
        return False
    return True
