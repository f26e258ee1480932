"""A table that plays Hearts, or another game of tricks: cards in a short hand, and all that may be said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Action, Setup
from companion.core.events import Event, Infraction, kind_of
from companion.core.exhibits import Exhibit
from companion.core.rules import Rules
from companion.games.hearts.rules import Hearts
from companion.games.kit.cards import CARDS, VALUES
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee

RULES = Hearts()
A, B, C, D = SEATS = range(4)
SIGNS = dict(zip("♣♦♠♥", ("clubs", "diamonds", "spades", "hearts"), strict=True))

SAID = {"DealOpened", "BidMade", "CardPlayed", "UpcardTurned", "Passed", "TrumpMade"} | {
    *("PlaysAlone", "PartnerKept", "DealerDiscarded")
}
"""What follows once a choice is made."""


def card(short: str) -> str:
    """`♥9` → `hearts|9`."""
    return f"{SIGNS[short[0]]}|{short[1:]}"


def cards(short: str) -> int:
    """The set of `♥9 ♣A`."""
    return sum(1 << CARDS[card(one)] for one in short.split())


class TrickTable:
    """Chairs are seats."""

    rules: Rules[Any]

    def __init__(self, **options: Any) -> None:
        setup = Setup(tuple(SEATS), self.rules.options(**options))
        self.referee: Referee[Any] = Referee(
            self.rules, MemoryJournal(make_header(self.rules.name, setup, kind="simulation"))
        )
        self.at = 0

    @property
    def state(self) -> Any:
        return self.referee.state

    @property
    def phase(self) -> str:
        """As everybody sees it."""
        return self.rules.view(self.state).phase

    def see(self, seen: Any) -> tuple[Event, ...]:
        self.at += SECOND
        return self.referee.observe(seen).events

    def say(self, seat: int, verb: str, value: Any = None) -> tuple[Event, ...]:
        return self.see(ob.ActionDeclared(at=self.at + SECOND, action=Action(seat, verb, value)))

    def play(self, seat: int, short: str) -> tuple[Event, ...]:
        return self.say(seat, "play", card(short))

    def lay(self, short: str) -> tuple[Event, ...]:
        """Whoever is in turn plays these cards, one after the other; what the last one led to."""
        ruled: tuple[Event, ...] = ()
        for one in short.split():
            assert self.phase == "play", (one, ruled)
            ruled = self.play(self.state.seat, one)
        return ruled

    def confirm(self) -> tuple[Event, ...]:
        """Everything that is asked for was so; what the last `right` led to."""
        ruled: tuple[Event, ...] = ()
        while self.state.checks:
            ruled = self.say(self.state.plays[self.state.checks[0]].seat, "right")
        return ruled

    def frame_parts(self) -> tuple[Any, Exhibit | None]:
        """What a screen shows: the state, and what takes the table's place."""
        return self.state, self.rules.exhibit(self.state, self.referee.standing_entries())

    def asked(self) -> list[int]:
        return [prompt.chair for prompt in self.rules.prompts(self.state)]

    def offered(self) -> dict[str, int]:
        """Verb → with how many values."""
        found: dict[str, int] = {}
        for action in self.rules.legal_actions(self.state):
            found[action.verb] = found.get(action.verb, 0) + 1
        return found

    def checked(self) -> list[tuple[int, str]]:
        """Whose card is to be looked at again, and which it is."""
        plays = (self.state.plays[number] for number in self.state.checks)
        return [(play.seat, VALUES[play.card]) for play in plays]

    def press(self, seat: int, *, hold: bool) -> set[str]:
        """A press, and where it has to be kept, a hold; the kinds of what follows."""
        self.at += SECOND
        ruled = self.referee.observe(ob.ButtonPressed(at=self.at, chair=seat)).events
        self.at += HOLD_TIME if hold else HOLD_TIME // 4
        end = ob.ButtonHeld if hold else ob.ButtonReleased
        ruled += self.referee.observe(end(at=self.at, chair=seat)).events
        if hold:
            ruled += self.referee.observe(ob.ButtonReleased(at=self.at + 1_000, chair=seat)).events
        return set(kinds(ruled))

    def choose(self, said: Action) -> int:
        """As the screen says, until what is meant was said; how many presses it took."""
        for presses in range(1, 40):
            choices = self.rules.view(self.state).chairs[said.seat].choices
            (press,) = (choice.press for choice in choices if choice.action == said)
            if self.press(said.seat, hold=press == "hold") & SAID:
                return presses
        raise AssertionError(f"nobody can choose {said}")


class Table(TrickTable):
    """Hearts."""

    rules = RULES

    def __init__(self, *, opens: int | None = A, **options: Any) -> None:
        super().__init__(**options)
        if opens is not None:
            self.say(opens, "open")

    def declare(self, points: Sequence[int], deal: int) -> tuple[Event, ...]:
        told = (("deal", deal), *((f"points:{seat}", many) for seat, many in enumerate(points)))
        return self.see(ob.TableDeclared(at=self.at + SECOND, table=told))


def rule_broken(events: tuple[Event, ...]) -> str:
    """The one rule that was broken, and nothing else."""
    (event,) = events
    assert isinstance(event, Infraction), event
    return event.rule


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [kind_of(event) for event in events]
