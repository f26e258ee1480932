"""Speaks the sentences that are heard most several times over and keeps the best take (`make takes`).

A take is the same sounds in the style of another row of the voice's table, or faster. Out are those that do
not fit their place, and a count's word that begins slower than it does now; of the rest the one whose letters
are understood best (English only, there is no recogniser for others), then the most natural one by
DistillMOS. The take that is spoken without all this stays unless another is better by `MORE_LETTERS` or by
`MORE_NATURAL`. The words of the count are all said in one way, which is best for all together, and
so is what opens it. What was chosen, with all scores, stands in `voices/takes/XX.json`, and `make clips`
speaks accordingly.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import msgspec
import numpy as np
import soundfile

from companion.games import RULES
from companion.language.voice.clips import RATE, Wave, builtin_clip_folder, find_speech, read_index, resample
from companion.language.voice.voice_pack import OPENING_S, WORD_S
from companion.referee.journal.json_lines import read_journal_file
from tests.programs.bench.talk import tell
from tests.programs.bench.voices import COUNT, JUDGE_RATE, JUDGES, OPENS, edits, length, spell
from tests.programs.clips import Plan, Task, planned, run_until_stopped, speak
from tests.programs.speech_engines import (
    Delivery,
    KokoroEngine,
    ScoredTake,
    Takes,
    load_takes,
    load_voice_file,
    takes_file,
)

MOST_HEARD = 60
ROWS = (None, 10, 20, 80)
"""Style rows; None: the engine's choice."""
SPEEDS = (1.0, 1.08)
"""Of the speed that the sentence has now."""
QUESTION_TAKES = 3
"""Of a question that is not among those heard most."""
MORE_LETTERS, MORE_NATURAL = 2, 0.2
"""How much better another take has to be: one letter is chance, as are smaller differences of DistillMOS."""
LONGER = 1.2
"""How much longer than the standing take another may be."""
RISE_S, FAINT, LOUD = 0.02, 0.03, 0.5
"""How much later than now a count's word may be loud after it was faint; shares of its loudest 10 ms."""


class Heard(NamedTuple):
    """One take as it is heard, and what the judges say."""

    seconds: float
    rise: float
    scored: ScoredTake


def heard_most(code: str, demos: Path, plan: Plan) -> list[str]:
    """The clips of the count and of what opens it, then those heard longest in recorded demos."""
    heard: Counter[str] = Counter()
    for journal in sorted(demos.glob("*/journal.jsonl")):
        header, entries = read_journal_file(journal, RULES)[:2]
        heard += tell(header, entries, code, "normal").heard
    often = [name for name, _ in heard.most_common() if name in plan.said]
    others = alike(code)
    return [name for name in dict.fromkeys((*COUNT, *OPENS, *often)) if name not in others][:MOST_HEARD]


def alike(code: str) -> frozenset[str]:
    """The clips that are another one's recording."""
    clips = read_index(builtin_clip_folder(code)).clips
    return frozenset(name for name, clip in clips.items() if clip.like)


def questions(plan: Plan) -> list[str]:
    """The clips that ask."""
    return [name for name, text in plan.said.items() if text.rstrip().endswith("?")]


def deliveries(standing: Delivery, most: int) -> Iterator[Delivery]:
    """The standing way to say a text first, then others, `most` in all."""
    ways = [(row, speed) for speed in SPEEDS for row in ROWS]
    for row, speed in ways[:most]:
        yield msgspec.structs.replace(
            standing,
            style_row=standing.style_row if row is None else row,
            speed=round(standing.speed * speed, 3),
        )


