"""`companion forget`: deletes what is stored about people."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, print_json, print_lines

if TYPE_CHECKING:
    from companion.table.erase_name import StoredFiles


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Remove a player's name or the pictures of rulings, else list what is stored about people.

    Raises `InputError` for a name that is not known, `CompanionError` for files that still have it.
    """
    from companion.camera.evidence import delete_pictures, list_pictures
    from companion.programs.store_responder import print_store_owner
    from companion.referee.store_errors import explain_store_errors
    from companion.table.erase_name import NameEraser, StoredFiles

    if args.json and args.name is not None:
        raise InputError("--json prints the list of who is known; leave out the name.")
    folder = settings.store_folder()
    if args.pictures:
        with explain_store_errors(str(folder)):
            count = delete_pictures(list_pictures(folder))
        print_lines(f"Deleted {count_with_noun(count, 'picture')} of rulings.")
        if args.name is None:
            return 0
    if args.name is not None and not _is_valid_name(args.name):
        raise InputError("that isn't a name; companion forget lists who is known.")
    place = StoredFiles(settings, args.settings)
    if args.json:
        with explain_store_errors(str(place.store)):
            print_json(_stored_personal_data(place))
        return 0
    print_store_owner(settings)
    with explain_store_errors(str(place.store)):
        if args.name is None:
            _print_personal_data(place)
            return 0
        forgetting = NameEraser(args.name, place)
        if not forgetting.is_known():
            raise _unknown_name_error(args.name, place, forgetting.left)
        try:
            forgetting.erase()
        finally:
            for sentence in forgetting.done:
                print_lines(sentence)
    if forgetting.left:
        raise CompanionError(f"{args.name} is still named in\n  " + "\n  ".join(forgetting.left))
    print_lines(f"{args.name} is gone from this table.")
    if settings.club.broker:
        print_lines(
            "If the club was told that name, it is told to forget it when table and uplink are next on."
        )
    print_lines("Delete files you exported, recorded or backed up elsewhere yourself.")
    return 0


def _is_valid_name(text: str) -> bool:
    """Whether somebody could be called so: it says something, and what it says is text."""
    return bool(text.strip()) and not any("\ud800" <= sign <= "\udfff" for sign in text)


def _unknown_name_error(name: str, place: StoredFiles, unread: Sequence[str]) -> CompanionError:
    """Why nothing is forgotten."""
    if unread:
        return CompanionError(
            f"{name} wasn't found, but some files couldn't be read:\n  " + "\n  ".join(unread)
        )
    known = {*place.count_people(), *(one for one in place.names if one)}
    close = get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ": no game and no setting has that name."
    return InputError(f"{name} is not known at this table{hint}")


def _stored_personal_data(place: StoredFiles) -> dict[str, object]:
    """What is stored about people, as programs read it."""
    from companion.camera.evidence import list_pictures
    from companion.table.recap.save import list_pages

    games = place.count_people()
    chairs = {name: chair for chair, name in enumerate(place.names, start=1) if name}
    known = dict.fromkeys((*games, *chairs))
    found = list(place.find_names(known))
    return {
        "people": [
            {
                "name": name,
                "games": games.get(name, 0),
                "chair": chairs.get(name),
                "files": [str(path) for whose, path in found if whose == name],
            }
            for name in known
        ],
        "store": str(place.store),
        "recaps": [str(page) for page in list_pages(place.folder)],
        "pictures": [str(picture.path) for picture in list_pictures(place.folder)],
    }


def _print_personal_data(place: StoredFiles) -> None:
    from companion.camera.evidence import list_pictures
    from companion.table.recap.save import list_pages

    people = place.count_people()
    seated = [(chair, name) for chair, name in enumerate(place.names, start=1) if name]
    known = dict.fromkeys((*people, *(name for _, name in seated)))
    if not known:
        print_lines("No names are stored at this table.")
    for name, games in people.items():
        print_lines(f"{name}: in {count_with_noun(games, 'game')}")
    for chair, name in seated:
        print_lines(f"{name}: chair {chair} in table.names ({place.origin})")
    for name, where in place.find_names(known):
        print_lines(f"{name}: in {where}")
    print_lines(
        "",
        "Stored about people: names typed at set-up, and each chair's presses with their times, in",
        f"{place.store}; names in the settings; saved game recaps.",
        "No pictures unless you turn on storage.evidence or use --record; never any sound.",
    )
    kept = list_pages(place.folder)
    if kept:
        print_lines(
            f"{count_with_noun(len(kept), 'game recap')} in {kept[0].parent}: "
            "their text and pictures show names. companion forget NAME deletes that person's."
        )
    shots = list_pictures(place.folder)
    if shots:
        games = len({picture.game for picture in shots})
        print_lines(
            f"{count_with_noun(len(shots), 'picture')} of rulings in {count_with_noun(games, 'game')}, "
            f"in {place.folder / 'evidence'}: they may show hands. "
            "companion forget --pictures deletes them."
        )
