"""A long bench that was cut goes on where it stopped, and never adds the counts of two recognisers."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.programs.bench.kept import Kept
from tests.programs.bench.vision import HALVES, HELD_OUT, linked
from tests.programs.bench.vision_curve import Photograph, print_left_out


def test_a_run_that_was_cut_draws_what_it_would_have_drawn(tmp_path: Path) -> None:
    kept = Kept(tmp_path, "middle-deck", "a")
    counts, whole = kept.load((1, 2))
    assert counts == {}
    whole.random(3)
    kept.save({"frames": 3}, whole)
    counts, after = Kept(tmp_path, "middle-deck", "a").load((1, 2))
    assert counts == {"frames": 3}
    assert after.random(4).tolist() == whole.random(4).tolist()


def test_counts_of_another_recogniser_are_begun_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Kept(tmp_path, "hard-deck", "a")
    _, rng = before.load((1,))
    first = rng.random()
    before.save({"frames": 3}, rng)
    counts, anew = Kept(tmp_path, "hard-deck", "b").load((1,))
    assert counts == {}
    assert anew.random() == first
    assert "begun anew" in capsys.readouterr().out


def test_without_a_folder_nothing_is_kept() -> None:
    nowhere = Kept(None, "middle-deck", "a")
    _, rng = nowhere.load((1,))
    nowhere.save({"frames": 3}, rng)
    assert nowhere.load((1,))[0] == {}


def test_a_bad_photograph_of_a_set_is_named_and_the_set_measured_without_it(tmp_path: Path) -> None:
    root, into = tmp_path / "sets", tmp_path / "into"
    for part, name in (("refs", "KS.png"), ("photos", "a.png"), ("photos", "b.png")):
        (root / "one" / part).mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(root / "one" / part / name), np.zeros((30, 20, 3), np.uint8))
    (root / "one" / "labels.json").write_text('{"a.png": {"split": "dev"}, "b.png": {"split": "dev"}}')
    assert linked(root, ["one"], tmp_path / "whole", "dev") == []
    (root / "one" / "photos" / "a.png").write_bytes(b"no picture")
    (trouble,) = linked(root, ["one"], into, "dev")
    assert "a.png isn't a picture" in trouble
    assert json.loads((into / "one" / "labels.json").read_text()) == {"b.png": {"split": "development"}}
    assert sorted(path.name for path in into.rglob("*.png")) == ["KS.png", "b.png"]


def test_a_photograph_that_is_held_out_is_measured_apart(tmp_path: Path) -> None:
    held = json.loads(HELD_OUT.read_text())["held_out"]["skat"][0]
    root, into = tmp_path / "sets", tmp_path / "into"
    for part, name in (("refs", "KS.png"), ("photos", "other.png"), ("photos", held)):
        (root / "skat" / part).mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(root / "skat" / part / name), np.zeros((30, 20, 3), np.uint8))
    label = {"split": "dev", "kind": "pos"}
    (root / "skat" / "labels.json").write_text(json.dumps({"other.png": label, held: label}))
    linked(root, ["skat"], into, "dev")
    labels = json.loads((into / "skat" / "labels.json").read_text())
    assert (labels["other.png"]["split"], labels[held]["split"]) == HALVES


def test_a_photograph_is_read_by_the_limit_that_suits_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    surely = Photograph("one", 2, [(0.2, True), (0.9, True)])
    barely = Photograph("other", 1, [(0.9, False)])
    print_left_out([surely, barely])
    told = capsys.readouterr().out
    assert "one: recall 1/2" in told, "the other's wrong answer asks for a limit below 0.9"
    assert "other: recall 0/1" in told
    assert "precision 1/2" in told, "and is told itself, as nothing else speaks against it"
