"""`companion practice`: play alone against simulated people of three strengths."""

from __future__ import annotations

import argparse

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.settings.progress import bar
from companion.settings.terminal import say, say_json


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.games import GAMES
    from companion.games.asked import game_named, sits_down, usual

    rules = game_named(args.game)
    practised = [name for name, game in GAMES.items() if game.opponents is not None]
    if rules.name not in practised:
        raise InputError(f"There is no practice for {rules.name} yet; choose from: {', '.join(practised)}.")
    players = args.players or usual(rules)
    sits_down(rules, players, bot=args.bot)
    if args.tournament is not None:
        if args.tournament < 2:
            raise InputError("--tournament needs at least 2 games.")
        seed, as_json = args.seed or 0, args.json
        return _tournament(rules.name, args.tournament, players, seed, bot=args.bot, as_json=as_json)
    if args.json:
        raise InputError("--json prints the results of --tournament.")
    from companion.run.practice import run_practice
    from companion.ui.commands import Practice

    wanted = Practice(rules.name, args.strength, args.open, players, args.bot)
    return run_practice(settings, wanted, seed=args.seed)


def _tournament(game: str, games: int, players: int, seed: int, *, bot: bool, as_json: bool) -> int:
    from companion.simulation.tournament import ladder, match

    each = games // len(ladder())
    table = f"{players}{' + BOT' * bot}"
    pairings = len(ladder())
    said = f"{game}, {table} players: {pairings} match-ups of {each} games each, {pairings * each} in all"
    say(said, f"Each strength has half of the seats. Seeds start at {seed}.", error=as_json)
    scores = []
    for one, other in ladder():
        score = match(
            game, one, other, games=each, players=players, bot=bot, seed=seed,
            told=lambda done: bar(done, each),
        )  # fmt: skip
        scores.append(score._asdict() | {"against": other, "share": score.share})
        if as_json:
            continue
        say(
            f"{one:<7} wins {score.share:6.1%} against {other:<7}"
            f" (95 % interval {score.low:.1%} to {score.high:.1%}, {score.games} games)"
        )
    if as_json:
        say_json(scores)
    return 0
