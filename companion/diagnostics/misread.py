"""Labels a picture of a game: the card that was misread there, and what else was seen as not verified."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.camera.evidence import path_of, pictures
from companion.camera.reader import deck_of
from companion.core import strangers
from companion.core.errors import InputError
from companion.core.observations import Corrected, Declared, Region, TableSeen
from companion.core.strangers import Most
from companion.core.whole import replacing
from companion.referee.journal import Entry, Header
from companion.settings.model import Settings
from companion.settings.stored_games import rules_of, store_of
from companion.vision.decks import Deck, DeckError, file_stem
from companion.vision.locate import Bgr, overlap
from companion.vision.pictures import PictureError, opened
from companion.vision.recognise import Recogniser
from companion.vision.search import Sighting

OVER_IT = 0.2
"""Part of a place and a card's outline together that they share, for the card to lie in it."""


class Made(NamedTuple):
    """What was written."""

    photo: Path
    game: str
    card: str
    place: str
    read: str


def labelled(
    settings: Settings,
    game: int,
    entry: int,
    *,
    card: str | None,
    place: str | None,
    turned: bool,
    out: Path,
) -> Made:
    """Write the picture behind an entry, its label and, if missing, the deck's reference pictures into `out`.

    `card`: what it really was; None: what the correction says. `turned`: it was upside down. Raises
    `InputError` for a game that is not over, an entry without a picture or card, or a folder that cannot be
    written.
    """
    with store_of(settings) as store:
        header, entries = store.read(game)
        known = store.game(game)
    if known is None or known.outcome is None:
        raise InputError(
            f"Game {game} isn't over: until then its pictures stay closed, because they show hidden cards."
        )
    if not known.outcome.is_open:
        raise InputError(
            f"Game {game} was ended early: its pictures stay closed until you choose Show everything."
        )
    found = next((one for one in entries if one.seq == entry), None)
    if found is not None and found.corrects is not None:
        entry, found = found.corrects, next(one for one in entries if one.seq == found.corrects)
    folder = settings.store_folder()
    kept = path_of(folder, game, entry)
    if found is None or not kept.exists():
        raise InputError(_not_kept(folder, game, entry))
    try:
        deck, picture = deck_of(header.game, folder / "decks"), opened(kept)
    except (DeckError, PictureError) as trouble:
        raise InputError(f"{trouble}.") from trouble
    region = _region(found, place)
    truth = card or _truth(entries, entry, region, deck)
    if truth not in deck.cards:
        raise InputError(f"There is no card {truth} in this deck: {', '.join(deck.cards[:6])}, …")
    seen = Recogniser(deck).recognise(picture)
    read = "+".join(face.card for face in region.faces) or "nothing"
    labels = _labels(picture, seen, region, truth, _quad(picture, header, folder, region), turned=turned)
    try:
        photo = _written(out / "sets" / header.game, f"game-{game}-{entry}.jpg", kept, labels, deck)
    except OSError as trouble:
        raise InputError(f"{trouble.filename or out}: {trouble.strerror}; name another folder.") from trouble
    return Made(photo, header.game, truth, region.name, read)


def _not_kept(folder: Path, game: int, entry: int) -> str:
    known = [str(one.seq) for one in pictures(folder) if one.game == game]
    if not known:
        return f"There are no pictures of game {game}. To save them from now on, set storage.evidence = true."
    return f"There is no picture of entry {entry}; there are pictures of entry {', '.join(known)}."


def _region(entry: Entry[Any], wanted: str | None) -> Region:
    """The place whose reading was wrong."""
    cause = entry.cause
    regions = cause.regions if isinstance(cause, TableSeen) else ()
    named = [region for region in regions if wanted in {None, region.name}]
    if not regions or (wanted is not None and not named):
        there = ", ".join(region.name for region in regions) or "no place"
        raise InputError(f"Entry {entry.seq} read {there}; name an entry, or a place, that was read.")
    if len(named) > 1:
        there = ", ".join(region.name for region in named)
        raise InputError(f"Entry {entry.seq} read several places: choose one with --place ({there}).")
    return named[0]


