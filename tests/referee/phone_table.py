"""A table that is played by phones alone: people, links that delay, drop and reorder, and the real loop.

No network and no real clock: messages are entries in a heap, and time jumps from one to the next.
Everything a phone says goes through `companion.core.phone_clock`, `phone_rate_limit` and
`companion.referee.phone_chairs` (offers), as it will when sockets carry it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from itertools import count
from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Chair, Micros, Options, Setup
from companion.core.phone_clock import MS, ClockExchange, Nanos, PendingPresses, PhoneClock, PressStamp
from companion.core.phone_rate_limit import MAX_CHAIR_EXCHANGES, PressLimiter, TokenBucket
from companion.games import RULES
from companion.games.kit.world import PlayStyle, TakeAction, split_rotation
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import RefereedGame
from companion.referee.phone_chairs import PhoneAnswer
from companion.referee.referee import Referee
from companion.simulation.game_simulation import LEAD_IN, READING_DELAY, build_world
from companion.simulation.simulated_players import PlayerSimulator

ASKS: Micros = 500_000
"""So often a phone asks for the time."""
LONGEST: Micros = 4 * 3_600 * SECOND


class Phone:
    """One phone at the table: its clock, and the offer on its screen."""

    def __init__(self, chance: random.Random) -> None:
        self.offer: int | None = None
        self._ahead = chance.randint(-3_600_000, 3_600_000) * MS
        self._ppm = chance.randint(-300, 300)
        self._grain = chance.choice((MS // 10, MS))
        self.least = chance.uniform(1, 12), chance.uniform(1, 12)
        """Milliseconds that a message takes at least, to the table and back."""
        self.clock = PhoneClock(self._grain)
        self.waiting = PendingPresses(self.clock)
        self.asks = TokenBucket(MAX_CHAIR_EXCHANGES)

    def shows(self, at: Micros) -> Nanos:
        exact = at * 1_000 + self._ahead + at * self._ppm // 1_000
        return exact // self._grain * self._grain


class PhonePeople(PlayerSimulator):
    """People who know their phones only."""

    def __init__(self, *args: Any, tell: Callable[[Chair, Action | None, Micros], None], **more: Any) -> None:
        super().__init__(*args, press=lambda chair, at, _: tell(chair, None, at), **more)
        self._tell = tell

    def plan_again(self) -> None:
        """Somebody's answer came to nothing: look again what is asked."""
        self._moment = None

    def _choose(self, deed: TakeAction, at: Micros) -> None:
        offered = self.offered(deed.chair)
        if deed.action in offered:
            self._tell(deed.chair, None if offered == (deed.action,) else deed.action, at)
        else:
            self._say(deed.chair, deed.action)

    def offered(self, chair: Chair) -> tuple[Action, ...]:
        """What a phone offers, as it counts it: what is asked, then what may be done at any time."""
        asked = {prompt.chair: prompt.actions for prompt in self._rules.prompts(self.state)}
        extras = (choice.action for choice in self._rules.extra_choices(self.state))
        own = (action for action in extras if self.state.chair_of(action.seat) == chair)
        return (*asked.get(chair, ()), *own)


