"""What people read: as they speak at a table, one word for one thing, short enough for eye and ear."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, get_args

import pytest

from companion.language.language import Language
from companion.settings.model import Colour
from tests.language.sentences import catalogue
from tests.languages import LANGUAGES
from tests.programs.clips import explains, planned

Catalogue = Mapping[str, tuple[str, ...]]
"""Key → its sentence, or its singular and plural."""


class Ban(NamedTuple):
    """What no sentence says."""

    pattern: str
    why: str
    keys: str = ""
    """Only in keys like this; empty: in all."""


BANS: Mapping[str, tuple[Ban, ...]] = {
    "en": (
        Ban(r"\bthe own\b", "your, or their own"),
        Ban(r"(?:^|[.:;] )Go on\b|\bto go on\b|\b(?:game|round|turn|count|it) goes on\b", "continue"),
        Ban(r"(?i)\banew\b", "again, or start over"),
        Ban(r"(?i)\bamiss\b", "wrong"),
        Ban(r"(?i)\bwho(?:m|so)?ever\b", "the player who, or you"),
        Ban(r"(?i)\bwhom\b", "who"),
        Ban(r"\blies\b(?! caught|\?)", "is: cards do not lie, players do"),
        Ban(r"(?<![Tt]here )\bis no (?!longer\b)", "isn't a"),
        Ban(r"(?i)\balso not\b", "nor, or not either"),
        Ban(r"\b[Tt]ake (?:it )?back\b|\b[Bb]ring back\b", "Undo, Redo", r"(?:ui|shared)\."),
        Ban(r"\bMay I\?", "My options"),
        Ban(r"(?i)\bas usual\b", "Normal"),
        Ban(r"(?i)\bvoid\b", "doesn't count"),
        Ban(r"(?i)\bin force\b", "current"),
        Ban(r"(?i)\bshall\b", "should, or goes"),
        Ban(r"(?i)\b(?:he|him|his|himself)\b", "they: nobody knows who plays"),
    ),
    "de": (
        Ban(r"\bLesung\b", "Erkennung: a reading is held in a bookshop"),
        Ban(r"(?i)\b(?:seitens|bezüglich|betreffs|mittels|erfolgt)\b", "nobody speaks so at a table"),
        Ban(r"\bverrückt\b", "verschoben: the other is mad"),
        Ban(r"\bVorführung\b", "Demo"),
        Ban(r"\bSchirm\b", "Bildschirm"),
        Ban(r"\beigenen Knopf\b", "deinen Knopf"),
        Ban(r"\bUnterlage\b", "Matte"),
        Ban(r"(?i)\ban der Reihe\b", "dran"),
        Ban(r"\bberichtig", "korrigieren"),
    ),
    "fr": (
        Ban(r"(?i)\b(?:veuillez|ledit|ladite|susdit\w*)\b", "nobody speaks so at a table"),
        Ban(r"(?i)\bde nouveau valable\b", "rétabli"),
        Ban(r"^C’est ainsi", "valider"),
        Ban(r"\bsûrement\b", "bien"),
        Ban(r"\bposeur\b", "celui qui a posé"),
        Ban(r"\w'\w", "an apostrophe is curved"),
        Ban(r" [:;?!»%]", "a space before these does not break"),
    ),
}
"""What a translation out of another language sounds like, and what is said instead."""

ONE_WORD: Mapping[str, tuple[tuple[str, str], ...]] = {
    "en": (
        (r"practice", r"practis(?:e|ed|ing)"),
        (r"timeline", r"time line"),
        (r"colours?", r"colors?"),
        (r"neighbours?", r"neighbors?"),
        (r"marks?", r"markers?"),
    ),
    "de": ((r"Stapel", r"Haufen"), (r"Zwillinge?", r"Doppel"), (r"Bildschirm", r"Monitor")),
    "fr": ((r"jetons?", r"pions?"), (r"jumeaux?", r"doublons?"), (r"caméra", r"appareil photo")),
}
"""Of two words for one thing: ours, and the one that stands nowhere beside it."""

CLASS_NAME = re.compile(r"[a-zäöüéèà][A-ZÄÖÜÉ]")
MILLISECONDS = re.compile(r"(?i)\{ms\}|\bms\b|\bmilli(?:se[ck]ond\w*|sekunde\w*|second\w*)\b")
TIMED = re.compile(r"\.finish\.|\.StopVoided|\.CallerAsked|^ui\.late\.|\.LayPressed\.")
"""Where thousandths of a second matter: the photo finish, and how late a press came."""
TU, VOUS = (
    re.compile(r"(?i)\b(?:tu|toi|ton|ta|tes)\b|\bt’"),
    re.compile(r"(?i)\b(?:vous|votre|vos)\b|\b(?!(?:assez|chez|nez)\b)\w+ez\b"),
)
MOST_WORDS, MOST_LETTERS, MOST_SPOKEN = 9, 40, 12


def faults(code: str, entries: Catalogue) -> Iterator[str]:
    """What people should not read, with its reason."""
    for key, texts in entries.items():
        for text in texts:
            for ban in BANS[code]:
                if re.match(ban.keys, key) and re.search(ban.pattern, text):
                    yield f"{key}: {text!r}; say: {ban.why}"
            bare = re.sub(r"\{\w+\}", "", text)
            if CLASS_NAME.search(bare):
                yield f"{key}: {text!r} has the name of a class"
            if MILLISECONDS.search(text) and not TIMED.search(key):
                yield f"{key}: {text!r} counts milliseconds"
            if code == "fr":
                yield from (f"{key}: {one!r} says tu and vous" for one in sentences(text) if mixed(one))
    everything = " ".join(text for texts in entries.values() for text in texts)
    for ours, other in ONE_WORD[code]:
        if all(re.search(rf"(?i)\b(?:{word})\b", everything) for word in (ours, other)):
            yield f"two words for one thing: {ours}, {other}"


def mixed(sentence: str) -> bool:
    return bool(TU.search(sentence) and VOUS.search(sentence))


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", text)


def words_of(sentence: str) -> list[str]:
    """A French question mark stands by itself and is no word."""
    return re.findall(r"\w[\w’'-]*", sentence)


def long_prompts(code: str, entries: Catalogue) -> Iterator[str]:
    """Prompts that cannot be taken in at a glance, with the longest that may stand in them."""
    language = Language(code)
    chair = max(range(len(get_args(Colour))), key=lambda one: len(language.chair_name(one)))
    longest = {
        "chair": language.chair_name(chair),
        "bot": language.bot_name(chair),
        "number": "16",
        "label": "15-16",
    }
    for key, texts in entries.items():
        if ".phase." in key and not key.endswith(".spoken"):
            for text in texts:
                shown = re.sub(r"\{(\w+)\}", lambda part: longest.get(part[1], "16"), text)
                if len(words_of(shown)) > MOST_WORDS or len(shown) > MOST_LETTERS:
                    yield f"{key}: {shown!r}"


def long_spoken(said: Iterable[str]) -> Iterator[str]:
    """Sentences that are longer than one listens."""
    for text in said:
        yield from (one for one in sentences(text) if len(words_of(one)) > MOST_SPOKEN)


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_people_read_is_said_as_people_speak(code: str) -> None:
    assert list(faults(code, catalogue(code))) == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_prompt_is_read_at_a_glance(code: str) -> None:
    assert list(long_prompts(code, catalogue(code))) == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_spoken_sentence_is_no_longer_than_one_listens(code: str) -> None:
    """A lesson or a reason is listened to; it may be longer."""
    said = [text for name, text in planned(code).said.items() if not explains(name)]
    assert list(long_spoken(said)) == []


@pytest.mark.parametrize(
    ("code", "key", "text"),
    [
        ("en", "ui.x", "Press the own button."),
        ("en", "ui.x", "Go on"),
        ("en", "kinapa.hint.x", "Press to go on."),
        ("en", "ui.x", "All anew"),
        ("en", "ui.x", "Something is amiss."),
        ("en", "kinapa.x", "Whoever has it presses."),
        ("en", "kinapa.x", "From whom do you draw?"),
        ("en", "kinapa.x", "It lies so"),
        ("en", "kinapa.x", "That is no pair."),
        ("en", "ui.x", "Take it back"),
        ("en", "ui.x", "Bring back"),
        ("en", "ui.may.short", "May I?"),
        ("en", "ui.text.usual", "As usual"),
        ("en", "kabuki.x", "{chair} called too: void."),
        ("en", "kabuki.x", "At most all he has."),
        ("en", "ui.why.key", "Rule: HandTooLate"),
        ("en", "kinapa.x", "{chair} was {ms} ms late."),
        ("de", "ui.correct", "Lesung berichtigen"),
        ("de", "shared.camera.moved", "Die Kamera wurde verrückt."),
        ("de", "kinapa.hint.x", "Wer sie hat, drückt den eigenen Knopf."),
        ("fr", "ui.x", "Appuyez sur ton bouton."),
        ("fr", "ui.x", "Si tu veux, votre carte est là."),
    ],
)
def test_a_planted_sentence_is_found(code: str, key: str, text: str) -> None:
    assert any(text in fault for fault in faults(code, {key: (text,)}))


def test_a_second_word_for_one_thing_is_found() -> None:
    planted = {"ui.a": ("Practice alone",), "ui.b": ("Practise with friends",)}
    assert list(faults("en", planted)) == ["two words for one thing: practice, practis(?:e|ed|ing)"]


@pytest.mark.parametrize(
    "text",
    [
        "{chair}, show your hand to one neighbour: is {number} there?",
        "{chair}, do you or do you not have a {number}?",
    ],
)
def test_a_planted_prompt_that_is_too_long_is_found(text: str) -> None:
    assert len(list(long_prompts("en", {"kinapa.phase.x": (text,)}))) == 1
    assert not list(long_prompts("en", {"kinapa.phase.x.spoken": (text,), "kinapa.hint.x": (text,)}))


def test_a_planted_sentence_that_is_too_long_to_hear_is_found() -> None:
    heard = "I misread one card, or the deck has one card more than it should."
    assert list(long_spoken([f"One sixth copy. {heard}", "Red, show your hand."])) == [heard]