def hear(engine: KokoroEngine, task: Task, delivery: Delivery, names: Iterable[str]) -> Heard:
    """Speak a take as a clip and judge it; `names`: words that no recogniser knows.

    Raises `ImportError` where the judges are missing.
    """
    speak(engine.saying({task.name: delivery}), task)
    samples, _ = soundfile.read(task.file)
    low = resample(samples, RATE, JUDGE_RATE)
    wrong = None
    if task.code == "en":
        wrong = wrong_letters(task.text, JUDGES.recognise(np.pad(low, JUDGE_RATE // 2)), names)
    scored = ScoredTake(delivery, round(JUDGES.naturalness(low), 2), wrong)
    return Heard(length(task.file), rise(samples), scored)


def wrong_letters(text: str, heard: str, names: Iterable[str]) -> int:
    """How many letters of a text were heard wrong; those of names do not count, however they were written."""
    known = re.sub("|".join(map(re.escape, names)) or "(?!)", "", text)
    wanted = spell(known)
    return min(edits(wanted, spell(heard), extra=int(known == text)), len(wanted))


def rise(samples: Wave) -> float:
    """Seconds from the first faint sound to the first loud one."""
    width = RATE // 100
    first, last = find_speech(samples)
    blocks = samples[first : first + (last - first) // width * width].reshape(-1, width)
    power = np.sqrt((blocks**2).mean(axis=1))
    faint, loud = (int(np.argmax(power > share * power.max())) for share in (FAINT, LOUD))
    return (loud - faint) / 100


def choose(takes: Mapping[str, Sequence[Heard]]) -> int:
    """The best way to say some clips that are said in one way, by its number; 0 is the standing one."""
    fit = [way for way in range(1, len(next(iter(takes.values())))) if _fits(takes, way)]
    best = min(fit, key=lambda way: (_wrong(takes, way), -_natural(takes, way)), default=0)
    understood = _wrong(takes, 0) - _wrong(takes, best)
    more_natural = _natural(takes, best) >= _natural(takes, 0) + MORE_NATURAL
    return best if understood >= MORE_LETTERS or (understood >= 0 and more_natural) else 0


def _fits(takes: Mapping[str, Sequence[Heard]], way: int) -> bool:
    for name, (standing, *_) in takes.items():
        take = takes[name][way]
        longest = WORD_S if name in COUNT else OPENING_S if name in OPENS else LONGER * standing.seconds
        if take.seconds > longest or (name in COUNT and take.rise > standing.rise + RISE_S):
            return False
    return True


def _wrong(takes: Mapping[str, Sequence[Heard]], way: int) -> int:
    return sum(some[way].scored.wrong or 0 for some in takes.values())


def _natural(takes: Mapping[str, Sequence[Heard]], way: int) -> float:
    return mean(some[way].scored.natural for some in takes.values())


def said_in_one_way(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Clips by what is heard in a row: the count, its openings, every other alone."""
    names = list(names)
    for row in (COUNT, OPENS):
        yield tuple(name for name in names if name in row)
    yield from ((name,) for name in names if name not in {*COUNT, *OPENS})


def take_all(code: str, demos: Path) -> Iterator[str]:
    """Bring a language's takes up to date, and yield a line for each; it can be stopped and goes on."""
    plan, about = planned(code), load_voice_file(code, takes=False)
    engine = KokoroEngine(code, about)
    often = heard_most(code, demos, plan)
    others = alike(code).union(often)
    most = dict.fromkeys(often, len(ROWS) * len(SPEEDS)) | {
        name: QUESTION_TAKES for name in questions(plan) if name not in others
    }
    done = {name: takes for name, takes in load_takes(code).items() if plan.said.get(name) == takes.text}
    for names in said_in_one_way(name for name in most if name not in about.clips):
        if not names or all(name in done for name in names):
            continue
        takes: dict[str, list[Heard]] = {}
        with tempfile.TemporaryDirectory(prefix="companion-takes-") as scratch:
            for name in names:
                file, opens = Path(scratch) / f"{name}.ogg", name in plan.announcing
                task, standing = (
                    Task(code, name, plan.said[name], file, opens),
                    engine.delivery(name, opens=opens),
                )
                takes[name] = [
                    hear(engine, task, way, about.words) for way in deliveries(standing, most[name])
                ]
        best = choose(takes)
        for name, some in takes.items():
            kept = some[best].scored.delivery if best else None
            done[name] = Takes(plan.said[name], kept, tuple(take.scored for take in some))
        write(code, done)
        yield f"{names[0]} ({len(names)}): {'stays' if kept is None else kept}"
    write(code, done)


def write(code: str, takes: Mapping[str, Takes]) -> None:
    """Write down what was chosen, and why."""
    file = takes_file(code)
    file.parent.mkdir(exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(dict(sorted(takes.items()))), indent=1)
    file.write_bytes(text + b"\n")


def main(arguments: Iterable[str] | None = None) -> int:
    """Take the sentences of the languages named."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.takes", description=__doc__)
    parser.add_argument("demos", type=Path, help="a folder with folders of recorded demos")
    parser.add_argument("language", nargs="+", help="one that Kokoro speaks")
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    return run_until_stopped(line for code in chosen.language for line in take_all(code, chosen.demos))


if __name__ == "__main__":
    sys.exit(main())