class PhoneTable:
    """One whole game by phones; `drops` of their messages get lost, `jitter` is in milliseconds."""

    asks_every: Micros = ASKS

    def __init__(
        self,
        game: str,
        players: int,
        *,
        seed: int,
        drops: float,
        jitter: float,
        options: Options | None = None,
    ) -> None:
        self._chance = random.Random(f"{seed} links")
        self._drops, self._jitter = drops, jitter
        rules = RULES[game]
        setup = Setup(tuple(range(players)), options or rules.options())
        world = build_world(game, setup, random.Random(seed), (PlayStyle.LAWFUL,) * players)
        referee: Referee[Any] = Referee(rules, MemoryJournal(make_header(game, setup, kind="simulation")))
        self.game = RefereedGame(referee, chance=random.Random(seed).randrange)
        self.game.set_phone_chairs(setup.chairs)
        self.people = PhonePeople(rules, world, referee.state, tell=self._pressed, say=self._said)
        self.phones = {chair: Phone(self._chance) for chair in setup.chairs}
        self.flood = PressLimiter()
        for chair in setup.chairs:
            self.flood.add_chair(chair)
        self.now: Micros = 0
        self.verdicts: Counter[str] = Counter()
        self.by_touch: list[Action] = []
        """What no phone could say."""
        self.lost = 0
        self.stamps: list[tuple[Micros, PressStamp]] = []
        """When it was pressed, and when it counts."""
        self._due: list[tuple[Micros, int, Callable[[], None]]] = []
        self._order = count()
        self._cue: Any = None
        self._seen: dict[str, Any] = dict(world.places)
        self._changes = self.people.changes
        for chair in setup.chairs:
            self._at(self._chance.randint(0, ASKS), self._asks(chair))
        for chair, offer in self.game.phones.offer_numbers().items():
            self._shows(chair, offer)()

    # Time -------------------------------------------------------------------------------------------------

    def play(self) -> None:
        while not self.game.over and self.now < LONGEST:
            self._step()
            dues = [
                self.game.next_due(),
                self.people.next_due(),
                self._due[0][0] if self._due else None,
                *(due // 1_000 + 1 for phone in self.phones.values() if (due := phone.waiting.next_due())),
            ]
            self.now = max(self.now, min(due for due in dues if due is not None))

    def _step(self) -> None:
        while self._due and self._due[0][0] <= self.now:
            heappop(self._due)[2]()
        for phone in self.phones.values():
            self._hand_on(phone)
        self.people.advance(self.now)
        self._look()
        self.game.step(self.now)
        for ruling in self.game.take_announcements():
            self.people.handle_ruling(ruling)
            for chair, offer in ruling.offers.items():
                self._at(self.now + self._way(chair, 1), self._shows(chair, offer))
        for reply in self.game.phones.replies:
            self.verdicts[reply.verdict] += 1
            if reply.verdict != "taken":
                self.people.plan_again()
        self.game.phones.replies.clear()
        cue = self.game.cue
        if cue != self._cue:
            self._cue = cue
            if cue is not None:
                self.game.post(ob.CueHeard(at=self.now + LEAD_IN, cue=cue.name, attempt=cue.attempt))
        self.people.plan_actions(self.now)

    def _at(self, at: Micros, then: Callable[[], None]) -> None:
        heappush(self._due, (at, next(self._order), then))

    # Messages ---------------------------------------------------------------------------------------------

    def _way(self, chair: Chair, direction: int) -> Micros:
        """How long a message takes; each on its own, so that one overtakes another."""
        least = self.phones[chair].least[direction]
        return round(1_000 * (least + self._chance.expovariate(1 / self._jitter)))

    def _send(self, chair: Chair, then: Callable[[Nanos], None]) -> None:
        """A message of a phone: what is done when it arrives, unless it is lost."""
        if self._chance.random() < self._drops:
            self.lost += 1
            return
        arrival = self.now + self._way(chair, 0)
        self._at(arrival, lambda: then(arrival * 1_000))

    def _asks(self, chair: Chair) -> Callable[[], None]:
        def asks() -> None:
            self._exchange(chair)
            self._at(self.now + self.asks_every, asks)

        return asks

    def _exchange(self, chair: Chair) -> None:
        phone = self.phones[chair]
        t0 = phone.shows(self.now)

        def answered(received: Nanos) -> None:
            if not phone.asks.try_take(received):
                return
            self._at(self.now + self._way(chair, 1), lambda: told(received))

        def told(received: Nanos) -> None:
            exchange = ClockExchange(t0, received, received, phone.shows(self.now))
            self._send(chair, lambda _: phone.clock.add_exchange(exchange))

        self._send(chair, answered)

    def _shows(self, chair: Chair, offer: int) -> Callable[[], None]:
        def shows() -> None:
            phone = self.phones[chair]
            phone.offer = max(offer, -1 if phone.offer is None else phone.offer)

        return shows

    def _pressed(self, chair: Chair, action: Action | None, at: Micros) -> None:
        """A finger on a phone: the press with the offer it sees, and a question for the time."""
        phone, shown = self.phones[chair], self.phones[chair].shows(self.now)
        if phone.offer is None:
            return
        what = (chair, phone.offer, action, self.now)

        def arrived(arrival: Nanos) -> None:
            self.game.note_phone_activity()
            if self.flood.admit_press(chair, arrival):
                phone.waiting.add_press(shown, arrival, what)

        self._send(chair, arrived)
        self._exchange(chair)

    def _hand_on(self, phone: Phone) -> None:
        for (chair, offer, action, pressed), stamp in phone.waiting.take_stamped(self.now * 1_000):
            self.stamps.append((pressed, stamp))
            within = stamp.within and (stamp.within.low // 1_000, stamp.within.high // 1_000)
            self.game.post(PhoneAnswer(chair, offer, stamp.at // 1_000, action, within))

    def _said(self, chair: Chair, action: Action) -> None:
        self.by_touch.append(action)
        self.game.post(ob.ActionDeclared(at=self.now, action=action))

    # The camera -------------------------------------------------------------------------------------------

    def _look(self) -> None:
        if self.people.changes == self._changes:
            return
        self._changes = self.people.changes
        places: Mapping[str, Any] = self.people.world.places
        new = {name: cards for name, cards in places.items() if self._seen.get(name) != cards}
        new |= {name: () for name in self._seen if name not in places}
        self._seen = dict(places)
        lain = self.now
        regions = tuple(
            ob.RegionReading(name, tuple(ob.SeenCard(*split_rotation(card)) for card in cards), lain, lain)
            for name, cards in sorted(new.items())
        )
        if regions:
            at = self.now + READING_DELAY
            self._at(at, lambda: self.game.post(ob.TableSeen(at=at, regions=regions)))