def _truth(entries: Sequence[Entry[Any]], wrong: int, region: Region, deck: Deck) -> str:
    """The card that the newest correction of an entry names."""
    for entry in reversed(entries):
        cause = entry.cause
        if entry.corrects != wrong or not isinstance(cause, Corrected):
            continue
        if isinstance(cause.truth, Declared):
            truth = str(cause.truth.action.value).partition("@")[0]
            kinds = {face.card.partition(":")[0] for face in region.faces}
            named = [card for card in deck.cards if truth in {card, card.partition(":")[2]}]
            alike = [card for card in named if card.partition(":")[0] in kinds] or named
            if len(alike) == 1:
                return alike[0]
        break
    raise InputError(f"No correction of entry {wrong} says which card it was: add --card.")


def _quad(picture: Bgr, header: Header, folder: Path, region: Region) -> NDArray[np.float32] | None:
    """Where the place is in the picture; None if the table cannot be found in it."""
    from companion.camera.calibration_file import load
    from companion.games import mat_layouts
    from companion.vision.calibration import found_mat
    from companion.vision.layout import MarksNotFoundError

    rules = rules_of(header)
    mats = mat_layouts(header.game, rules.seats(header.setup.under(rules.options)))
    try:
        layout, calibration = found_mat(picture, mats)
    except MarksNotFoundError:
        known = load(folder)
        if known is None:
            return None
        layout, calibration = known.kept.layout(header.game, known.kept.mat(mats)), known.kept.calibration()
    try:
        return calibration.quad(layout.spots(region.name)[0])
    except KeyError:
        return None


def _labels(
    picture: Bgr,
    seen: Sequence[Sighting],
    region: Region,
    truth: str,
    quad: NDArray[np.float32] | None,
    *,
    turned: bool,
) -> list[dict[str, Any]]:
    """The card in the place first, then every other that was seen: not verified, so it counts for nothing."""
    read = {face.card for face in region.faces}
    if quad is not None:
        there = [one for one in seen if overlap(one.corners, quad) > OVER_IT]
        there.sort(key=lambda one: -overlap(one.corners, quad))
    else:
        there = [one for one in seen if one.card in read]
    labels: list[dict[str, Any]] = []
    if there:
        corners = np.roll(there[0].corners, -2, axis=0) if turned else there[0].corners
        labels.append({"card": file_stem(truth), "corners": _plain(corners)})
    elif quad is not None:  # it was not found, so nobody knows which way up it lies
        labels.append({"card": file_stem(truth), "corners": _plain(quad), "sym": True})
    else:
        labels.append({"card": file_stem(truth), "corners": None})
    others = [one for one in seen if not there or one is not there[0]]
    return labels + [
        {"card": file_stem(one.card), "corners": _plain(one.corners), "ignore": True} for one in others
    ]


def _plain(corners: NDArray[np.float32]) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in corners]


def _written(folder: Path, name: str, kept: Path, labels: list[dict[str, Any]], deck: Deck) -> Path:
    """Add the picture and its label to a set; make its references if it has none."""
    from companion.vision.pictures import written

    (folder / "photos").mkdir(parents=True, exist_ok=True)
    refs = folder / "refs"
    if not refs.is_dir():
        refs.mkdir()
        for owner, card in enumerate(deck.cards):
            first = deck.owners.index(owner)
            portrait = deck.pictures[first]
            upright = np.ascontiguousarray(np.rot90(portrait, -1)) if deck.lying[first] else portrait
            written(refs / f"{file_stem(card)}.png", upright)
    file = folder / "labels.json"
    try:
        known = json.loads(strangers.read(file, Most.PICTURE)) if file.exists() else {}
    except ValueError as trouble:
        raise InputError(f"{file} is damaged ({trouble}): fix it, or name another folder.") from trouble
    known[name] = {"split": "dev", "kind": "pos", "cards": labels}
    photo = folder / "photos" / name
    photo.write_bytes(kept.read_bytes())
    with replacing(file) as labelled:
        labelled.write(f"{json.dumps(known, indent=1, sort_keys=True)}\n".encode())
    return photo
