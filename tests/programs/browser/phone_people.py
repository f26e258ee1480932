"""A table whose people hold phones: what each means to press is a line of JSON, and nobody here presses it.

`python -m tests.programs.browser.phone_people FOLDER` plays Kinapa beside a page of its own, and keeps the
game in FOLDER. Cards are moved, and seen by the camera, as in a demo; `tests.programs.browser.players` has
the phones.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from companion.core.actions import Setup
from companion.core.clock import GameClock
from companion.core.view import Sentence
from companion.games import RULES
from companion.games.kinapa.players import card_number
from companion.games.kit.world import Plan, PlayStyle, PressOwnButton, TakeAction
from companion.language.language import Language
from companion.programs.build_app import build_runtime
from companion.programs.simulated_broadcast import run_with_page
from companion.programs.simulated_host import DemoHost, Moved
from companion.referee.journal import make_header
from companion.referee.loop import Announcement
from companion.referee.store import GameStore
from companion.settings.files import load_settings
from companion.simulation.simulated_table import SimulatedTable
from companion.table.runtime import Runtime

GAME = "kinapa"
CHAIRS = (0, 1, 2, 3)
SEED = 32
NAME = "Ada Lovelace"
"""Of the first player, whom no page of the owner's names."""
WORDS = {code: Language(code) for code in ("en", "de", "fr")}


def said(sentence: Sentence) -> Mapping[str, str]:
    """A sentence in each language."""
    return {code: words.text(sentence) for code, words in WORDS.items()}


def tell(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def host_of(shared: Runtime, store: GameStore) -> DemoHost:
    """Four people with phones in their hands, before their first press."""
    rules = RULES[GAME]
    header = make_header(
        GAME, Setup(CHAIRS, rules.options()), date="2026-11-20T20:15:00", names=((0, NAME),), seed=SEED
    )

    def open_table(fingers: Moved | None) -> SimulatedTable:
        return SimulatedTable(
            rules,
            store.create_game(header, wake=shared.wake_loop),
            seed=SEED,
            styles=(PlayStyle.LAWFUL,) * len(CHAIRS),
            clock=shared.clock,
            inbox=shared.inbox,
            fingers=fingers,
        )

    def over(ruling: Announcement) -> None:
        if rules.outcome(ruling.state) is not None:
            tell(over=said(rules.view(ruling.state).headline))

    def quick(state: Any) -> Plan:
        """They think a third as long as others; a count lasts as long as ever."""
        return [(at if isinstance(deed, PressOwnButton) else at // 3, deed) for at, deed in slow(state)]

    host = DemoHost(open_table, shared, threads=True, listeners=(over,))
    people = host.table.people
    people.seized.update(CHAIRS)
    hands = people.world.hands  # two pairs for everybody: a short game
    cards = sorted((card for hand in hands for card in hand), key=card_number)
    for seat, hand in enumerate(hands):
        hand[:] = cards[4 * seat : 4 * seat + 4]
    slow, people.world.plan = people.world.plan, quick  # type: ignore[method-assign]

    def meant(deed: TakeAction | PressOwnButton) -> None:
        words = said(rules.label(people.state, deed.action)) if isinstance(deed, TakeAction) else None
        tell(chair=deed.chair, words=words)

    people.meant = meant
    return host


def main(folder: str) -> int:
    settings = load_settings(overrides={"storage.folder": folder}, environ={})
    shared = build_runtime(settings, GameClock(), silent=True)

    def hosts() -> Iterator[DemoHost]:
        while True:
            shared.clock.restart()
            yield host_of(shared, store)

    with GameStore(settings.store_file(), RULES) as store:
        return run_with_page(settings, shared, hosts(), seats=len(CHAIRS), host="127.0.0.1", port=0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
