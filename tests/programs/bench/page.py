"""What the page does to a wired press: how soon it is ruled while the page is flooded, stopped, killed."""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.bench.figures import Row, child

NAME = "page"
WAYS = (
    ("idle", "none", "page on, nobody there"),
    ("flooded", "none", "page flooded"),
    ("stopped", "none", "page stopped (SIGSTOP) in the flood"),
    ("killed", "none", "page killed (SIGKILL) in the flood"),
    ("held", "none", "two phones on chairs"),
    ("pressing", "held", "two phones on chairs that press all they may"),
)
BESIDE = {"none": "no page", "held": "two phones on chairs"}
MEASURES = {"median": ("median", "ms"), "p95": ("p95", "ms"), "work": ("the table's thread, median", "ms")}


def rows() -> Iterator[Row]:
    found = child("tests.programs.bench.page_table")
    note = (
        f"{found['none']['presses']} wired presses each, round by round, in a count of Kinapa; the screen is "
        "painted into memory, the store on the disk; a grace of 40 ms (140 ms with phones on chairs) is part "
        "of it; page at nice 10 as in its unit, the crowd at 19 on the same processors: 4 phones that say 95 "
        "things a second, 40 watchers that never read, 8 that knock with half a request"
    )
    for way, beside, whose in WAYS:
        for measure, (name, unit) in MEASURES.items():
            value, base = found[way][measure], found[beside][measure]
            yield Row(
                figure=f"wired press to its ruling, {whose} ({name})",
                value=value,
                unit=unit,
                baseline=BESIDE[beside],
                beside=base,
                ratio=value / base,
                note=note,
            )
