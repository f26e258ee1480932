"""What readers at the door cost the table: rulings and frames with 64 of them, beside none, in one run."""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.bench.figures import Row, child

NAME = "door"
HOW = {
    "one": "1 reader",
    "eager": "64 that read all",
    "lazy": "64 that never read",
    "loud": "64 that press as fast as they may",
}
MEASURES = {"work": "the table's thread, median", "p95": "passed, p95"}


def rows() -> Iterator[Row]:
    found = child("tests.programs.bench.door_table")
    note = (
        f"{found['entries']} entries of a game of Kinapa and 25 frames, 8 rounds each, in turn, one "
        f"after another without a pause; a view of {found['view_bytes']:,} bytes before every frame"
    )
    for what, name in (("ruling", "a ruling, told"), ("frame", "a frame painted anew")):
        for way, whose in HOW.items():
            for measure in ("work", "p95"):
                with_them, without = found[f"{what}_{measure}"][way], found[f"{what}_{measure}"]["unread"]
                yield Row(
                    figure=f"{name}, {whose} ({MEASURES[measure]})",
                    value=with_them,
                    unit="µs",
                    baseline="no reader",
                    beside=without,
                    ratio=with_them / without,
                    note=note,
                )
