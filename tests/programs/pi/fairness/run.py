"""Fairness, live: pairs of presses in a virtual Pi with one processor, which two busy processes saturate.

Real libraries, real kernel stamps; pins are moved by fingers that wait for no processor. Beside this program
listens gpiozero with real `bounce_time`, to presses of the same making. What is counted as wrong: another one
first than was, or a press that is missing. The gap of a pair is the real one, of its two first edges.
usage: run.py [--pairs N] [--peer-pairs N] [--bursts N] [--listeners A,B] [--idle]   (also WORK/fairness.json)
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[3])]

from machine import Guest, installed, work_folder  # noqa: E402

from tests.intervals import wilson  # noqa: E402

PYTHON = "/opt/companion/current/venv/bin/python"
SHARE = "/mnt/share/fairness"
TIE_MS = 1.0
"""`buttons.resolution_us.gpio`: presses closer than this the rules call together."""
LAG_US = 2_000
"""An edge made so much later than wanted: emulation gave the fingers no time, and it is another press."""
PROMPT_US = 16_000
"""What the lockout reckons with from an edge to the loop."""
PEERS = ("gpiozero:None", "gpiozero:0.02", "gpiozero:0.05")


def judged(line: dict[str, Any]) -> tuple[float, str, float | None]:
    """The real gap, what became of the pair, and the worst error of a stamp; in milliseconds."""
    truth = [(before + after) / 2 for before, after in line["truth"]]
    gap = (truth[1] - truth[0]) / 1e6
    pins = [pin for pin, _ in line["heard"]]
    firsts = dict(reversed(line["heard"]))
    if len(firsts) < 2:
        return gap, "missing", None
    errors = None
    if all(stamp is not None for stamp in firsts.values()):
        other = next(pin for pin in firsts if pin != line["first"])
        pairs = zip((line["first"], other), line["truth"], strict=True)
        # Zero if the stamp lies between the instants before and after the move.
        errors = max(
            max(before - firsts[pin], firsts[pin] - after, 0) / 1e6 for pin, (before, after) in pairs
        )
    doubled = "" if len(pins) == 2 else " doubled"
    return gap, ("right" if pins[0] == line["first"] else "wrong") + doubled, errors


def table(name: str, lines: list[dict[str, Any]]) -> None:
    made = [line for line in lines if line["lag_us"] <= LAG_US]
    stood = len(lines) - len(made)
    print(f"{name}: {len(made)} pairs; {stood} more, in which the machine stood still, left out")
    lines = made
    print(
        "  gap wanted  kind      real gap ms (min/median/max)  pairs  wrong  missing  doubled  "
        "error rate, 95 %"
    )
    for gap in sorted({line["gap"] for line in lines}):
        for kind in sorted({line["kind"] for line in lines}, reverse=True):
            row(gap, kind, [judged(line) for line in lines if (line["gap"], line["kind"]) == (gap, kind)])
    errors = sorted(error for line in lines if (error := judged(line)[2]) is not None)
    if errors:
        off = sum(1 for error in errors if error > 0.001)
        good = f"{len(errors) - off} of {len(errors)} pairs within the move itself"
        print(f"  stamps: {good}; worst {errors[-1]:.2f} ms off")
    apart = [line for line in lines if judged(line)[0] >= TIE_MS]
    total("at 1 ms and more", apart)
    if any(line["late_us"] is not None for line in lines):
        total("of these, with every edge at the loop within 16 ms", [
            line for line in apart if line["late_us"] <= PROMPT_US
        ])  # fmt: skip


def total(what: str, lines: list[dict[str, Any]]) -> None:
    wrong = sum(1 for line in lines if not judged(line)[1].startswith("right"))
    low, high = wilson(wrong, len(lines))
    print(f"  {what}: {wrong} of {len(lines)} wrong or missing ({low:.2%} to {high:.2%})", flush=True)


def row(gap: int, kind: str, results: list[tuple[float, str, float | None]]) -> None:
    gaps = sorted(each for each, _, _ in results)
    missing = sum(1 for _, what, _ in results if what == "missing")
    wrong = sum(1 for _, what, _ in results if what.startswith("wrong"))
    doubled = sum(1 for _, what, _ in results if what.endswith("doubled"))
    low, high = wilson(wrong + missing, len(results))
    real = f"{gaps[0]:.2f} / {gaps[len(gaps) // 2]:.2f} / {gaps[-1]:.2f}"
    rate = f"{(wrong + missing) / len(results):6.2%} ({low:.2%} to {high:.2%})"
    counts = f"{len(results):>6} {wrong:>6} {missing:>8} {doubled:>8}"
    print(f"  {gap / 1000:>7.1f} ms  {kind:<9} {real:<28} {counts}  {rate}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1000, help="of each gap and kind, for this program")
    parser.add_argument("--peer-pairs", type=int, default=200, help="of each gap and kind, for each other")
    parser.add_argument("--bursts", type=int, default=300)
    parser.add_argument("--listeners", default=",".join(("companion", "companion-lgpio", *PEERS)))
    parser.add_argument("--idle", action="store_true", help="no load")
    wanted = parser.parse_args()
    work = work_folder()
    image = installed(work)
    share = work / "share/fairness"
    shutil.rmtree(share, ignore_errors=True)
    share.mkdir(parents=True)
    for each in ("fingers.py", "people.py", "pairs.py", "edges.py"):
        shutil.copy(HERE / each, share)
    load = "" if wanted.idle else "--load"
    kept: dict[str, Any] = {}
    # The table itself would keep the one processor busy for its start, and hold the pins.
    quiet = "systemd.mask=companion.service"
    with Guest(work, image=image, processors=1, kernel=quiet) as guest:
        guest.wait()
        guest.run("echo -1 > /proc/sys/kernel/sched_rt_runtime_us")
        for how in ("lgpio", "libgpiod") if wanted.bursts else ():
            python = PYTHON if how == "lgpio" else "/usr/bin/python3"
            out = guest.run(f"{python} {SHARE}/edges.py {how} {wanted.bursts} 3 {load}", 1800)
            print(out.strip(), flush=True)
            kept[how] = json.loads(out.strip().splitlines()[-1])
        for name in filter(None, wanted.listeners.split(",")):
            count = wanted.pairs if name == "companion" else wanted.peer_pairs
            begun = time.monotonic()
            out = guest.run(
                f"cd /tmp; {PYTHON} {SHARE}/pairs.py {name} {count} 11 {load} 2>/run/pairs.err"
                f" > /run/pairs.out || tail -5 /run/pairs.err; cp /run/pairs.out {SHARE}/",
                7200,
            )
            if out.strip():
                print(out)
            lines = [json.loads(line) for line in (share / "pairs.out").read_text().splitlines()]
            tally = next((line["tally"] for line in lines if "tally" in line), None)
            lines = [line for line in lines if "gap" in line]
            kept[name] = lines
            table(name + (" (idle)" if wanted.idle else ""), lines)
            if tally is not None:
                print(f"  edges found lost by the lockout: {tally['lost']}; glitches: {tally['glitches']}")
                late = "/".join(
                    f"{tally[f'late_{what}_us'] / 1000:.1f}" for what in ("median", "95", "worst")
                )
                print(f"  an edge was under way to the loop for {late} ms (median, 95 %, worst)")
            print(f"  {time.monotonic() - begun:.0f} s", flush=True)
    (work / "fairness.json").write_text(json.dumps(kept))
    return 0


if __name__ == "__main__":
    sys.exit(main())
