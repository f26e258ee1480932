"""The commands of the camera: `calibrate`, `enrol`, `recognise`, `watch`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import (
    count_with_noun,
    draw_count,
    explain_write_errors,
    print_json,
    print_lines,
)

if TYPE_CHECKING:
    from companion.vision.decks import Deck, DeckError
    from companion.vision.outline_reading import Sighting


def calibrate_command(args: argparse.Namespace, settings: Settings) -> int:
    """Calibrate at the screen, or once and print it. Raises `InputError` for --from with --simulate."""
    from companion.games import find_game_rules, games_with_mat
    from companion.programs.camera_programs import calibrate_on_screen, calibrate_once, simulate_bare_mat

    game = games_with_mat()[0] if args.game is None else find_game_rules(args.game).name
    if args.source is not None:
        if args.simulate:
            raise InputError("use either --from or --simulate, not both.")
        camera = {"kind": "folder", "device": str(args.source)}
        from msgspec.structs import replace

        settings = replace(settings, camera=replace(settings.camera, **camera))
    simulated = simulate_bare_mat(game) if args.simulate else None
    if args.once or args.json:
        return calibrate_once(settings, game, simulated, as_json=args.json)
    return calibrate_on_screen(settings, game, simulated)


MAX_SHOWN_CARDS = 5
UNREADABLE_EXIT_CODE = 2
"""The exit code when a picture could not be read, used or drawn; the others were."""
HEIC_SUFFIXES = (".heic", ".heif")
HEIC_REMEDY = (
    "HEIC, which is not read: save them as JPEG (iPhone: Settings, Camera, Formats, Most Compatible)"
)
EASY_PAIR_DIFFERENCE = 0.15
"""Faces that differ by so much are not mistaken for each other."""
Picture = Any
"""Height × width × 3, BGR: numpy is imported when the command runs."""


def enrol_command(args: argparse.Namespace, settings: Settings) -> int:
    """Learn a deck at the screen, or from the pictures in a folder; `UNREADABLE_EXIT_CODE` if some could
    not be used.

    Raises `InputError` for --from without --out or the reverse, and where folder, pictures or file are of no
    use.
    """
    _check_arguments(args)
    if args.source is None:
        from companion.programs.camera_programs import run_enrolment

        return run_enrolment(settings, args.game, simulate=args.simulate)
    from companion.vision.acceptance import SAME_FACE_FLAW
    from companion.vision.card_capture import find_oddly_shaped_cards, shows_table_around_cards
    from companion.vision.decks import DeckError, build_deck

    refused: list[DeckError] = []
    known = _list_card_ids(args.game)
    try:
        if heic := sum(path.suffix.lower() in HEIC_SUFFIXES for path in args.source.iterdir()):
            refused.append(DeckError(f"{count_with_noun(heic, 'photo is', 'photos are')} {HEIC_REMEDY}"))
        found = _read_pictures(args, known, refused.append)
        pictures = _count_pictures(found, refused, args.source)
        name = args.name or args.source.resolve().name
        deck = build_deck(pictures, name=name, complete=not args.partial)
    except DeckError as trouble:
        raise InputError(f"{args.source}: {trouble}.") from trouble
    except OSError as trouble:
        raise InputError(f"can't read {args.source} ({trouble.strerror}); name another folder.") from trouble
    hardest = deck.find_look_alikes(MAX_SHOWN_CARDS)
    with explain_write_errors(args.out):
        deck.save(args.out)
    without = f"; {len(refused) + max(heic - 1, 0)} could not be used" if refused else ""
    summary = (
        f"{count_with_noun(len(deck.cards), 'card')} from {count_with_noun(len(deck.pictures), 'picture')}"
    )
    print_lines(f"{args.out}: {summary}{without}")
    if deck.complete:
        print_lines("  treated as the whole deck; if there are more cards, add --partial")
    else:
        most = max(deck.limits.flaws)
        print_lines(
            f"  a card you left out may be taken for one of these if the two differ by less than {most:.2f}"
        )
    if strange := [card for card in deck.cards if known and card not in known]:
        print_lines(
            f"  {args.game} has no {_join_some(strange)}: "
            f"name its photos like {known[0].replace(':', '_')}.jpg"
        )
    if missing := [card for card in known if card not in deck.cards]:
        print_lines(f"  {args.game} also has {_join_some(missing)}: add their photos")
    if shows_table_around_cards(deck):
        print_lines(
            "  most pictures show the table round the card: crop them to the card's edges, then enrol again"
        )
    for card in find_oddly_shaped_cards(deck):
        print_lines(f"  the picture of {card} has another shape than the others: crop it to the card")
    for card, shown in deck.find_swapped_pictures():
        print_lines(f"  the second picture of {card} shows {shown or 'another card'}: check the files")
    for one, other, difference in hardest:
        if difference < SAME_FACE_FLAW:
            verdict = "the same card under two names: remove one"
        elif difference >= EASY_PAIR_DIFFERENCE:
            verdict = "easy to tell apart"
        elif len(deck.pictures) < 2 * len(deck.cards):
            verdict = "add a second photo of each"
        else:
            verdict = "hard: use more light"
        print_lines(f"  {one} and {other} differ by {difference:.2f}: {verdict}")
    return UNREADABLE_EXIT_CODE if refused else 0


def _read_pictures(
    args: argparse.Namespace, known: Sequence[str], refused: Callable[[DeckError], None]
) -> Iterable[tuple[str, Picture]]:
    """The pictures of the cards in a folder's photos; `refused`: called with what is none."""
    if not args.spread:
        from companion.vision.decks import read_card_pictures

        return read_card_pictures(args.source, known=known, refused=refused)
    from companion.camera.enrolment_task import list_cards
    from companion.vision.card_capture import read_spread_photos

    return read_spread_photos(args.source, list_cards(args.game))


