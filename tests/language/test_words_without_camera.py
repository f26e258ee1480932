"""A table that no camera sees is spoken to in its own words: the referee counts along, and sees nothing.

Games are walked in all languages as people at such a table play them: what they do is told by touch, button
or clock. Every sentence that is shown or spoken on the way is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.observations import Observation
from companion.core.view import Sentence, ViewMode
from companion.games import RULES
from companion.language.language import Language
from companion.referee.referee import Referee
from companion.simulation.game_simulation import GameSimulation, random_styles
from companion.testing.random_walks import (
    GameCase,
    lawful_observations,
    make_cases,
    new_referee,
    random_action,
    sorted_legal_actions,
)
from tests.language.sentences import catalogue, has_words
from tests.languages import LANGUAGES
from tests.thorough import a_third, some

SIGHT: Mapping[str, str] = {
    "en": r"\bcamera|\bI(?:’ve| have)? (?:can |never |also |already |did not |didn’t |don’t |can’t |cannot )*"
    r"(?:see|saw|seen|look|read|misread|recogni[sz]e)\b|\bshow (?:me|it to me)\b|misread|\bpictures?\b",
    "de": r"(?i)\bkamera|\bich (?:\w+ )*?(?:sehe|sah|lese|erkenne)\b|(?:sehe|lese|erkenne|sah) ich\b"
    r"|\bich .*\b(?:gelesen|gesehen|verlesen|erkannt|lesen)\b|\bzeigt? mir\b|falsch gelesen"
    r"|\b(?:kann|habe) ich .*(?:gelesen|gesehen|verlesen|lesen)|\bBilder\b|\bErkennung\b",
    "fr": r"(?i)\bcaméra|\bje (?:ne |n’|l’|le |la |les )*(?:vois|voyais|lis|reconnais)\b|\bmal (?:lu|vu)"
    r"|\bj(?:e |’)[^.:;?!]*\b(?:vue?s?|lue?s?|lire)\b|\bmontre[zs]?(?:-l[ea]s?)?-moi\b|\bimages?\b",
}
"""How the referee speaks of its own eyes. What people see, show and look at is theirs."""
OF_A_CAMERA = (
    *(
        "ui.calibrate",
        "ui.enrol",
        "ui.watch",
        "ui.photo",
        "ui.camera",
        "ui.read_again.",
        "shared.camera.",
        "shared.trouble.camera",
    ),
    *(
        "shared.trouble.no_camera",
        "shared.trouble.webcam_starved",
        "shared.trouble.marks",
        "shared.part.",
        "shared.unread",
        "ui.correct.chance",
    ),
    *("ui.demo.camera", "ui.demo.sees", "ui.key.camera", "ui.demo.no_picture"),
    *("ui.lesson.seen", "ui.lesson.misplaced", "ui.print.evening.mat"),
    *("shared.CameraCameBack", "dnup.SetSeen", "kinapa.OpenCardsSeen", "kabuki.StackMisread"),
    *("kinapa.why.AmissSeen", "kobayakawa.rule.hand.two", "dnup.rule.scan.", "dnup.ScanBegunAgain"),
    *(
        "dnup.prepare.scan",
        "kabuki.option.placed_by.camera",
        *(f"{game}.why.CameraCameBack" for game in RULES),
    ),
    *("hearts.TrickSwept", "hearts.why.TrickSwept", "hearts.why.CardUnread", "in_order.phase.owed"),
    *("lesson.dnup.set.do", "lesson.dnup.areas.do"),  # what to do with one, and without
    *("ui.lesson.show",),  # what the learner asks of the program
)
"""What such keys say comes only from a camera, or is about one."""
STEPS = 260
WORDS = {code: Language(code) for code in LANGUAGES}


def tables() -> Iterator[GameCase]:
    for name in ("kinapa", "kabuki", "kobayakawa", "dnup", "hearts", "spades", "euchre", "roses", "in_order"):
        yield from make_cases(RULES[name])


def said(rules: Any, referee: Referee[Any]) -> Iterator[Sentence]:
    """What is on the screen now, and what the last entry says."""
    state = referee.state
    for mode in ViewMode:
        view = rules.view(state, mode)
        yield from filter(None, (view.headline, view.hint))
        for chair in view.chairs:
            yield from (choice.label for choice in chair.choices)
            yield from filter(None, (chair.note,))
        yield from (choice.label for choice in view.shared)
    yield from (rules.label(state, action) for action in sorted_legal_actions(rules, state)[:40])
    for entry in referee.journal.entries[-1:]:
        for event in entry.events:
            told = rules.sentence(state, event)
            if told is not None:
                yield told
                yield Sentence(f"{rules.name}.why.{rules.explanation_key(state, event)}")
            yield from rules.follow_up_sentences(state, event)
        yield from rules.restore_instructions(state, referee.state_before(entry.seq))
        if (turn := rules.restored_turn(state, referee.state_before(entry.seq))) is not None:
            yield turn


def played_by_hand(case: GameCase, referee: Referee[Any], chance: Random, at: int) -> Iterator[Referee[Any]]:
    """As people play who tell each move; now and then one is against the rules."""
    for _ in range(STEPS):
        at += chance.choice((1, 50_000, SECOND))
        ways: list[Observation] = lawful_observations(case.rules, referee.state, at)
        if not ways:
            return
        verbs: dict[str, list[Observation]] = {}
        for way in ways:
            verbs.setdefault(way.action.verb if isinstance(way, ob.ActionDeclared) else "", []).append(way)
        seen = chance.choice(verbs[chance.choice(sorted(verbs))])
        if chance.random() < 0.2:
            seen = ob.ActionDeclared(at=at, action=random_action(case, referee.state, chance))
        referee.fire_timers(at := max(at, seen.at))
        if not isinstance(seen, ob.TimerElapsed):
            referee.observe(seen)  # type: ignore[arg-type]
        yield referee


def without_camera(case: GameCase, seed: int) -> Iterator[Referee[Any]]:
    referee = new_referee(case)
    referee.observe(ob.CameraLost(at=0, reason="none"))
    yield referee
    yield from played_by_hand(case, referee, Random(seed), 0)


def camera_lost_on_the_way(case: GameCase, seed: int) -> Iterator[Referee[Any]]:
    chance = Random(seed)
    game = GameSimulation(case.rules, case.setup, seed=seed, styles=random_styles(case.setup.players, chance))
    left = chance.randrange(10, 120)
    for _ in game.run_entries():
        left -= 1
        if not left:
            break
    if case.rules.outcome(game.referee.state) is None:
        at = game.referee.journal.entries[-1].cause.at + SECOND
        game.referee.observe(ob.CameraLost(at=at, reason="unplugged"))
        yield game.referee
        yield from played_by_hand(case, game.referee, chance, at)


@pytest.mark.slow
@pytest.mark.parametrize("case", a_third(list(tables())), ids=str)
@pytest.mark.parametrize("walk", [without_camera, camera_lost_on_the_way])
def test_nothing_that_such_a_table_shows_or_says_speaks_of_sight(case: GameCase, walk: Any) -> None:
    sentences = {Sentence(f"{case.rules.name}.name"), *case.rules.setup_instructions(case.setup)}
    for seed in some(range(6)):
        for referee in walk(case, seed):
            sentences.update(said(case.rules, referee))
    wrong = {
        (code, sentence.key): text
        for code in LANGUAGES
        for sentence in sentences
        for text in (WORDS[code].text(sentence), WORDS[code].speech_text(sentence))
        if re.search(SIGHT[code], text)
    }
    assert not wrong


@pytest.mark.parametrize("code", LANGUAGES)
def test_only_what_comes_from_a_camera_speaks_of_sight(code: str) -> None:
    """Rules, lessons, leaflets and menus are the same at every table."""
    worded = {key for rules in RULES.values() for key in rules.camera_sentences}
    found = {
        key for key, texts in catalogue(code).items() if any(re.search(SIGHT[code], one) for one in texts)
    }
    assert not {
        key for key in found if not key.startswith(OF_A_CAMERA) and key.removesuffix(".spoken") not in worded
    }


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_headline_and_hint_about_the_camera_has_words_without_one(code: str) -> None:
    for rules in RULES.values():
        assert all(has_words(catalogue(code), f"{key}.by_hand") for key in rules.camera_sentences)
