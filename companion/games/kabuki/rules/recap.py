"""Recap of a Kabuki game, out of its journal.

A photo finish does not depend on the masks: what lies buried is not even looked at, so it may be shown before
its check.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Chair, Micros, Seat, Value
from companion.core.events import Event
from companion.core.exhibits import (
    MissedTwin,
    PhotoFinish,
    PlayerRound,
    PressVerdict,
    ReactionTime,
    RoundRecap,
    TimelinePress,
)
from companion.games.kabuki.rules import model
from companion.games.kabuki.rules.model import STACK_COUNT, UNREAD, KabukiOptions

# Photo finishes ---------------------------------------------------------------------------------------------


_CALL_VERDICTS = frozenset[PressVerdict]({"counts", "equal", "void", "withdrawn"})
"""Presses whose source says how finely the order is known."""
_OTHER_MASK_VERDICTS = frozenset[PressVerdict]({"own", "early", "late", "void"})
"""What a press was while the Stop was taken to be about another mask."""


@dataclass(slots=True)
class _Press:
    """A press whose verdict may still come."""

    seat: Seat
    at: Micros
    source: str
    verdict: PressVerdict
    since: Micros | None
    within: tuple[Micros, Micros] | None


@dataclass(slots=True)
class _Race:
    """One Stop: its mask and the presses that called."""

    assigned: model.StopAssigned
    seq: int
    round: int
    mask: model.MaskPlaced
    presses: list[_Press]
    """Shared with the line, so that later presses are on it too."""
    first: int
    """From which of them on."""
    last: int | None = None
    """Up to which; None while the stack is not lifted."""


@dataclass(slots=True)
class _PressTimeline:
    """The presses of a round, in the order of judgement."""

    round: int = 0
    presses: list[_Press] = field(default_factory=list)
    masks: dict[int, model.MaskPlaced] = field(default_factory=dict)
    races: list[_Race] = field(default_factory=list)
    called: int | None = None
    """Where the calls of the Stop that is going on begin."""

    def add_entry(self, entry: Any, presser: Seat | None) -> None:
        """One entry of the journal; `presser` is the seat whose press or touch it tells of."""
        if presser is not None:
            self._add_press(presser, entry)
        for event in entry.events:
            self._apply_event(event, entry.seq)

    def _add_press(self, seat: Seat, entry: Any) -> None:
        """Put a press on the line, if it said Stop or tried to."""
        cause = entry.cause
        verdict: PressVerdict | None = None
        for event in entry.events:
            match event:
                case model.StopCalled() | model.StopJoined():
                    verdict = "pending"
                case model.StopInCooldown():
                    verdict = "cold"
                case model.StopVoided() if event.seat == seat:
                    verdict = "void"
        if not entry.events and self.called is not None:
            verdict = "again"  # who had called pressed once more, while the Stop was not settled
        if verdict is not None:
            by_button = isinstance(cause, ob.ButtonPressed)
            source, since = (cause.source, cause.since) if by_button else ("touch", None)
            within = cause.within if by_button else None
            self.presses.append(_Press(seat, cause.at, source, verdict, since, within))

    def _apply_event(self, event: Any, seq: int) -> None:
        match event:
            case model.KabukiRoundBegan():
                self.round, self.presses, self.masks, self.called = event.round, [], {}, None
            case model.MaskPlaced():
                self.masks[event.number] = event
            case model.StopCalled():
                self.called = len(self.presses) - 1
            case model.StopAssigned() if event.number in self.masks and self.called is not None:
                self._assign_stop(event, seq)
            case model.StopVoided():
                self._set_verdict(event.seat, "void")
            case model.OwnMaskCalled():
                self._set_verdict(event.seat, "own")
            case model.StopTooEarly():
                self._set_verdict(event.seat, "early")
            case model.StopTooLate():
                self._set_verdict(event.seat, "late")
            case model.StopWithdrawn():
                self._set_verdict(event.seat, "withdrawn", was="counts")
                self._close_race()
            case model.CallsDropped() | model.CheckBegan():
                self._close_race()

    def _assign_stop(self, event: model.StopAssigned, seq: int) -> None:
        assert self.called is not None
        if self.races and self.races[-1].last is None:  # it was taken to be about the mask before
            self.races.pop()
        mask = self.masks[event.number]
        earlier = [place for place, press in enumerate(self.presses) if press.at >= mask.clear_until]
        first = min([*earlier, self.called])
        about_it = {event.seat, *event.tied}
        for press in self.presses[self.called :]:
            if press.verdict in {"counts", "equal"} or (
                press.seat in about_it and press.verdict in _OTHER_MASK_VERDICTS
            ):
                press.verdict = "pending"
        self._set_verdict(event.seat, "counts")
        for seat in event.tied:
            self._set_verdict(seat, "equal")
        self.races.append(_Race(event, seq, self.round, mask, self.presses, first))

    def _set_verdict(self, seat: Seat, verdict: PressVerdict, *, was: PressVerdict = "pending") -> None:
        """What became of a seat's press that was still open."""
        start = self.called or 0
        for press in self.presses[start:]:
            if press.seat == seat and press.verdict == was:
                press.verdict = verdict

    def _close_race(self) -> None:
        self.called = None
        if self.races and self.races[-1].last is None and self.races[-1].presses is self.presses:
            self.races[-1].last = len(self.presses)


def photo_finishes(
    chairs: tuple[Chair, ...], options: KabukiOptions, entries: Iterable[Any], begun: int = 0
) -> tuple[PhotoFinish, ...]:
    """The finish of every Stop among `entries`, the oldest first; the first of them fell in round `begun`."""
    line = _PressTimeline(begun)
    for entry in entries:
        line.add_entry(entry, _pressing_seat(chairs, entry.cause))
    return tuple(_build_finish(chairs, options, race) for race in line.races)


