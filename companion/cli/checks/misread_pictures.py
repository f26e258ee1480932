"""Turns the picture of a misread card into a labelled test image."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.camera.evidence import list_pictures, picture_path
from companion.camera.table_reader import load_deck_of_game
from companion.core.errors import InputError
from companion.core.observations import ActionDeclared, CorrectionRequested, RegionReading, TableSeen
from companion.programs.store_responder import open_store, rules_of_journal
from companion.referee.journal import Entry, Header
from companion.settings.model import Settings
from companion.system import safe_files
from companion.system.safe_files import SizeLimit, atomic_write
from companion.vision.decks import Deck, DeckError, file_stem
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import Bgr, overlap_share
from companion.vision.pictures import PictureError, read_picture
from companion.vision.recogniser import Recogniser

MIN_PLACE_OVERLAP = 0.2
"""Part of a place and a card's outline together that they share, for the card to lie in it."""


class LabelledPicture(NamedTuple):
    """What was written."""

    photo: Path
    game: str
    card: str
    place: str
    read: str


def write_labelled_picture(
    settings: Settings,
    game: int,
    entry: int,
    *,
    card: str | None,
    place: str | None,
    turned: bool,
    out: Path,
) -> LabelledPicture:
    """Write the picture behind an entry, its label and, if missing, the deck's reference pictures into `out`.

    `card`: what it really was; None: what the correction says. `turned`: it was upside down. Raises
    `InputError` for a game that is not over, an entry without a picture or card, or a folder that cannot be
    written.
    """
    with open_store(settings) as store:
        header, entries = store.read_game(game)
        known = store.find_game(game)
        is_open = known is not None and store.is_open(known)
    if known is None or known.outcome is None or (known.outcome.is_open and not is_open):
        raise InputError(
            f"Game {game} isn't over: until then its pictures stay closed, because they show hidden cards."
        )
    if not is_open:
        raise InputError(
            f"Game {game} was ended early: its pictures stay closed until you choose Show everything."
        )
    found = next((one for one in entries if one.seq == entry), None)
    if found is not None and found.corrects is not None:
        entry, found = found.corrects, next(one for one in entries if one.seq == found.corrects)
    folder = settings.store_folder()
    kept = picture_path(folder, game, entry)
    if found is None or not kept.exists():
        raise InputError(_explain_missing_picture(folder, game, entry))
    try:
        deck, picture = load_deck_of_game(header.game, folder / "decks"), read_picture(kept)
    except (DeckError, PictureError) as trouble:
        raise InputError(f"{trouble}.") from trouble
    region = _find_region(found, place)
    truth = card or _find_true_card(entries, entry, region, deck)
    if truth not in deck.cards:
        raise InputError(f"There is no card {truth} in this deck: {', '.join(deck.cards[:6])}, …")
    seen = Recogniser(deck).recognise(picture)
    read = "+".join(face.card for face in region.faces) or "nothing"
    labels = _make_labels(
        picture, seen, region, truth, _locate_place(picture, header, folder, region), turned=turned
    )
    try:
        photo = _add_to_set(out / "sets" / header.game, f"game-{game}-{entry}.jpg", kept, labels, deck)
    except OSError as trouble:
        raise InputError(f"{trouble.filename or out}: {trouble.strerror}; name another folder.") from trouble
    return LabelledPicture(photo, header.game, truth, region.name, read)


def _explain_missing_picture(folder: Path, game: int, entry: int) -> str:
    known = [str(one.seq) for one in list_pictures(folder) if one.game == game]
    if not known:
        return f"There are no pictures of game {game}. To save them from now on, set storage.evidence = true."
    return f"There is no picture of entry {entry}; there are pictures of entry {', '.join(known)}."


def _find_region(entry: Entry[Any], wanted: str | None) -> RegionReading:
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


