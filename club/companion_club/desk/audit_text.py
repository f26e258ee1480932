"""Wording of the audit trail: the history of an event and of a pod's results."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from companion_club.desk.event import ClubEvent, EventPod, PodResult
from companion_club.desk.translations import DeskTranslations
from companion_club.hub import model


class PodResultLine(NamedTuple):
    """A result that a pod had, as a sentence with who gave it."""

    at: str
    text: str
    reason: str
    counts: bool


def result_history(
    pod: EventPod, say: DeskTranslations, names: Mapping[int, str], called: Callable[[model.TableRecord], str]
) -> list[PodResultLine]:
    """All results of a pod, the oldest first."""
    table = called(pod.table) if pod.table else say("desk.no_table")
    found = []
    for number, one in enumerate(pod.versions, start=1):
        newest = number == len(pod.versions)
        result = _result(one, say, names)
        if newest and one.who and one.winners is None and pod.winners is not None:
            again = _result(one._replace(winners=pod.winners), say, names)
            result = say("desk.version.again", result=again)
        text = say("desk.version.by", who=one.who or table, result=result)
        found.append(PodResultLine(one.at, text, one.reason, newest))
    return found


def _result(one: PodResult, say: DeskTranslations, names: Mapping[int, str]) -> str:
    if one.winners is None:
        return say("desk.version.withdrawn")
    if not one.winners:
        return say("desk.version.nobody")
    return say("desk.version.won", names=", ".join(names.get(player, "–") for player in one.winners))


def result_reasons(evening: ClubEvent, lines: Sequence[model.Audit]) -> dict[int, str]:
    """Why a result was written, by the line of the audit trail (newest first) that says that it was."""
    found: dict[int, str] = {}
    for pod in (pod for one in evening.rounds for pod in one.pods):
        about = [
            line.id
            for line in lines
            if line.subject == f"pod:{pod.id}" and line.verb in {"result.written", "result.withdrawn"}
        ]
        hands = [one.reason for one in pod.versions if one.who]
        found |= dict(zip(about, reversed(hands), strict=False))
    return found


def nicknames_in(session: Session, lines: Sequence[model.Audit]) -> dict[int, str]:
    """The nicknames of all whose numbers are in lines of the audit trail."""
    wanted = {
        number
        for line in lines
        for some in (line.before, line.after)
        if isinstance(some, list)
        for number in some
        if isinstance(number, int)
    }
    rows = session.execute(
        select(model.PlayerRecord.id, model.PlayerRecord.nickname).where(model.PlayerRecord.id.in_(wanted))
    )
    return {number: name or "–" for number, name in rows}


def audit_sentences(
    lines: Sequence[model.Audit], say: DeskTranslations, names: Mapping[int, str]
) -> dict[int, str]:
    """What each line of the audit trail says, in whole sentences, by its number."""

    def text(what: object) -> str:
        if isinstance(what, list):
            return ", ".join(names.get(one, "–") for one in what) or say("desk.version.nobody")
        return what if isinstance(what, str) else say("desk.no_table")

    found = {}
    for line in lines:
        before, after = line.before, line.after
        parts = {"name": "–", "number": "–", "seed": "–", "who": line.who}
        parts |= after if isinstance(after, dict) else {"now": text(after)}
        parts["was"] = (before["was"] or "–") if isinstance(before, dict) else text(before)
        sentences = [say("desk.audit." + line.verb, **parts)]
        if line.verb.startswith("result."):
            again = line.verb == "result.withdrawn" and after is not None
            sentences += [say("desk.audit.now", **parts)] if again else []
            sentences += [say("desk.audit.before", **parts)] if before is not None else []
        if "tables" in parts:
            sentences += [say("desk.tables.on", count=parts["tables"])]
        found[line.id] = " ".join(sentences)
    return found
