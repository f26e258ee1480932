"""Runs inside the guest: four phones play a whole game at the appliance's own table, through its page.

They are where phones are, in a network of their own, and know the table by the page's WebSocket and by what
everybody may know (`onlooker.py`). Each asks for its chair; somebody at the table says yes. No card lies
before a camera: what a turned object is and where it lies they tell by their phones, too. Meanwhile:

- in the first count that allows it one phone raises a hand, the page is killed, and another hand is raised by
  a wire; the count must close with exactly these two, and every phone come back by itself
- the page is switched off and on again, and phones come back by themselves
- from then on the kernel makes the link a bad one, both ways, as `LINK` says

usage: phones.py STORE SECONDS SEED PEOPLE HOST PIN  (as root, with the page's own Python)
Tells what happens line by line; the last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from onlooker import Onlooker, now
from phone import Phone

from companion.core.actions import Action, Chair, Micros, Prompt
from companion.core.observations import ActionDeclared, ButtonPressed
from companion.games.kinapa.rules.model import HandsLocked, HandTooLate, KinapaPhase
from companion.games.kit.world import TakeAction
from companion.language.language import Language
from companion.referee.journal import Entry
from companion.simulation.simulated_players import PlayerSimulator

CHIP = Path("/sys/devices/platform/gpio-sim.0/gpiochip0")
BUTTONS = (17, 27, 22, 5)
"""BCM of the chairs' buttons, as `companion wiring` prints them."""
TAP_S = 0.2
LINK = "delay 80ms 40ms loss 2% reorder 25% 50%"
"""`tc netem`, at either end of the phones' cable."""
UNIT = "companion-page.service"
HANDS = frozenset({KinapaPhase.ANNOUNCED, KinapaPhase.COUNTING})
REACH_S = 20.0


def say(*words: object) -> None:
    print(*words, flush=True)


class Thumbs(PlayerSimulator):
    """People who answer by their phones, and by nothing else."""

    def __init__(self, *args: Any, tell: Callable[[Chair, Action], None], **more: Any) -> None:
        super().__init__(*args, press=lambda chair, at, hold: self._only(chair), **more)
        self._tell = tell
        self._lies_in = 0
        """Where the object lies that was turned last."""
        self._placed: int | None = None

    def plan_again(self) -> None:
        self._moment = None

    def _only(self, chair: Chair) -> None:
        """The one thing that the button means."""
        for action in self._asked(chair)[:1]:
            self._tell(chair, action)

    def _choose(self, deed: TakeAction, at: Micros) -> None:
        action = deed.action
        if action.verb == "turn":  # its face first, then its place
            label, _, place = str(action.value).partition("@")
            self._lies_in, action = int(place or 0), Action(action.seat, "turn", label)
        if action in self._asked(deed.chair):
            self._tell(deed.chair, action)

    def _asked(self, chair: Chair) -> tuple[Action, ...]:
        prompts = self._rules.prompts(self.state)
        return next((one.actions for one in prompts if one.chair == chair), ())

    def place(self) -> None:
        """Tell where it lies, once for each time that this is asked."""
        asked = next((one for one in self._rules.prompts(self.state) if _where(one)), None)
        if asked is None:
            self._placed = None
        elif self._placed != self.state.turns:
            self._placed = self.state.turns
            wanted = [one for one in asked.actions if one.value == self._lies_in] or asked.actions
            self._tell(asked.chair, wanted[0])


def _where(prompt: Prompt) -> bool:
    return bool(prompt.actions) and prompt.actions[0].verb == "lies_at"


