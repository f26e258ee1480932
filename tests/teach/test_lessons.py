"""Every lesson is gone through by somebody who knows only the screen: with every mistake, then with none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.teach.lesson import load, shipped
from companion.ui.language import LANGUAGES, Language
from tests.teach.learner import NOTHING, Learner

LESSONS = [pytest.param(file, id=f"{file.parent.name}-{file.stem}") for file in shipped()]
MOST = 400


@pytest.fixture
def learners(tmp_path: Path) -> Iterator[list[Learner]]:
    made: list[Learner] = []
    yield made
    for learner in made:
        learner.close()


def explored(learner: Learner) -> tuple[dict[str, tuple[str, ...]], int]:
    """Every card's right answer, found by trying everything that the screen offers; and the mistakes made."""
    right: dict[str, tuple[str, ...]] = {}
    tried: dict[str, list[str]] = {}
    since: tuple[str, ...] = ()
    mistakes = 0
    for _ in range(MOST):
        kind, card = learner.kind(), learner.card()
        if kind in {"round", "done"}:
            return right, mistakes
        if kind in {"lay", "say", "wrong"}:
            learner.touch("next")
            since = ()
            if kind == "wrong":
                learner.run(6)
            continue
        before = tried.setdefault(card, [])
        # Twice each, because back and next move what OK chooses, and a press may come too early.
        fresh = [offer for offer in learner.offers() if before.count(offer) < 2]
        again = right.get(card, ())[len(since) : len(since) + 1]
        offer = again[0] if again else min(fresh, key=before.count, default="")
        assert offer, f"no way on from {card!r}: {learner.reads()}"
        before.append(offer)
        since = (*since, offer)
        came = learner.try_out(offer)
        mistakes += came == "wrong"
        if came == "on":
            # Of what came to nothing only what moves a choice belongs to the answer.
            kind = {"tile": "place:", "shared": "shared:"}.get(offer.partition(":")[0], NOTHING)
            moves = tuple(one for one in since[:-1] if one.startswith(kind))
            right[card], since = (*moves, offer), ()
    raise AssertionError("the lesson has no end")


@pytest.mark.parametrize("file", LESSONS)
def test_a_lesson_answers_every_mistake_and_is_passed_without_any(
    file: Path, tmp_path: Path, learners: list[Learner]
) -> None:
    learners.append(clumsy := Learner(tmp_path / "clumsy", str(file)))
    right, mistakes = explored(clumsy)
    assert clumsy.kind() == "round"
    assert mistakes > len(load(file).step)
    clumsy.close()
    learners[:] = [good := Learner(tmp_path / "good", str(file))]
    for _ in range(MOST):
        kind, card = good.kind(), good.card()
        if kind == "round":
            return
        if kind in {"lay", "say"}:
            good.touch("next")
        else:
            if right[card] != (NOTHING,) and kind == "wait":
                good.run(6)
            came = ""
            for offer in right[card]:
                came = good.try_out(offer) if offer in good.offers() else came
            assert (came or good.try_out(NOTHING)) == "on", (card, right[card], good.reads())
        assert not good.told_wrong(), card
    raise AssertionError("the lesson has no end")


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("file", LESSONS)
def test_every_sentence_of_a_lesson_is_written_in_every_language(file: Path, code: str) -> None:
    from companion.teach.check import keys

    language = Language(code)
    assert [key for _, key in keys(load(file)) if "." in key and key not in language] == []
