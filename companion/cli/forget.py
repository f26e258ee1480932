"""`companion forget`: what is stored about people, and how it goes away."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from companion.core.errors import CompanionError, InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.terminal import say, say_json

if TYPE_CHECKING:
    from companion.table.forgetting import Place


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Remove a player's name or the pictures of rulings, else list what is stored about people.

    Raises `InputError` for a name that is not known, `CompanionError` for files that still have it.
    """
    from companion.camera.evidence import pictures, thrown_away
    from companion.referee.store_errors import explained
    from companion.settings.stored_games import tell_store
    from companion.table.forgetting import Forgetting, Place

    if args.json and args.name is not None:
        raise InputError("--json prints the list of who is known; leave out the name.")
    folder = settings.store_folder()
    if args.pictures:
        with explained(str(folder)):
            count = thrown_away(pictures(folder))
        say(f"Deleted {counted(count, 'picture')} of rulings.")
        if args.name is None:
            return 0
    if args.name is not None and not _is_name(args.name):
        raise InputError("that isn't a name; companion forget lists who is known.")
    place = Place(settings, args.settings)
    if args.json:
        with explained(str(place.store)):
            say_json(_stored(place))
        return 0
    tell_store(settings)
    with explained(str(place.store)):
        if args.name is None:
            _list(place)
            return 0
        forgetting = Forgetting(args.name, place)
        if not forgetting.is_known():
            raise _unknown(args.name, place, forgetting.left)
        try:
            forgetting.forget()
        finally:
            for sentence in forgetting.done:
                say(sentence)
    if forgetting.left:
        raise CompanionError(f"{args.name} is still named in\n  " + "\n  ".join(forgetting.left))
    say(f"{args.name} is gone from this table.")
    if settings.club.broker:
        say("If the club was told that name, it is told to forget it when table and uplink are next on.")
    say("Delete files you exported, recorded or backed up elsewhere yourself.")
    return 0


def _is_name(text: str) -> bool:
    """Whether somebody could be called so: it says something, and what it says is text."""
    return bool(text.strip()) and not any("\ud800" <= sign <= "\udfff" for sign in text)


def _unknown(name: str, place: Place, unread: Sequence[str]) -> CompanionError:
    """Why nothing is forgotten."""
    if unread:
        return CompanionError(
            f"{name} wasn't found, but some files couldn't be read:\n  " + "\n  ".join(unread)
        )
    known = {*place.people(), *(one for one in place.names if one)}
    close = get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ": no game and no setting has that name."
    return InputError(f"{name} is not known at this table{hint}")


def _stored(place: Place) -> dict[str, object]:
    """What is stored about people, as programs read it."""
    from companion.camera.evidence import pictures
    from companion.recap.saved_pages import pages

    games = place.people()
    chairs = {name: chair for chair, name in enumerate(place.names, start=1) if name}
    known = dict.fromkeys((*games, *chairs))
    found = list(place.found(known))
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
        "recaps": [str(page) for page in pages(place.folder)],
        "pictures": [str(picture.path) for picture in pictures(place.folder)],
    }


def _list(place: Place) -> None:
    from companion.camera.evidence import pictures
    from companion.recap.saved_pages import pages

    people = place.people()
    seated = [(chair, name) for chair, name in enumerate(place.names, start=1) if name]
    known = dict.fromkeys((*people, *(name for _, name in seated)))
    if not known:
        say("No names are stored at this table.")
    for name, games in people.items():
        say(f"{name}: in {counted(games, 'game')}")
    for chair, name in seated:
        say(f"{name}: chair {chair} in table.names ({place.origin})")
    for name, where in place.found(known):
        say(f"{name}: in {where}")
    say(
        "",
        "Stored about people: names typed at set-up, and each chair's presses with their times, in",
        f"{place.store}; names in the settings; saved game recaps.",
        "No pictures unless you turn on storage.evidence or use --record; never any sound.",
    )
    kept = pages(place.folder)
    if kept:
        say(
            f"{counted(len(kept), 'game recap')} in {kept[0].parent}: "
            "their text and pictures show names. companion forget NAME deletes that person's."
        )
    shots = pictures(place.folder)
    if shots:
        games = len({picture.game for picture in shots})
        say(
            f"{counted(len(shots), 'picture')} of rulings in {counted(games, 'game')}, "
            f"in {place.folder / 'evidence'}: they may show hands. "
            "companion forget --pictures deletes them."
        )
