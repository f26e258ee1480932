"""`companion dev belief`: whether the chances that the companion reckons come true."""

from __future__ import annotations

import argparse
import random

from companion.core.errors import InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.progress import bar
from companion.settings.terminal import say


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.games import GAMES
    from companion.games.asked import game_named, sits_down, usual
    from companion.games.kit.world import Style
    from companion.simulation.calibration import brier, calibrated, played, plot

    rules = game_named(args.game)
    inferred = [name for name, game in GAMES.items() if game.calibrated is not None]
    if rules.name not in inferred:
        raise InputError(f"The card tracker doesn't cover {rules.name}; choose from: {', '.join(inferred)}.")
    players = args.players or usual(rules)
    sits_down(rules, players, bot=args.bot)
    if args.games < 1:
        raise InputError("--games must be at least 1.")
    games = []
    bar(0, args.games)
    for number in range(args.games):
        seed = args.seed + number
        chance = random.Random(f"{seed} styles")
        styles = [chance.choice((Style.LAWFUL, Style.BLUFFING)) for _ in range(players)]
        with_bot = {"bot": True} if args.bot else {}
        games.append(list(played(rules.name, players, seed, styles, **with_bot)))
        bar(number + 1, args.games)
    bins = calibrated(games)
    error, blind = brier(games)
    asked = sum(map(len, games))
    table = f"{players}{' + BOT' * args.bot}"
    games_of = f"{counted(args.games, 'game')} of {rules.name}"
    say(f"{games_of}, {table} players, seeds from {args.seed}: {asked} estimates")
    say("said    true    ±95 %   estimates")
    for one in bins:
        say(f"{one.said:.3f}   {one.true:.3f}   {one.error:.3f}   {one.chances}")
    say(f"mean squared error {error:.4f}; guessing without the history {blind:.4f}")
    if args.svg is not None:
        title = f"{rules.name}, {table} players, {counted(args.games, 'game')}"
        args.svg.write_text(plot(bins, title), encoding="utf-8")
        say(f"Saved {args.svg}.")
    return 0
