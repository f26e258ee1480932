"""Every game on every assistance level: warned first, ruled at once, or ruled in silence and written down."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from companion.core import events as ev
from companion.core.actions import SECOND, Setup
from companion.games import RULES
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import GRACE, RefereedGame
from companion.referee.referee import Referee
from companion.table.session import Session
from companion.teach.assistance import RULING_DELAY, Assistance, ExplainedRules
from companion.teach.notation import judge_lines, parse_line, to_observations
from tests.language.voice.silent_voice import SilentVoice


class Breach(NamedTuple):
    """A position, and what breaks a rule there: said, and seen."""

    game: str
    players: int
    start: tuple[str, ...]
    said: str
    rule_said: str
    seen: str
    rule_seen: str
    back: str
    """How the table lies again as it should."""


BREACHES = (
    Breach(
        "kinapa", 4, ("@1 claim_cat",), "@2 announce 3", "announce.not_emperor",
        "see slot:1 object:1-2", "object.out_of_turn", "see slot:1 back:blue",
    ),
    Breach(
        "kabuki", 3, ("lot @1", "@1 begin"), "@2 place crab@2", "place.not_your_turn",
        "see stack:2 back:mask", "place.face_down", "see stack:2 actor:2",
    ),
    Breach(
        "kobayakawa", 3, ("@1 start", "@1 dealt", "@1 kobayakawa 7"), "@2 draw", "turn.not_yours",
        "see discard:3 number:9", "discard.not_now", "see discard:3",
    ),
    Breach(
        "dnup", 3, ("first prepared", "@1 star", "@1 play 1x7"), "@3 rotate", "turn.not_yours",
        "see set:2 pair:1-6", "play.not_higher", "see set:2",
    ),
)  # fmt: skip
EACH = [pytest.param(breach, id=breach.game) for breach in BREACHES]


class Still:
    """A clock that is moved by the test."""

    speed = 1.0

    def __init__(self) -> None:
        self.at = 0

    def now(self) -> int:
        return self.at


class Table:
    """A whole session on one assistance level."""

    def __init__(self, breach: Breach, level: str) -> None:
        rules = RULES[breach.game]
        setup = Setup(tuple(range(breach.players)), rules.options())
        self.game = RefereedGame(
            Referee(rules, MemoryJournal(make_header(breach.game, setup))), chance=lambda _: 0
        )
        self.clock = Still()
        self.clock.at = judge_lines(self.game.referee, breach.start, 0, SECOND) + SECOND
        self.begun = len(self.game.referee.journal.entries)
        self.voice = SilentVoice()
        assistance = Assistance(
            self.game, ExplainedRules(), level=level, say=self.voice.say, now=self.clock.now
        )
        self.session = Session(self.game, clock=self.clock, voice=self.voice, guide=assistance)  # type: ignore[arg-type]

    def does(self, line: str) -> None:
        what = parse_line(line, 0, self.game.referee.setup.players)
        for one in to_observations(self.game.referee.rules, self.game.referee.state, what, self.clock.at):
            self.session.submit(one)
        self.pass_(0.2)

    def pass_(self, seconds: float) -> None:
        until = self.clock.at + round(seconds * SECOND)
        while self.clock.at < until:
            self.clock.at += GRACE
            self.session.step()

    def ruled(self) -> list[str]:
        entries = self.game.referee.journal.entries[self.begun :]
        return [one.rule for entry in entries for one in entry.events if isinstance(one, ev.Infraction)]

    def warned(self) -> list[str]:
        return [said.key.partition(".why.")[2] for said in self.voice.said if ".why." in said.key]


@pytest.mark.parametrize("breach", EACH)
def test_what_is_said_against_a_rule_is_warned_of_and_ruled_when_it_is_said_again(breach: Breach) -> None:
    table = Table(breach, "assisted")
    table.does(breach.said)
    assert (table.warned(), table.ruled()) == ([breach.rule_said], [])
    table.does(breach.said)
    assert table.ruled() == [breach.rule_said]


@pytest.mark.parametrize("breach", EACH)
def test_what_lies_against_a_rule_is_warned_of_and_forgotten_when_it_is_put_right(breach: Breach) -> None:
    table = Table(breach, "assisted")
    table.does(breach.seen)
    table.pass_(3)
    assert (table.warned(), table.ruled()) == ([breach.rule_seen], [])
    table.does(breach.back)
    table.pass_(3 * RULING_DELAY / SECOND)
    assert table.ruled() == []


@pytest.mark.parametrize("breach", EACH)
def test_what_is_left_lying_is_ruled_after_the_warning(breach: Breach) -> None:
    table = Table(breach, "assisted")
    table.does(breach.seen)
    table.pass_(3 * RULING_DELAY / SECOND)
    assert table.warned()[0] == breach.rule_seen
    assert table.ruled() == [breach.rule_seen]


@pytest.mark.parametrize("breach", EACH)
def test_a_referee_rules_at_once_and_aloud(breach: Breach) -> None:
    table = Table(breach, "referee")
    table.does(breach.said)
    table.does(breach.seen)
    table.pass_(3)
    assert sorted(table.ruled()) == sorted([breach.rule_said, breach.rule_seen])
    assert table.warned() == []
    assert f"{breach.game}.rule.{breach.rule_said}" in {said.key for said in table.voice.said}


@pytest.mark.parametrize("breach", EACH)
def test_a_tournament_is_ruled_in_silence_and_written_down(breach: Breach) -> None:
    table = Table(breach, "tournament")
    table.does(breach.said)
    table.does(breach.seen)
    table.pass_(3)
    assert sorted(table.ruled()) == sorted([breach.rule_said, breach.rule_seen])
    assert table.voice.said == []
    assert f"{breach.game}.rule.{breach.rule_said}" in {
        line.sentence.key for line in table.session.history.recent_lines()
    }


@pytest.mark.parametrize("breach", EACH)
def test_the_step_changes_in_the_middle_of_any_game(breach: Breach) -> None:
    table = Table(breach, "tournament")
    assert table.session.guide is not None
    table.session.guide.set_level("assisted")
    table.does(breach.said)
    assert (table.warned(), table.ruled()) == ([breach.rule_said], [])