def _check_arguments(args: argparse.Namespace) -> None:
    """Raise `InputError` unless the options go together, and folder and file may be what they have to be."""
    if (args.source is None) != (args.out is None):
        raise InputError("use --from and --out together, or leave out both to use the camera.")
    if args.source is None:
        if args.partial or args.name or args.spread:
            raise InputError("--spread, --partial and --name are for photos: use --from and --out with them.")
        return
    if args.spread and args.game is None:
        raise InputError("--spread needs the game whose deck it is, such as hearts.")
    if args.simulate:
        raise InputError("use either --simulate or --from, not both.")
    if args.source.is_file():
        raise InputError(f"{args.source} is a file; name the folder it is in, with a photo of each card.")
    if not args.source.is_dir():
        raise InputError(f"There is no folder {args.source}; name one with a photo of each card.")
    if args.out.is_dir():
        raise InputError(f"{args.out} is a folder; name a file in it, such as {args.out / 'my.deck'}.")


def _join_some(cards: Sequence[str]) -> str:
    """The first few cards, and how many there are besides."""
    more = f" and {len(cards) - MAX_SHOWN_CARDS} more" if len(cards) > MAX_SHOWN_CARDS else ""
    return f"{', '.join(cards[:MAX_SHOWN_CARDS])}{more}"


def _list_card_ids(game: str | None) -> tuple[str, ...]:
    """The ids of a game's cards, as the deck that comes with the program has them."""
    from companion.games import deck_file, find_game_rules
    from companion.vision.decks import Deck

    if game is None:
        return ()
    shipped = deck_file(find_game_rules(game).name)
    if not shipped.exists():
        raise InputError(f"The cards of {game} are not known here; leave its name out.")
    return Deck.load(shipped).cards


def _count_pictures(
    pictures: Iterable[tuple[str, Picture]], refused: Sequence[Exception], folder: Path
) -> Iterator[tuple[str, Picture]]:
    """The pictures, counted on a terminal; then what was refused, a line each; raises if nothing is left."""
    number = 0
    for number, picture in enumerate(pictures, 1):
        draw_count(number, "pictures")
        yield picture
    if not (number or refused):
        raise InputError(
            f"There is no photo in {folder}; put one of each card there, named after it: KS.jpg."
        )
    reported = refused if number else refused[:-1]
    for trouble in reported:
        print_lines(f"companion: {trouble}.", error=True)
    if len(reported) < len(refused):
        raise InputError(f"{refused[-1]}.")


MAX_HINT_SIDE = 3200
"""Pixels of a side by which the light and colour of a photo are told: looking at all takes much memory."""


def recognise_command(args: argparse.Namespace, settings: Settings) -> int:
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
        deck_faces = load_and_upgrade_deck(deck, _upgrade_progress(deck))
    except DeckError as trouble:
        raise InputError(f"{trouble}.") from trouble
    drawings = _drawing_paths(args.draw, args.images) if args.draw else ()
    recogniser: Recogniser | None = None  # made for the first picture that can be read: it takes seconds
    clock, results, failed = GameClock(), [], False
    for number, path in enumerate(args.images):
        about: dict[str, Any] = {"image": str(path)}
        try:
            picture = read_picture(path)
            recogniser = recogniser or Recogniser(deck_faces)
            before = clock.now()
            seen = recogniser.recognise(picture, explain=args.explain)
        except PictureError as trouble:
            failed = True
            print_lines(f"companion: {trouble}.", error=True)
            results.append({**about, "error": f"{trouble}.", "cards": [], "unknown": []})
            continue
        about |= _to_json([s for s in seen if s.card], picture) | {"ms": (clock.now() - before) / 1000}
        results.append(about)
        if not about["cards"] and (hint := _picture_problem(picture, deck_faces)):
            about["hint"] = hint
        if args.explain:
            about["outlines"] = [_judgement_to_json(one, picture) for one in seen]
        if not args.json:
            _print_cards(about, complete=deck_faces.complete)
        if drawings and not _write_drawing(drawings[number], picture, [s for s in seen if s.card]):
            failed = True
        elif drawings and not args.json:
            print_lines(f"  marked in {drawings[number]}")
    if args.json:
        print_json(results, indent=1)
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


def watch_command(args: argparse.Namespace, settings: Settings) -> int:
    """Show or print what is read.

    Raises `InputError` for options that exclude each other, and for a source that is not there.
    """
    if args.simulate and args.source is not None:
        raise InputError("use either --simulate or --from, not both.")
    if args.deck is not None and args.game is not None:
        raise InputError("use either GAME or --deck, not both.")
    if args.frames is not None and args.frames < 1:
        raise InputError("--frames must be at least 1.")
    if args.source is not None and not args.source.exists():
        raise InputError(f"can't find {args.source}; name a folder of pictures, a picture or a video.")
    from companion.games import find_deck_file, find_game_rules

    if args.deck is not None:
        find_deck_file(args.deck)
    elif args.game is not None:
        find_game_rules(args.game)
    from companion.programs.camera_programs import watch_in_window, watch_on_terminal

    if args.once or args.printed or args.explain or args.json or args.frames is not None:
        most = 1 if args.once else args.frames
        return watch_on_terminal(settings, args, most=most)
    return watch_in_window(settings, args)
