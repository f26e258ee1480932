"""Whole games as a text, in the order in which they are told: `python -m tests.programs.aloud`.

One game of each kind is played by simulated people with a fixed seed, and written down once in each language:
for whom the game is and how it is won, as newcomers are told before it, then what the screen asks, what the
voice says, what buttons offer, and why each kind of ruling is as it is. For eyes that did not write the
sentences: one that has to be read twice is a defect.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from companion.core.actions import Setup
from companion.core.view import View
from companion.games import RULES
from companion.language.language import Language
from companion.referee.referee import Referee
from companion.simulation.game_simulation import GameSimulation, random_styles
from companion.ui.board.setup_overlays import game_summary
from tests.languages import LANGUAGES
from tests.programs.clips import aloud, planned

FOLDER = Path("build") / "aloud"
TABLES = {"kinapa": 4, "kabuki": 3, "kobayakawa": 4, "dnup": 3}
SEED = 5
ASKS, HINTS, OFFERS, SAYS, SHOWS, WHY = "ask", "hint", "button", "said", "shown", "why"
"""What begins a line: where on the screen it stands, and whether it is heard."""
READERS: Mapping[str, str] = MappingProxyType(
    {
        "en": "What a table hears and reads in one whole game. said: the voice says it; shown: the "
        "screen shows it, in its own words where somebody just said it; ask: the large line that "
        "says whose move it is; hint: the small line under it; button: what a press can choose "
        "now; why: what is shown if somebody asks why. Everything that happens is here each time;"
        " an ask, hint, button or why only the first time.",
        "de": "Was ein Tisch in einer ganzen Partie hört und liest. said: die Stimme sagt es; shown: "
        "der Bildschirm zeigt es, mit eigenen Worten, wo es die Stimme gerade gesagt hat; ask: "
        "die große Zeile, die sagt, wer dran ist; hint: die kleine Zeile darunter; button: was "
        "ein Druck jetzt wählen kann; why: was da steht, wenn jemand „Warum?“ fragt. Alles, was "
        "geschieht, steht jedes Mal da; ask, hint, button und why nur beim ersten Mal.",
        "fr": "Ce qu’une table entend et lit pendant une partie entière. said : la voix le dit ; shown "
        ": l’écran le montre, à sa façon quand la voix vient de le dire ; ask : la grande ligne, "
        "qui dit à qui c’est de jouer ; hint : la petite ligne dessous ; button : ce qu’un appui "
        "peut choisir ; why : ce qui s’affiche si quelqu’un demande pourquoi. Tout ce qui se "
        "passe est écrit chaque fois ; ask, hint, button et why seulement la première fois.",
    }
)
"""What is told first to somebody who reads such a text: what its marks mean, and what is left out."""


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.programs.aloud", description=__doc__.split("\n", 1)[0]
    )
    parser.add_argument("games", nargs="*", default=list(TABLES), help="which (all)", metavar="GAME")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder to write to (build/aloud)")
    args = parser.parse_args(words)
    args.out.mkdir(parents=True, exist_ok=True)
    for game in args.games:
        referee = played(game, TABLES[game])
        for code in LANGUAGES:
            path = args.out / f"{game}.{code}.txt"
            lines = list(told(referee, code))
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            print(f"{path}: {len(lines)} lines")
    return 0


def played(game: str, players: int) -> Referee[Any]:
    """A game that simulated people have played to its end."""
    rules = RULES[game]
    setup = Setup(tuple(range(players)), rules.options())
    styles = random_styles(players, Random(f"{SEED} styles"))
    simulation = GameSimulation(rules, setup, seed=SEED, styles=styles)
    simulation.run()
    return simulation.referee


def told(referee: Referee[Any], code: str) -> Iterator[str]:
    """Every line of a game: what happens each time, questions and reasons the first time in these words."""
    rules, language = referee.rules, Language(code)
    spoken = planned(code).said
    states = [rules.initial_state(referee.setup)]
    known: set[str] = set()

    def new(kind: str, text: str) -> Iterator[str]:
        line = f"{kind:7}{text}"
        if text and line not in known:
            known.add(line)
            yield line

    yield f"# {language.tr(f'{rules.name}.name')}: {language.tr(f'{rules.name}.line')}"
    yield READERS[code]
    for sentence in game_summary(rules.name):
        yield f"{SAYS:7}{language.speech_text(sentence)}"
    for sentence in rules.setup_instructions(referee.setup):
        yield from new(SHOWS, language.text(sentence))
    for entry in referee.journal.entries:
        before = states[-1]
        for kind, text in asked(rules.view(before), language):
            yield from new(kind, text)
        for event in entry.events:
            states.append(rules.evolve(states[-1], event))
        for event in entry.events:
            sentence = rules.sentence(states[-1], event)
            if sentence is None:
                continue
            told = [
                language.speech_text(aloud(language, heard))
                for heard in (sentence, *rules.follow_up_sentences(states[-1], event))
                if language.clip_name(heard) in spoken
            ]
            yield from (f"{SAYS:7}{one}" for one in told)
            if (shown := language.text(sentence)) not in told:
                yield f"{SHOWS:7}{shown}"
            why = f"{rules.name}.why.{rules.explanation_key(states[-1], event)}"
            if why in language:
                yield from new(WHY, language.tr(why))
    for kind, text in asked(rules.view(states[-1]), language):
        yield from new(kind, text)


def asked(view: View, language: Language) -> Iterator[tuple[str, str]]:
    """What the screen asks now, and what can be answered."""
    yield SHOWS if view.outcome else ASKS, language.text(view.headline)
    if view.hint is not None:
        yield HINTS, language.text(view.hint)
    for chair in view.chairs:
        for choice in chair.choices:
            yield OFFERS, language.text(choice.label)


if __name__ == "__main__":
    raise SystemExit(main())