def _find_true_card(entries: Sequence[Entry[Any]], wrong: int, region: RegionReading, deck: Deck) -> str:
    """The card that the newest correction of an entry names."""
    for entry in reversed(entries):
        cause = entry.cause
        if entry.corrects != wrong or not isinstance(cause, CorrectionRequested):
            continue
        if isinstance(cause.truth, ActionDeclared):
            truth = str(cause.truth.action.value).partition("@")[0]
            kinds = {face.card.partition(":")[0] for face in region.faces}
            named = [card for card in deck.cards if truth in {card, card.partition(":")[2]}]
            alike = [card for card in named if card.partition(":")[0] in kinds] or named
            if len(alike) == 1:
                return alike[0]
        break
    raise InputError(f"No correction of entry {wrong} says which card it was: add --card.")


def _locate_place(
    picture: Bgr, header: Header, folder: Path, region: RegionReading
) -> NDArray[np.float32] | None:
    """Where the place is in the picture; None if the table cannot be found in it."""
    from companion.camera.calibration_file import load_calibration
    from companion.games import mat_layout
    from companion.vision.layout import Calibration, MarksNotFoundError

    rules = rules_of_journal(header)
    layout = mat_layout(header.game, rules.hand_count(header.setup.with_options(rules.options)))
    try:
        calibration = Calibration.from_marks(picture, layout)
    except MarksNotFoundError:
        known = load_calibration(folder)
        if known is None:
            return None
        layout = known.kept.adjust_layout(header.game, layout)
        calibration = known.kept.to_calibration()
    try:
        return calibration.place_corners(layout.spots(region.name)[0])
    except KeyError:
        return None


def _make_labels(
    picture: Bgr,
    seen: Sequence[Sighting],
    region: RegionReading,
    truth: str,
    quad: NDArray[np.float32] | None,
    *,
    turned: bool,
) -> list[dict[str, Any]]:
    """The card in the place first, then every other that was seen: not verified, so it counts for nothing."""
    read = {face.card for face in region.faces}
    if quad is not None:
        there = [one for one in seen if overlap_share(one.corners, quad) > MIN_PLACE_OVERLAP]
        there.sort(key=lambda one: -overlap_share(one.corners, quad))
    else:
        there = [one for one in seen if one.card in read]
    labels: list[dict[str, Any]] = []
    if there:
        corners = np.roll(there[0].corners, -2, axis=0) if turned else there[0].corners
        labels.append({"card": file_stem(truth), "corners": _to_rounded_lists(corners)})
    elif quad is not None:  # it was not found, so nobody knows which way up it lies
        labels.append({"card": file_stem(truth), "corners": _to_rounded_lists(quad), "sym": True})
    else:
        labels.append({"card": file_stem(truth), "corners": None})
    others = [one for one in seen if not there or one is not there[0]]
    return labels + [
        {"card": file_stem(one.card), "corners": _to_rounded_lists(one.corners), "ignore": True}
        for one in others
    ]


def _to_rounded_lists(corners: NDArray[np.float32]) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in corners]


def _add_to_set(folder: Path, name: str, kept: Path, labels: list[dict[str, Any]], deck: Deck) -> Path:
    """Add the picture and its label to a set; make its references if it has none."""
    from companion.vision.pictures import write_picture

    (folder / "photos").mkdir(parents=True, exist_ok=True)
    refs = folder / "refs"
    if not refs.is_dir():
        refs.mkdir()
        for owner, card in enumerate(deck.cards):
            first = deck.owners.index(owner)
            portrait = deck.pictures[first]
            upright = np.ascontiguousarray(np.rot90(portrait, -1)) if deck.lying[first] else portrait
            write_picture(refs / f"{file_stem(card)}.png", upright)
    file = folder / "labels.json"
    try:
        known = json.loads(safe_files.read_bytes(file, SizeLimit.PICTURE)) if file.exists() else {}
    except ValueError as trouble:
        raise InputError(f"{file} is damaged ({trouble}): fix it, or name another folder.") from trouble
    known[name] = {"split": "dev", "kind": "pos", "cards": labels}
    photo = folder / "photos" / name
    photo.write_bytes(kept.read_bytes())
    with atomic_write(file) as labelled:
        labelled.write(f"{json.dumps(known, indent=1, sort_keys=True)}\n".encode())
    return photo
