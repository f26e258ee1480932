"""What a game has spoken first, and what only where all is spoken, are sentences that it has."""

from __future__ import annotations

import re
import typing
from typing import Any

import pytest

from companion.core.events import Infraction, Repair, SeatEvent, kind_of
from companion.games import RULES
from companion.language import installed_languages
from companion.language.language import family_key
from tests.language.sentences import catalogue
from tests.languages import LANGUAGES
from tests.programs.clips import messages

KEYS = tuple(key for key, _, _ in messages(installed_languages.find_language("en").folder.parent, "en"))


@pytest.mark.parametrize("game", RULES)
def test_urgent_and_quiet_events_are_told_apart_and_have_sentences(game: str) -> None:
    board = RULES[game].board
    assert not board.urgent_events & board.quiet_events
    for name in board.urgent_events | board.quiet_events:
        told = tuple(f"{key}." for key in (f"{game}.{name}", family_key(f"{game}.{name}")) if key)
        assert any(f"{key}.".startswith(told) for key in KEYS), name


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", [name for name, rules in RULES.items() if rules.reads_cards])
def test_whatever_may_name_a_card_has_a_sentence_without_it(game: str, code: str) -> None:
    """Of an event, infraction or repair that is new every part is taken for a card until it is listed."""
    rules, known = RULES[game], catalogue(code)
    named = re.compile(rf"(?:{game}|shared)\.(?:(rule|repair)\.)?([\w.]+?)$")
    kinds = {kind_of(kind): kind for kind in typing.get_args(rules.events)}
    missing = []
    for key, sentences in known.items():
        if (found := named.match(key)) is None or key.endswith((".hidden", ".spoken")):
            continue
        told, word = found.groups()
        kind, _, _ = word.partition(".")
        if told is None and kind not in kinds:
            continue
        event: Any = {"rule": Infraction(word), "repair": Repair(word)}.get(told or "")
        if event is None:
            event = kinds[kind](*(0 for _ in kinds[kind].__struct_fields__))
        parts = {part.partition(".")[0] for one in sentences for part in re.findall(r"\{(\w+)\}", one)}
        cards = sorted(part for part in parts if rules.names_card(event, part, "x"))
        variants = (f"{key}.hidden", *(f"{'.'.join(key.split('.')[:upto])}.hidden" for upto in range(2, 9)))
        if cards and not rules.is_silent(event) and not any(one in known for one in variants):
            missing.append((key, cards))
    assert missing == []


def test_a_part_that_no_game_has_listed_is_taken_for_a_card() -> None:
    class Peeked(SeatEvent, frozen=True):
        seen: str

    for name, rules in RULES.items():
        assert rules.names_card(Peeked(0, "x"), "seen", "x"), name
        assert rules.names_card(Infraction("not.listed", 0, "x"), "what", "x") or name == "kabuki"
        assert not rules.names_card(Peeked(0, "x"), "chair", 1)
