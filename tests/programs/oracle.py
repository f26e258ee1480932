"""`make oracle`: Liar's Dice beside OpenSpiel's `liars_dice`, bid by bid, to who loses the round.

python -m tests.programs.oracle [--plies 1000000] [--seed 1] [--record FILE]

Rounds of two players with one to five dice each, with ours set to its rules: sixes wild, and either order of
bids (its reset-face and reset-quantity). Its dice are the dice; ours are told of them after a doubt. Before
every ply the lawful choices are compared, all of them; after a doubt the loser. Exits 1 at the first
difference. `--record` keeps a few rounds for the tests, which need no OpenSpiel.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from functools import cache, reduce
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from companion.core import observations as ob
from companion.core.actions import Action, Setup, pair_value
from companion.games.liars_dice.players import matching
from companion.games.liars_dice.rules import LiarsDice
from companion.games.liars_dice.rules.model import FACES, LiarsDiceOptions, LiarsDiceState

RULES = LiarsDice()
ORDERS = {"count": "reset-face", "face": "reset-quantity"}
MOST = 5
DOUBTS = 0.15
"""How often a bid is doubted, so that rounds are of all lengths."""


class Ply(NamedTuple):
    """What may be done, as OpenSpiel has it, and what was done: a bid `5-3`, or `Liar`."""

    lawful: tuple[str, ...]
    done: str


class Round(NamedTuple):
    """One round that OpenSpiel has played."""

    order: str
    dice: tuple[tuple[int, ...], tuple[int, ...]]
    plies: tuple[Ply, ...]
    loser: int


def play(order: str, dice: int, chance: Random) -> Round:
    """A round of OpenSpiel's, with dice and bids by chance."""
    state = _game(order, dice).new_initial_state()
    rolled: list[int] = []
    while state.is_chance_node():
        rolled.append(chance.choice(state.legal_actions()) + 1)
        state.apply_action(rolled[-1] - 1)
    plies = []
    while not state.is_terminal():
        legal = state.legal_actions()
        words = tuple(state.action_to_string(state.current_player(), one) for one in legal)
        doubts = words[-1] == "Liar" and (len(words) == 1 or chance.random() < DOUBTS)
        at = len(words) - 1 if doubts else chance.randrange(len(words) - (words[-1] == "Liar"))
        if not doubts and chance.random() < 0.7:  # rather a near bid than a far one: longer rounds
            at = min(at, chance.randrange(4))
        plies.append(Ply(words, words[at]))
        state.apply_action(legal[at])
    hands = tuple(rolled[:dice]), tuple(rolled[dice:])
    return Round(order, hands, tuple(plies), state.returns().index(-1.0))


@cache
def _game(order: str, dice: int) -> Any:
    import pyspiel

    given = {"players": 2, "numdice": dice, "dice_sides": len(FACES), "bidding_rule": ORDERS[order]}
    return pyspiel.load_game("liars_dice", given)


def difference(played: Round) -> str | None:
    """The first difference of ours from a round of OpenSpiel's, in one sentence."""
    many = len(played.dice[0])
    options = LiarsDiceOptions(dice=many, wild="highest", order=played.order)  # type: ignore[arg-type]
    state = _say(RULES.initial_state(Setup((0, 1), options)), Action(0, "begin"))
    for number, ply in enumerate(played.plies):
        ours = {_word(action) for action in RULES.legal_actions(state)}
        if ours != set(ply.lawful) or len(ply.lawful) != len(ours):
            return f"ply {number} of {played}: {sorted(ours ^ set(ply.lawful))} is lawful in one only"
        if ply.done == "Liar":
            bid = state.bid
            assert bid is not None
            state = _say(state, Action(state.seat, "doubt"))
            for seat, dice in enumerate(played.dice):
                state = _say(state, Action(seat, "tell", matching(dice, bid[1], state.wild)))
        else:
            count, face = map(int, ply.done.split("-"))
            state = _say(state, Action(state.seat, "bid", pair_value(count, face)))
    loser = next((seat for seat, left in enumerate(state.dice) if left < many), None)
    return None if loser == played.loser else f"{played}: seat {loser} has lost a die in ours"


def _word(action: Action) -> str:
    return "Liar" if action.verb == "doubt" else "-".join(map(str, action.parts))


def _say(state: LiarsDiceState, said: Action) -> LiarsDiceState:
    return reduce(RULES.evolve, RULES.decide(state, ob.ActionDeclared(at=0, action=said)), state)


def rounds(seed: int) -> Iterator[Round]:
    """Rounds without end: both orders, one to five dice, in turn."""
    chance = Random(seed)
    while True:
        for order, dice in product(ORDERS, range(1, MOST + 1)):
            yield play(order, dice, chance)


def read_sample(path: Path) -> Iterator[Round]:
    """Rounds that `--record` kept, a line each."""
    for line in path.read_text(encoding="utf-8").splitlines():
        order, dice, plies, loser = json.loads(line)
        lawful = (Ply(tuple(ply[0].split()), ply[1]) for ply in plies)
        yield Round(order, (tuple(dice[0]), tuple(dice[1])), tuple(lawful), loser)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make oracle", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--plies", type=int, default=1_000_000, help="so many are compared, at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=Path, help="keep the rounds in this file, a line each")
    asked = parser.parse_args(words)
    plies = many = 0
    kept = []
    for played in rounds(asked.seed):
        if plies >= asked.plies:
            break
        if (found := difference(played)) is not None:
            print(found)
            return 1
        plies, many = plies + len(played.plies), many + 1
        if asked.record:
            told = [[" ".join(ply.lawful), ply.done] for ply in played.plies]
            kept.append(json.dumps([played.order, played.dice, told, played.loser], separators=(",", ":")))
    if asked.record:
        asked.record.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    print(f"{plies:,} plies in {many:,} rounds of OpenSpiel's liars_dice, seed {asked.seed}: 0 differences")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