def entries_since_mask(number: int, standing: Iterable[Any]) -> list[Any]:
    """Of entries given newest first, those from the mask before `number` on, the oldest first.

    0 means the whole round; it is as long as a round at most, be the game as long as it may.
    """
    found = []
    for entry in standing:
        found.append(entry)
        began = any(isinstance(event, model.KabukiRoundBegan) for event in entry.events)
        before = any(isinstance(event, model.MaskPlaced) and event.number < number for event in entry.events)
        if began or before:
            break
    return found[::-1]


def _build_finish(chairs: tuple[Chair, ...], options: KabukiOptions, race: _Race) -> PhotoFinish:
    on_line = race.presses[race.first : race.last]
    sources = {press.source for press in on_line if press.verdict in _CALL_VERDICTS}
    return PhotoFinish(
        seq=race.seq,
        round=race.round,
        stack=race.assigned.stack,
        placer=chairs[race.assigned.placer],
        clear_until=race.mask.clear_until,
        lies_since=race.mask.lies_since,
        resolution=max(map(options.resolution, sources)),
        friendly=options.friendly,
        presses=tuple(
            TimelinePress(
                chairs[press.seat], press.at, press.source, press.verdict, press.since, press.within
            )
            for press in sorted(on_line, key=lambda press: press.at)
        ),
    )


def _pressing_seat(chairs: tuple[Chair, ...], cause: Any) -> Seat | None:
    """The seat that pressed its button, or said Stop by touch."""
    if isinstance(cause, ob.ButtonPressed):
        return chairs.index(cause.chair) if cause.chair in chairs else None
    return cause.action.seat if isinstance(cause, ob.ActionDeclared) and cause.action.verb == "stop" else None


# The game in numbers ----------------------------------------------------------------------------------------


class KabukiRecap(Value, frozen=True):
    """One game in numbers."""

    rounds: int = 0
    right: int = 0
    wrong: int = 0
    missed: int = 0
    """Placements over a twin that nobody stopped."""
    unnoticed: tuple[model.MaskPlaced, ...] = ()
    """Those of the last round that is over."""


def recap_statistics(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name."""
    recap = count_events(events)
    return (
        ("rounds", recap.rounds),
        ("stops_right", recap.right),
        ("stops_wrong", recap.wrong),
        ("missed", recap.missed),
    )


def count_events(events: Iterable[Event]) -> KabukiRecap:
    """Count; a check that corrected the log is counted as it was read."""
    rounds = right = wrong = missed = 0
    stacks: dict[int, list[str]] = {}
    doubles: dict[int, model.MaskPlaced] = {}
    unnoticed: tuple[model.MaskPlaced, ...] = ()
    checked = 0
    for event in events:
        match event:
            case model.KabukiRoundBegan():
                stacks, doubles = {stack: [] for stack in range(1, STACK_COUNT + 1)}, {}
            case model.MaskPlaced():
                lying = stacks.setdefault(event.stack, [])
                if event.mask != UNREAD and event.mask in lying:
                    doubles[event.number] = event
                lying.append(event.mask)
            case model.MaskRead() if stacks.get(event.stack):
                stacks[event.stack][-1] = event.mask
            case model.StackRead():
                stacks[event.stack] = list(event.cards)
            case model.StopAssigned():
                checked = event.number
            case model.StopRight():
                right += 1
                doubles.pop(checked, None)
            case model.StopWrong():
                wrong += 1
                doubles.pop(checked, None)
            case model.KabukiRoundEnded():
                rounds += 1
                missed += len(doubles)
                unnoticed, doubles = tuple(doubles.values()), {}
    return KabukiRecap(rounds, right, wrong, missed, unnoticed)


def build_round_recap(
    chairs: tuple[Chair, ...], options: KabukiOptions, entries: Sequence[Any], totals: Sequence[int]
) -> RoundRecap | None:
    """The round that ended last among `entries` (the oldest first, from its beginning on)."""
    events = [event for entry in entries for event in entry.events]
    over = [event for event in events if isinstance(event, model.KabukiRoundEnded)]
    if not over:
        return None
    begun = [event.round for event in events if isinstance(event, model.KabukiRoundBegan)]
    finished = photo_finishes(chairs, options, entries)
    players = tuple(
        replace(
            _build_player_round(seat, chair, events, finished),
            tokens=over[-1].scores[seat],
            total=totals[seat],
        )
        for seat, chair in enumerate(chairs)
    )
    missed = tuple(
        MissedTwin(f"mask:{placed.mask}", chairs[placed.seat], placed.stack)
        for placed in count_events(events).unnoticed
    )
    return RoundRecap(begun[-1] if begun else 1, players, missed)


def _build_player_round(
    seat: int, chair: Chair, events: Sequence[Event], finished: Sequence[Any]
) -> PlayerRound:
    won = [event for event in events if isinstance(event, model.StopRight) and event.seat == seat]
    wasted = [event for event in events if isinstance(event, model.StopWrong) and event.seat == seat]
    vain = (
        model.StopVoided,
        model.OwnMaskCalled,
        model.StopTooEarly,
        model.StopTooLate,
        model.StopInCooldown,
    )
    reactions = tuple(
        ReactionTime(max(0, press.at - race.lies_since), max(0, press.at - race.clear_until))
        for race in finished
        for press in race.presses
        if press.chair == chair and press.verdict == "counts"
    )
    return PlayerRound(
        chair=chair,
        tokens=0,
        total=0,
        won=len(won),
        gained=sum(event.paid for event in won),
        wasted=len(wasted),
        vain=sum(isinstance(event, vain) and event.seat == seat for event in events),
        reactions=reactions,
    )
