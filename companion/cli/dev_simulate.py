"""`companion dev simulate`: whole games without pixels, and every promise that did not hold."""

import argparse
from collections import Counter

from companion.core.errors import InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.progress import bar
from companion.settings.terminal import say

SHOWN = 10


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Simulate whole games; 1 if a promise was broken.

    Raises `InputError` for fewer than one game and for a table at which the game is not played.
    """
    from companion.core.clock import GameClock
    from companion.games.asked import game_named, sits_down
    from companion.simulation.play import simulate

    rules = game_named(args.game)
    if args.games < 1:
        raise InputError("--games must be at least 1.")
    if args.players is not None:
        sits_down(rules, args.players, bot=args.bot)
    elif args.bot:
        raise InputError(
            "--bot needs --players, e.g. --players 5 --bot. Leave out both to try every table in turn."
        )
    tables = [(args.players, args.bot)] if args.players else list(rules.tables())
    options = settings.house_rules(rules.name)
    clock = GameClock()
    endings: Counter[str] = Counter()
    events: Counter[str] = Counter()
    entries = turns = 0
    in_turns = False
    faults = []
    for number in range(args.games):
        players, bot = table = tables[number % len(tables)]
        played = simulate(rules.name, players=players, bot=bot, seed=args.seed + number, options=options)
        endings[played.outcome.termination if played.outcome else "none"] += 1
        events += played.events
        entries += played.entries
        turns += played.turns or 0
        in_turns |= played.turns is not None
        faults += [(_told(table), fault) for fault in played.faults]
        bar(number + 1, args.games, f", {len(faults)} broken")
    seconds = max(clock.now(), 1) / 1_000_000
    rulings = events.total()
    games_of = f"{counted(args.games, 'game')} of {rules.name}"
    say(f"{games_of}, {', '.join(map(_told, tables))} players, seeds from {args.seed}")
    say(f"endings     {', '.join(f'{name} {count}' for name, count in endings.most_common())}")
    of_turns = f", {turns / args.games:.1f} turns" if in_turns else ""
    say(f"a game      {entries / args.games:.0f} entries{of_turns}")
    say(f"speed       {rulings / seconds:,.0f} rulings/s, {args.games / seconds:.1f} games/s")
    for name, count in events.most_common():
        say(f"  {count:>9,}  {name}")
    say(f"broken      {len(faults)}")
    for players, fault in faults[:SHOWN]:
        say(f"  seed {fault.seed}, {players} players, entry {fault.seq}: {fault.what}")
    if len(faults) > SHOWN:
        say(f"  and {len(faults) - SHOWN} more")
    return 1 if faults else 0


def _told(table: tuple[int, bool]) -> str:
    players, bot = table
    return f"{players}{' + BOT' * bot}"
