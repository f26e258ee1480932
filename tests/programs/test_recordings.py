"""What the bench finds in a recording."""

from __future__ import annotations

from pathlib import Path

from companion.core.actions import SECOND
from companion.core.view import Sentence
from tests.language.voice.voice_table import chatter, cue, won
from tests.programs.bench.recordings import EXACT_MS, HIGHEST_DBTP, Call, examine, retell

LIVE = Sentence("lesson.hint.turn", (("slot", 3),))
"""It has no clip."""


def announced(at: int, *sentences: Sentence) -> Call:
    return Call(at, "announce", (sentences, frozenset({"kinapa.GameWon"}), frozenset()))


def test_a_recording_tells_what_was_heard_cut_short_left_out_and_only_shown(tmp_path: Path) -> None:
    calls = [
        announced(0, chatter(0)),
        announced(SECOND // 5, chatter(1)),
        announced(SECOND // 4, chatter(2)),
        Call(SECOND, "play_cue", (cue(),)),
        Call(7 * SECOND, "say", ((LIVE,), ())),
    ]
    found = examine(retell(calls, "en", None), tmp_path / "heard.wav")
    assert (found.heard, found.counts, found.cut_short, found.overlaps) == (1, 1, 1, 0)
    assert dict(found.left_out) == {"kinapa.Admitted": 2}
    assert dict(found.clipless) == {LIVE.key: 1}
    assert found.off_ms <= EXACT_MS
    assert found.peak <= HIGHEST_DBTP


def test_what_is_asked_for_at_once_does_not_wait_for_each_other(tmp_path: Path) -> None:
    found = examine(retell([announced(0, won(0), won(1))], "en", None), tmp_path / "heard.wav")
    assert found.heard == 2
    assert found.waited < 0.2
    later = [announced(0, won(0)), announced(SECOND // 5, won(1))]
    assert examine(retell(later, "en", None), tmp_path / "later.wav").waited > 0.5