class Evening(Onlooker):
    """The game, and what is done to the page meanwhile."""

    people: Thumbs

    def __init__(self, wanted: argparse.Namespace) -> None:
        super().__init__(wanted.store, wanted.seed, "kinapa", wanted.people)
        self.people = Thumbs(
            self.rules, self.world, self.state, tell=self._tell, say=lambda chair, action: None
        )
        self.phones = [Phone(chair, wanted.host, wanted.pin) for chair in self.chairs]
        for phone in self.phones:
            phone.changed = self.people.plan_again
        self.sources: Counter[str] = Counter()
        self.by_phone: dict[Chair, list[ButtonPressed | ActionDeclared]] = {
            chair: [] for chair in self.chairs
        }
        self.counts: list[HandsLocked] = []
        self.killed_in: tuple[int, ...] = ()
        """Whose hands were up when the count closed in which the page was killed."""
        self.wired_at: Micros = 0
        """When a wire was last pressed, by the kernel's clock."""
        self.wired: ButtonPressed | None = None
        """That press, as it was ruled on."""
        self.bad_link = False
        self._words = Language("en")
        self._reaching: dict[Chair, asyncio.Task[None]] = {}
        self._quiet = False
        """People keep still: what happens now is done to the page."""

    def heard(self, entry: Entry[Any]) -> None:
        cause = entry.cause
        if isinstance(cause, ButtonPressed | ActionDeclared):
            self.sources[cause.source] += 1
            if cause.source == "phone":
                self.by_phone[self._chair_of(cause)].append(cause)
            elif isinstance(cause, ButtonPressed):
                self.wired = cause
        self.counts += [event for event in entry.events if isinstance(event, HandsLocked)]

    def _chair_of(self, cause: ButtonPressed | ActionDeclared) -> Chair:
        if isinstance(cause, ActionDeclared):
            return self.setup.chairs[cause.action.seat]
        assert cause.chair is not None
        return cause.chair

    def _tell(self, chair: Chair, action: Action) -> None:
        if self._quiet or chair in self._reaching:
            return
        self._reaching[chair] = asyncio.create_task(self._reach(chair, action))
        self._reaching[chair].add_done_callback(lambda _: self._reaching.pop(chair, None))

    async def _reach(self, chair: Chair, action: Action) -> None:
        """A finger that waits for its button: the journal is read before the phone is told what is asked."""
        words, phone = self._words.text(self.rules.label(self.state, action)), self.phones[chair]
        end = time.monotonic() + REACH_S
        while not phone.shows(words):
            if time.monotonic() > end or self._quiet:
                self.people.plan_again()
                return
            await asyncio.sleep(0.02)
        phone.press(words, bad_link=self.bad_link)

    # What is done to the page -----------------------------------------------------------------------------

    async def killed_in_a_count(self) -> None:
        """One hand by phone, the page killed, one hand by wire; the next count, if this one is too short."""
        lying = {seat for seat in self.chairs if self.world.holds(seat, self.state.turn.number)}
        free = [
            seat
            for seat in self.chairs
            if seat not in {self.state.emperor, *lying} and not self.state.seats[seat].foxes
        ]
        if len(free) < 2 or self.state.turn.raised:
            return
        self._quiet, (first, second) = True, free[:2]
        counts = len(self.counts)
        phone, raises = (
            self.phones[first],
            self._words.text(self.rules.label(self.state, Action(first, "raise"))),
        )
        await self._until(lambda: phone.shows(raises) or len(self.counts) > counts)
        if phone.shows(raises):
            phone.press(raises, bad_link=False)
        await self._until(
            lambda: (
                len(self.counts) > counts
                or (first in self.state.turn.raised and self.state.phase is KinapaPhase.COUNTING)
            )
        )
        if len(self.counts) > counts:
            say("count: over before the page could be killed")
            self._quiet = False
            self.people.plan_again()
            return
        pid = int(_said("systemctl", "show", "-P", "MainPID", UNIT))
        os.kill(pid, signal.SIGKILL)
        wire = CHIP / f"sim_gpio{BUTTONS[second]}" / "pull"
        self.wired, self.wired_at = None, now()
        wire.write_bytes(b"pull-down")
        await asyncio.sleep(TAP_S)
        wire.write_bytes(b"pull-up")
        say(f"count: hand by phone on chair {first + 1}, page killed, hand by wire on chair {second + 1}")
        await self._until(lambda: len(self.counts) > counts and self.wired is not None)
        closed, late = self.counts[counts], HandTooLate(second) in self.told
        say(f"count: closed with the hands of chairs {[seat + 1 for seat in closed.raised]}")
        if set(closed.raised) != ({first} if late else {first, second}):
            sys.exit(f"the count has other hands: {closed}, not those of seats {first} and {second}")
        if late:
            say("count: the wire came after it; once more in another")
        else:
            self.killed_in = closed.raised
        await self._back()

    async def off_and_on(self) -> None:
        self._quiet = True
        _said("systemctl", "stop", UNIT)
        await self._until(lambda: not any(phone.is_in for phone in self.phones))
        say("the page is off; the table is", _said("systemctl", "is-active", "companion", code=None))
        _said("systemctl", "start", UNIT)
        await self._back()

    async def _back(self) -> None:
        await self._until(lambda: all(phone.is_in for phone in self.phones))
        say("every phone is back on its chair, by itself")
        self._quiet = False
        self.people.plan_again()

    async def _until(self, there: Callable[[], bool], seconds: float = 300) -> None:
        end = time.monotonic() + seconds
        while not there():
            if time.monotonic() > end:
                sys.exit(f"nothing came of it in {seconds:.0f} s: {[phone.ended for phone in self.phones]}")
            await asyncio.sleep(0.02)
            self.follow()

    def make_link_bad(self) -> None:
        house = ("nsenter", "-t", "1", "-n")
        for where, device in ((), "wlan0"), (house, "house"):
            _said(*where, "tc", "qdisc", "add", "dev", device, "root", "netem", *LINK.split())
        self.bad_link = True
        say("from now on the link is a bad one:", LINK)

    # The evening ------------------------------------------------------------------------------------------

    async def play(self, seconds: float) -> str:
        staying = [asyncio.create_task(phone.stay()) for phone in self.phones]
        await self._until(lambda: all(phone.asks or phone.holds for phone in self.phones))
        say("asked")
        await self._until(lambda: all(phone.holds for phone in self.phones))
        say("granted")
        end, switched = time.monotonic() + seconds, False
        ended = "not over"
        while time.monotonic() < end:
            self.follow()
            if (outcome := self.over()) is not None:
                ended = outcome
                break
            if self.state.phase in HANDS and not self.killed_in:
                await self.killed_in_a_count()
            elif self.killed_in and not switched and self.state.phase is KinapaPhase.TURNING:
                switched = True
                await self.off_and_on()
                self.make_link_bad()
            self.people.advance(now())
            self.people.place()
            self.people.plan_actions(now())
            await asyncio.sleep(0.02)
        await asyncio.sleep(1)
        self.follow()
        for one in staying:
            one.cancel()
        return ended

    def stamps(self) -> dict[str, Any]:
        """How far stamps are from what the fingers did, over the good link and the bad one; milliseconds.

        The wire's press, which the kernel stamped, says how the game's time stands to the kernel's.
        """
        assert self.wired is not None
        ahead = self.wired.at - self.wired_at
        found: dict[bool, list[tuple[float, bool]]] = {False: [], True: []}
        for phone in self.phones:
            for cause in self.by_phone[phone.chair]:
                press = min(phone.presses, key=lambda one: abs(cause.at - ahead - one.at))
                placed = isinstance(cause, ButtonPressed) and cause.within is not None
                found[press.bad_link].append(((cause.at - ahead - press.at) / 1e3, placed))
        told = {}
        for name, bad in (("good", False), ("bad", True)):
            off = sorted(error for error, _ in found[bad])
            told[name] = {
                "presses": len(off),
                "placed": sum(placed for _, placed in found[bad]),
                "stamps off": [round(error, 1) for error in off],
            }
        return told


def _said(*words: str, code: int | None = 0) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if code is not None and done.returncode != code:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout.strip()


async def evening(wanted: argparse.Namespace) -> None:
    played = Evening(wanted)
    ended = await played.play(wanted.seconds)
    told = {
        "outcome": ended,
        "entries": played.entries,
        "counts": len(played.counts),
        "killed in": [seat + 1 for seat in played.killed_in],
        "sources": played.sources,
        "verdicts": sum((phone.verdicts for phone in played.phones), Counter[str]()),
        "came in": [phone.back for phone in played.phones],
        "told later": [text for phone in played.phones for text in phone.later][:5],
        "stamps": played.stamps(),
    }
    say(json.dumps(told))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int)
    parser.add_argument("people", type=int)
    parser.add_argument("host")
    parser.add_argument("pin")
    asyncio.run(evening(parser.parse_args()))


if __name__ == "__main__":
    main()
