"""What a phone's press is worth: the real clock and stamps of `companion.core`, on modelled phones.

A model, not phones: a phone's clock is off by up to an hour, runs up to 800 ppm fast or slow, shows an
instant by grains of 0.1, 1 or 16.7 ms (rounded down, to the nearest, or up or down at random), stops while
the phone sleeps, and its date may be set meanwhile. Ways to and from the table take 1 to 400 ms each, unlike
each other, with jitter; messages are lost, or come late and overtaken by others. The page asks for the time
four times a second and with each press, and says what its two clocks show with every message.

In a race four people call Stop, none better than another; a fifth placed the mask. Who wins is ruled as the
game rules it: equal is what is within 60 ms of the leader, and the nearest clockwise has it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from companion.core.actions import nearest_seat
from companion.core.phone_clock import (
    MAX_LAG,
    MAX_RACE_HALF_WIDTH,
    MS,
    ClockExchange,
    Nanos,
    PendingPresses,
    PhoneClock,
    PressStamp,
    TimeInterval,
)
from tests.programs.bench.figures import Row

PRESSES = 10_000
RACES = 10_000
SEATS = 5
TRUE_RESOLUTION: Nanos = 60 * MS
"""What the rules take for one instant: touch panels differ by tens of milliseconds."""
ASKS: Nanos = 250 * MS
SECOND: Nanos = 1_000 * MS
GRAINS: Sequence[Nanos] = (MS // 10, MS, 16_700_000)
REACTION = (450, 80)
"""Mean and standard deviation in milliseconds, the same for everybody."""


class Link(NamedTuple):
    """Milliseconds each way at least, mean jitter in milliseconds, share of messages lost."""

    name: str
    up: float
    down: float
    jitter: float
    lost: float = 0.0

    def way(self, chance: random.Random, least: float) -> Nanos:
        return round((least + chance.expovariate(1 / self.jitter)) * MS)


LINKS = (
    Link("3 ms each way", 3, 3, 2),
    Link("8 ms, jitter 8 ms, 2 % lost", 8, 8, 8, 0.02),
    Link("18 ms each way", 18, 18, 3),
    Link("lopsided: 30 ms to the table, 5 ms back", 30, 5, 2),
)
LOPSIDED = 3


class Phone:
    """One phone: what its clocks show at an instant of the table's clock."""

    def __init__(self, chance: random.Random, grain: Nanos) -> None:
        self.grain, self._chance = grain, chance
        self._ahead = chance.randint(-3_600 * SECOND, 3_600 * SECOND)
        self._ppm = chance.uniform(-800, 800)
        self._rounds = chance.choice(("down", "nearest", "either"))
        self._last = -(1 << 62)
        self.sleep = (0, 0)
        """From, until: nothing runs but the date."""
        self.set = (0, 0)
        """When the date is set, and by how much."""

    def monotonic(self, at: Nanos) -> Nanos:
        """`performance.now()`: in grains, never backwards, and it stands while the phone sleeps."""
        fell, woke = self.sleep
        ran = at - (min(at, woke) - fell if at > fell else 0)
        exact = ran + round(ran * self._ppm / 1e6) + self._ahead
        match self._rounds:
            case "down":
                shown = exact // self.grain * self.grain
            case "nearest":
                shown = (exact + self.grain // 2) // self.grain * self.grain
            case _:
                shown = (exact // self.grain + self._chance.randint(0, 1)) * self.grain
        self._last = max(self._last, shown)
        return self._last

    def date(self, at: Nanos) -> Nanos:
        """`Date.now()`: whole milliseconds, and it may be set."""
        when, by = self.set
        ahead = self._ahead + (by if at >= when else 0)
        return (at + round(at * self._ppm / 1e6) + ahead) // MS * MS

    def awake(self, at: Nanos) -> Nanos:
        """When what comes in at `at` is seen."""
        return self.sleep[1] if self.sleep[0] <= at < self.sleep[1] else at


class Found(NamedTuple):
    """What came of one press."""

    truth: Nanos
    stamp: PressStamp
    fit: bool
    """Whether the phone had been told that it may race."""


def pressed(phone: Phone, link: Link, truth: Nanos, since: Nanos, chance: random.Random) -> Found:
    """One press at `truth`, by a phone that has been asking for the time since `since`."""
    clock, order = PhoneClock(phone.grain), count()
    waiting = PendingPresses(clock)
    inbox: list[tuple[Nanos, int, str, Any]] = []

    def sends(at: Nanos, kind: str, what: Any, *, surely: bool = False) -> Nanos | None:
        """A message of the phone, with what its clocks show; when it reaches the table."""
        way = link.way(chance, link.up)
        if chance.random() < link.lost:
            if not surely:
                return None
            way += 200 * MS  # sent again
        inbox.append((at + way, next(order), kind, (phone.monotonic(at), phone.date(at), what)))
        return at + way

    busy = round(chance.expovariate(1 / 2) * MS)
    asked = sorted({*range(since, truth + SECOND, ASKS), truth + busy})
    happens: list[tuple[Nanos, int, str, Any]] = [
        (at, next(order), "asks", None) for at in asked if phone.awake(at) == at
    ]
    happens.append((truth, next(order), "presses", None))
    heapify(happens)
    shown = 0
    while happens:  # at the phone, in the order in which it happens there
        at, _, kind, what = heappop(happens)
        match kind:
            case "presses":
                shown = phone.monotonic(at)
                heappush(happens, (at + busy, next(order), "tells", shown))
            case "tells":
                sends(at, "press", what, surely=True)
            case "asks":
                t0 = phone.monotonic(at)
                received = sends(at, "asked", None)
                if received is not None and chance.random() >= link.lost:
                    answered = received + chance.randint(0, MS // 2)
                    back = phone.awake(answered + link.way(chance, link.down))
                    heappush(happens, (back, next(order), "answer", (t0, received, answered)))
            case _:
                t0, t1, t2 = what
                sends(at, "exchange", ClockExchange(t0, t1, t2, phone.monotonic(at)))
    return judged(phone, clock, waiting, truth, inbox)


def judged(
    phone: Phone,
    clock: PhoneClock,
    waiting: PendingPresses,
    truth: Nanos,
    inbox: list[tuple[Nanos, int, str, Any]],
) -> Found:
    """What the table makes of all that reaches it."""
    fit, heard = False, -1
    for at, sent, kind, (monotonic, date, what) in sorted(inbox):
        while (due := waiting.next_due()) is not None and due <= at:
            for _, stamp in waiting.take_stamped(due):
                return Found(truth, stamp, fit)
        if sent > heard:  # what overtook others tells when it was sent
            clock.note_clock_reading(monotonic, date)
            heard = sent
        if kind == "press":
            fit = clock.is_fit_for_races(what)
            waiting.add_press(what, at, None)
        elif kind == "exchange":
            clock.add_exchange(what)
        for _, stamp in waiting.take_stamped(at):
            return Found(truth, stamp, fit)
    due = waiting.next_due()
    assert due is not None
    ((_, stamp),) = waiting.take_stamped(due)
    return Found(truth, stamp, fit)


def anyhow(seed: int) -> Found:
    """A press on any link by any phone, that may have slept or been set shortly before."""
    chance = random.Random(seed)
    up, down = (10 ** chance.uniform(0, 2.602) for _ in "ud")  # 1 to 400 ms
    link = Link("any", up, down, chance.uniform(0.1, 40), chance.choice((0.0, 0.02, 0.2)))
    phone = Phone(chance, chance.choice(GRAINS))
    truth = 20 * SECOND + chance.randint(0, SECOND)
    since = truth - chance.randint(0, 12 * SECOND)
    if chance.random() < 0.2:
        woke = chance.choice((truth, chance.randint(since, truth)))  # the press may be what wakes it
        phone.sleep = (woke - round(chance.uniform(100, 9_000) * MS), woke)
    if chance.random() < 0.2:
        phone.set = chance.randint(since, truth + SECOND), chance.choice((-1, 1)) * 3_600 * SECOND
    return pressed(phone, link, truth, since, chance)


def race(seed: int) -> tuple[list[int], list[Found], int, int]:
    """Four people call: link by seat (−1: the placer), what came of each, who won, how many were equal."""
    chance = random.Random(seed)
    placer = seed % SEATS
    kinds = [*range(len(LINKS))]
    chance.shuffle(kinds)
    callers = [seat for seat in range(SEATS) if seat != placer]
    links = [-1] * SEATS
    found: list[Found] = [NOBODY] * SEATS
    for seat, kind in zip(callers, kinds, strict=True):
        truth = 20 * SECOND + round(max(150.0, chance.gauss(*REACTION)) * MS)
        phone = Phone(chance, chance.choice(GRAINS[:2]))
        links[seat] = kind
        found[seat] = pressed(phone, LINKS[kind], truth, truth - 3 * SECOND, chance)
    leader = min(found[seat].stamp.at for seat in callers)
    equal = [seat for seat in callers if found[seat].stamp.at - leader < TRUE_RESOLUTION]
    return links, found, nearest_seat(placer, equal, SEATS), len(equal)


NOBODY = Found(0, PressStamp(0, None, 0), fit=False)


def forged(seed: int) -> Nanos:
    """By how much a forger's press counts before it arrived; she knows all there is to know."""
    chance = random.Random(seed)
    clock, arrival = PhoneClock(chance.choice((0, *GRAINS))), 20 * SECOND
    lie = chance.randint(0, 2 * SECOND)
    """Her clock says that every press was so long ago; she answers at once."""
    waiting = PendingPresses(clock)
    for at in range(arrival - 2 * SECOND, arrival, ASKS):
        clock.add_exchange(ClockExchange(at, at, at, at))
    waiting.add_press(arrival - lie, arrival, None)
    answer = arrival + chance.randint(0, 200 * MS)
    for at in sorted((answer, arrival + SECOND)):
        due = waiting.next_due()
        assert due is not None
        for _, stamp in waiting.take_stamped(min(due, at)):
            return arrival - stamp.at
        clock.add_exchange(ClockExchange(at, at, at, at))
    raise AssertionError("a press that nobody stamped")


def rows() -> Iterator[Row]:
    yield from presses()
    yield from races()
    gain = max(forged(seed) for seed in range(PRESSES)) / MS
    yield Row(
        figure=f"phones: what the best of {PRESSES:,} forged presses gained",
        value=gain,
        unit="ms",
        aim=f"at most {MAX_LAG // MS} ms",
        met=gain <= MAX_LAG / MS,
    )


def presses() -> Iterator[Row]:
    found = [anyhow(seed) for seed in range(PRESSES)]
    placed = [(one, one.stamp.within) for one in found]
    known = [(one, within) for one, within in placed if within is not None]
    outside = sum(not within.low <= one.truth <= within.high for one, within in known)
    yield Row(
        figure=f"phones: presses outside their interval, of {PRESSES:,} on links of 1 to 400 ms",
        value=outside,
        unit="presses",
        aim="0",
        met=outside == 0,
        note=f"{len(known):,} had an interval, {len(found) - len(known):,} count from their arrival; "
        f"half-widths {quartiles(within for _, within in known)} ms (quartiles)",
    )
    early = sum(
        one.stamp.at > one.stamp.arrival or one.stamp.arrival - one.stamp.at > MAX_LAG for one in found
    )
    yield Row(
        figure="phones: stamps after their arrival, or more than the lag before it",
        value=early,
        unit="presses",
        aim="0",
        met=early == 0,
    )
    clamped = sum(one.stamp.added_delay > 0 for one, _ in known)
    fit = sum(one.fit for one in found)
    yield Row(
        figure="phones: share that counts later because its link is slow",
        value=100 * clamped / len(found),
        unit="%",
        note=f"{100 * fit / len(found):.1f} % were fit for races "
        f"(at most {MAX_RACE_HALF_WIDTH // MS} ms to either side); "
        f"of those {100 * sum(one.fit and one.stamp.added_delay > 0 for one in found) / fit:.1f} % "
        "count later",
    )


def quartiles(intervals: Iterator[TimeInterval]) -> str:
    widths = sorted(within.half_width / MS for within in intervals)
    return ", ".join(f"{widths[len(widths) * part // 4]:.1f}" for part in (1, 2, 3))


def races() -> Iterator[Row]:
    seats, links, ran, wins = Counter[int](), Counter[int](), Counter[int](), 0
    ties = unfit = wrong = resent = 0
    errors: dict[int, list[float]] = {kind: [] for kind in range(len(LINKS))}
    for seed in range(RACES):
        by_seat, found, winner, equal = race(seed)
        callers = [seat for seat in range(SEATS) if by_seat[seat] >= 0]
        seats[winner] += 1
        links[by_seat[winner]] += 1
        ran.update(by_seat[seat] for seat in callers)
        ties += equal > 1
        unfit += sum(not found[seat].fit for seat in callers)
        order = sorted(callers, key=lambda seat: found[seat].truth)
        clear = found[order[1]].truth - found[order[0]].truth > 2 * TRUE_RESOLUTION
        on_time = found[order[0]].stamp.added_delay == 0 and found[order[0]].stamp.within is not None
        resent += clear and not on_time
        wins += clear and on_time
        wrong += clear and on_time and winner != order[0]
        for seat in callers:
            errors[by_seat[seat]].append((found[seat].stamp.at - found[seat].truth) / MS)
    yield Row(
        figure=f"phones: share of {RACES:,} races ruled equal",
        value=100 * ties / RACES,
        unit="%",
        note=f"presses of people alike, {REACTION[1]} ms apart (standard deviation); "
        f"{unfit} of {4 * RACES:,} presses were of phones not fit for races",
    )
    yield Row(
        figure="phones: the first by more than 120 ms did not win",
        value=wrong,
        unit="races",
        aim="0",
        met=wrong == 0,
        note=f"of {wins:,} such races; not among them: {resent} whose press was clamped or not placed",
    )
    shares = [100 * seats[seat] / RACES for seat in range(SEATS)]
    yield Row(
        figure="phones: win rate by seat, most less least",
        value=max(shares) - min(shares),
        unit="%",
        aim="at most 2 %",
        met=max(shares) - min(shares) <= 2,
        note="by seat: " + ", ".join(f"{share:.1f} %" for share in shares),
    )
    rates = [100 * links[kind] / ran[kind] for kind in range(len(LINKS))]
    even = [rate for kind, rate in enumerate(rates) if kind != LOPSIDED]
    told = "; ".join(
        f"{link.name}: wins {rate:.1f} %, stamped {sum(errors[kind]) / len(errors[kind]):+.1f} ms in the mean"
        for kind, (link, rate) in enumerate(zip(LINKS, rates, strict=True))
    )
    yield Row(
        figure="phones: win rate by link, most less least, ways of like length",
        value=max(even) - min(even),
        unit="%",
        aim="at most 2 %",
        met=max(even) - min(even) <= 2,
        note=told,
    )
    yield Row(
        figure="phones: win rate by link, the lopsided one less the mean of the others",
        value=rates[LOPSIDED] - sum(even) / len(even),
        unit="%",
        note=told,
    )
