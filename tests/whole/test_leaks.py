"""Shared code knows no single game: only `companion/games/GAME/` names its game, events, verbs and tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from companion.core import events as shared
from companion.core.events import kind_of
from companion.games import GAMES
from tests.games.laws import verbs_of

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "companion" / "games"
ORDINARY: Mapping[str, str] = {
    # What somebody presses on the screen, and keys.
    "add": "a button of the repair page",
    "again": "a button; the verdict on a second press",
    "close": "a button",
    "point": "a touch on the camera's picture",
    "return": "a key",
    "show": "a button of a lesson; what enrolling asks for",
    "start": "a button; how a text is aligned",
    "stop": "a stop of the time line",
    "turn": "what a camera wizard asks for",
    "wreath": "the sign of points in every game that has them",
    # What the club's database and its verdicts are called.
    "begin": "an event of a connection",
    "older": "a verdict: judged by rules of before",
    # What the page says and hears.
    "look": "what the owner wants to see",
    "shown": "the answer to it",
    # What a lesson, a wizard, a journal or a card file says of itself.
    "announce": "the example of a verb in the published schema of journals",
    "audit": "the place for hands that are shown, on every mat",
    "away": "where a hand is; who left a table",
    "card": "a field of files and sentences",
    "deck": "a deck of cards",
    "done": "a lesson or a wizard is over",
    "field": "a thing that a repair may change",
    "found": "what a calibration found",
    "hand": "the cards that somebody holds",
    "lay": "what a lesson and a wizard ask for",
    "name": "a field of files; a person's name",
    "newer": "a journal of a newer program",
    "nobody": "who heard a press",
    "number": "a number of anything",
    "open": "how much of a table is shown; a button",
    "pair": "a drawing on a card",
    "place": "a touched place; a sentence's part",
    "play": "the first verb of the command line",
    "ready": "a program that may be asked",
    "replace": "how damaged letters are read",
    "score": "how well a picture fits",
    "size": "width and height of a picture",
    "slot": "a sentence's part: the number of a place",
    "value": "a sentence's part; of a setting",
    # What is drawn, whoever it stands for.
    "crown": "a picture: a winner",
    "rotate": "a transform of SVG",
    "star": "a shape",
    "heart": "a sign; a shape",
    "points": "an attribute of SVG; a column of a table",
    # Games are called like suits of their cards.
    "hearts": "a suit; a pattern on a card",
    "spades": "a suit; a pattern on a card",
    "first": "the first revision of a database",
    "token": "a table of a deck's file",
}
"""Words of a game that mean something else in shared code, and what."""
WORD = re.compile(r"""["'](\w+)["']""")
NUMBERED = re.compile(r"""["'](\w+):\S""")
"""The beginning of a string that names one of several places, `slot:3`, or asks for them, `slot:`."""


@cache
def ours() -> tuple[str, ...]:
    """The games whose folder lies here."""
    return tuple(name for name in GAMES if (FOLDER / name).is_dir())


@cache
def events() -> re.Pattern[str]:
    """What every game's own events are called; those of its family stand in `companion.games.kit`, and what
    several games call so is nobody's.
    """
    unions = [get_args(GAMES[game].rules.events) for game in ours()]
    owners = Counter(kind for union in unions for kind in {kind_of(event) for event in union})
    own = {
        kind_of(event)
        for union in unions
        for event in union
        if event.__module__ != shared.__name__ and not event.__module__.startswith("companion.games.kit.")
        if owners[kind_of(event)] == 1
    }
    return re.compile(rf"\b(?:{'|'.join(sorted(own))})\b")


@cache
def made(call: str) -> frozenset[str]:
    """The first words of what games make: `Token("fox")`, `Place(f"slot:{number}", …)`."""
    makes = re.compile(rf"""\b(?:{call})\(\s*f?"(\w+)""")
    sources = (path.read_text(encoding="utf-8") for game in ours() for path in (FOLDER / game).rglob("*.py"))
    return frozenset(word for source in sources for word in makes.findall(source))


@cache
def words() -> frozenset[str]:
    """Every game's name, its verbs, tokens and places."""
    verbs = (verbs_of(game) for game in ours())
    return made("Token|Place|PlaceView").union(ours(), *verbs)


def leaks(source: str) -> set[str]:
    """What of a single game a source names: a word that is ordinary may still not number a place."""
    numbered = set(NUMBERED.findall(source))
    return {
        *(game for game in set(ours()) - ORDINARY.keys() if game in source.lower()),
        *events().findall(source),
        *((numbered | set(WORD.findall(source))) & words() - ORDINARY.keys()),
        *(numbered & made("Place|PlaceView")),
    }


def sources() -> Iterator[tuple[str, str]]:
    """Every file of ours outside the games' folders, with what stands in it; their shelf may name them."""
    games = {FOLDER / game for game in ours()}
    for package in ("companion", "hardware", "club/companion_club"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path != FOLDER / "__init__.py" and games.isdisjoint(path.parents):
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_shared_code_names_no_game_and_nothing_of_one() -> None:
    assert {path: named for path, source in sources() if (named := leaks(source))} == {}


def test_every_ordinary_word_is_one_of_a_game_and_stands_in_shared_code() -> None:
    said = {word for _, source in sources() for found in (WORD, NUMBERED) for word in found.findall(source)}
    assert ORDINARY.keys() <= words() & said


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ('"""The Kinapa table."""', "kinapa"),
        ("def kabuki_stop(): ...", "kabuki"),
        ("# dnup does it otherwise", "dnup"),
        ('said.key.endswith(".LiarCalled")', "LiarCalled"),
        ("case ev.StopCalled(): ...", "StopCalled"),
        ('if verb == "aid_up": ...', "aid_up"),
        ('token.kind == "emperor"', "emperor"),
        ('place = f"slot:{number}"', "slot"),
        ('region.startswith("stack:")', "stack"),
        ('region.startswith("set:")', "set"),
    ],
)
def test_a_planted_leak_is_found(planted: str, found: str) -> None:
    assert leaks(planted) == {found}
