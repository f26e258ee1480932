"""`companion dev simulate`: simulates whole games to find broken invariants."""

import argparse
from collections import Counter

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, draw_bar, print_lines

MAX_SHOWN_FAULTS = 10


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Simulate whole games; 1 if a promise was broken.

    Raises `InputError` for fewer than one game and for a table at which the game is not played.
    """
    from companion.core.actions import ABANDONED
    from companion.core.clock import GameClock
    from companion.games import check_player_count, find_game_rules
    from companion.simulation.game_simulation import simulate_game

    rules = find_game_rules(args.game)
    if args.games < 1:
        raise InputError("--games must be at least 1.")
    if args.players is not None:
        check_player_count(rules, args.players, bot=args.bot)
    elif args.bot:
        raise InputError(
            "--bot needs --players, e.g. --players 5 --bot. Leave out both to try every table in turn."
        )
    tables = [(args.players, args.bot)] if args.players else list(rules.table_sizes())
    options = settings.house_rules(rules.name)
    clock = GameClock()
    endings: Counter[str] = Counter()
    events: Counter[str] = Counter()
    entries = turns = 0
    in_turns = False
    faults = []
    for number in range(args.games):
        players, bot = table = tables[number % len(tables)]
        played = simulate_game(
            rules.name, players=players, bot=bot, seed=args.seed + number, options=options, shows=True
        )
        endings[played.outcome.termination if played.outcome else "none"] += 1
        events += played.events
        entries += played.entries
        turns += played.turns or 0
        in_turns |= played.turns is not None
        faults += [(_describe_table(table), fault) for fault in played.faults]
        draw_bar(number + 1, args.games, f", {len(faults)} broken")
    seconds = max(clock.now(), 1) / 1_000_000
    rulings = events.total()
    games_of = f"{count_with_noun(args.games, 'game')} of {rules.name}"
    print_lines(f"{games_of}, {', '.join(map(_describe_table, tables))} players, seeds from {args.seed}")
    print_lines(f"endings     {', '.join(f'{name} {count}' for name, count in endings.most_common())}")
    print_lines(f"unfinished  {endings[ABANDONED] + endings['none']}")
    of_turns = f", {turns / args.games:.1f} turns" if in_turns else ""
    print_lines(f"a game      {entries / args.games:.0f} entries{of_turns}")
    print_lines(f"speed       {rulings / seconds:,.0f} rulings/s, {args.games / seconds:.1f} games/s")
    for name, count in events.most_common():
        print_lines(f"  {count:>9,}  {name}")
    print_lines(f"broken      {len(faults)}")
    for players, fault in faults[:MAX_SHOWN_FAULTS]:
        print_lines(f"  seed {fault.seed}, {players} players, entry {fault.seq}: {fault.what}")
    if len(faults) > MAX_SHOWN_FAULTS:
        print_lines(f"  and {len(faults) - MAX_SHOWN_FAULTS} more")
    return 1 if faults else 0


def _describe_table(table: tuple[int, bool]) -> str:
    players, bot = table
    return f"{players}{' + BOT' * bot}"
