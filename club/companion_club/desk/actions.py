"""Changes that organisers make to an event, each with a line in the audit trail.

A change says which revision of the thing was shown; where it has changed since, nothing is changed
and `EditConflictError` is raised.
"""

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from companion.core.clock import wall_time
from companion_club.desk.event import (
    PAIRING_LEVEL,
    PAIRING_MIXED,
    ClubEvent,
    EventPod,
    EventRound,
    PairingRules,
    load_event,
    load_event_of_pod,
)
from companion_club.desk.pairing import MAX_POD_SIZE, RoundDraw, check_sizes, draw_pods
from companion_club.desk.refusal import DeskRefusalError, EditConflictError
from companion_club.hub import model
from companion_club.hub.database import fold_name, mark_changed

MAX_EVENT_LENGTH, MAX_REASON_LENGTH = 80, 400
Row = TypeVar("Row", model.EventRecord, model.EntrantRecord, model.RoundRecord, model.PodRecord)


class Actor(NamedTuple):
    """Who does it."""

    id: int | None
    name: str


def record_audit(
    session: Session, by: Actor, verb: str, subject: str, *, before: Any = None, after: Any = None
) -> None:
    """Write a line of the audit trail, and tell every screen that something changed.

    People stand in it by their numbers, so that a name that is forgotten is gone from it.
    """
    session.add(
        model.Audit(
            at=wall_time(), user_id=by.id, who=by.name, verb=verb, subject=subject, before=before, after=after
        )
    )
    mark_changed(session)


def make_event(
    session: Session, by: Actor, *, name: str, game: str, rules: PairingRules, seed: str = ""
) -> int:
    """A new event; without a seed of their own one is drawn, and shown from now on.

    Raises `DeskRefusalError` for a name that is empty, too long or another event's that is not closed, or an
    unknown pairing, and `InputError` for sizes of pods that are out of order.
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= MAX_EVENT_LENGTH:
        raise DeskRefusalError("desk.refused.event_name", most=MAX_EVENT_LENGTH)
    others = session.scalars(select(model.EventRecord.name).where(model.EventRecord.state != "over"))
    if fold_name(name) in map(fold_name, others):
        raise DeskRefusalError("desk.refused.event_twice", name=name)
    check_sizes(rules.sizes)
    if rules.pairing not in {PAIRING_MIXED, PAIRING_LEVEL}:
        raise DeskRefusalError("desk.refused.form")
    event = model.EventRecord(
        name=name,
        game=game,
        state="open",
        seed=seed.strip()[:64] or secrets.token_hex(4),
        rules=msgspec.to_builtins(rules),
        made=wall_time(),
    )
    session.add(event)
    session.flush()
    record_audit(session, by, "event.made", f"event:{event.id}", after={"name": name, "seed": event.seed})
    return event.id


def end_event(session: Session, by: Actor, event_id: int, revision: int, *, over: bool) -> None:
    """Close an event, or open it again."""
    event = require_unchanged(session, model.EventRecord, event_id, revision)
    event.state, event.ended = ("over", wall_time()) if over else ("running", "")
    record_audit(session, by, "event.closed" if over else "event.reopened", f"event:{event_id}")


def draw_round(session: Session, by: Actor, event_id: int, announced: int) -> None:
    """Draw the next round, or draw again what was not announced yet, for those who are here now.

    `announced`: how many rounds were, when the button was shown. Raises `EditConflictError` if another
    round was announced since, `DeskRefusalError` if pods are still playing, too few are here, or it would
    be the draw that is there: nobody draws until they like it.
    """
    evening = load_running_event(session, event_id)
    if len(evening.announced_rounds) != announced:
        raise EditConflictError
    last = evening.last
    draft = last if last is not None and last.state == "draft" else None
    if last is not None and draft is None and last.open_pod_count:
        raise DeskRefusalError("desk.refused.playing", count=last.open_pod_count, number=last.number)
    number = len(evening.announced_rounds) + 1
    free = _online_tables(session)
    drawn = compute_draw(evening, number, tables=len(free))
    if not drawn.pods:
        raise DeskRefusalError(
            "desk.refused.few", least=evening.rules.smallest, count=len(evening.players_in_round(number))
        )
    if draft is not None:
        if _is_same_draw(draft, drawn, free):
            raise DeskRefusalError("desk.refused.same_draw")
        session.delete(session.get_one(model.RoundRecord, draft.id))
        session.flush()
    seed = draw_key_of(evening, number)
    made = model.RoundRecord(event_id=event_id, number=number, state="draft", seed=seed, made=wall_time())
    session.add(made)
    session.flush()
    pods = []
    for place in range(1, len(drawn.pods) + 1 + bool(drawn.byes)):
        bye = place > len(drawn.pods)
        table = free[place - 1].id if not bye and place <= len(free) else None
        pods.append(
            model.PodRecord(round_id=made.id, number=place, bye=bye, game=evening.event.game, table_id=table)
        )
    session.add_all(pods)
    session.flush()  # they have their numbers now
    session.add_all(
        model.PodSeat(round_id=made.id, pod_id=pod.id, player_id=player, chair=None if pod.bye else chair)
        for pod, seats in zip(pods, (*drawn.pods, drawn.byes), strict=False)
        for chair, player in enumerate(seats)
    )
    for one in evening.announced_rounds:
        if one.state != "over":
            session.get_one(model.RoundRecord, one.id).state = "over"
    record_audit(
        session,
        by,
        "round.drawn",
        f"event:{event_id}",
        after={"number": number, "seed": seed, "tables": len(free)},
    )


def draw_key_of(evening: ClubEvent, number: int) -> str:
    """The draw key of a round."""
    return f"{evening.event.seed}/{number}"


def compute_draw(evening: ClubEvent, number: int, *, tables: int) -> RoundDraw:
    """The pods of a round; the event, those who are here, and how many tables are on decide it alone."""
    here = evening.players_in_round(number)
    level = evening.rules.pairing == PAIRING_LEVEL and number > 1
    return draw_pods(
        here,
        seed=draw_key_of(evening, number),
        sizes=evening.rules.sizes,
        met=evening.meetings_before(number),
        byes=evening.byes_before(number),
        order=[line.player for line in evening.lines] if level else [],
        tables=tables if len(here) <= tables * evening.rules.largest else None,
    )


def _is_same_draw(draft: EventRound, drawn: RoundDraw, free: Sequence[model.TableRecord]) -> bool:
    """Whether a round that is not announced has these pods, at these tables."""
    there = [
        (pod.table.id if pod.table else None, tuple(seat.player for seat in pod.seats)) for pod in draft.pods
    ]
    tables = [free[place].id if place < len(free) else None for place in range(len(drawn.pods))]
    byes = tuple(seat.player for seat in draft.byes)
    return (there, byes) == (list(zip(tables, drawn.pods, strict=True)), drawn.byes)


def announce_round(session: Session, by: Actor, round_id: int, revision: int) -> int:
    """Announce a round: screens show who sits where, and each table gets its task; returns the event.

    Raises `EditConflictError` if it was announced or changed already, `DeskRefusalError` if those who are
    here have changed since the draw.
    """
    row = require_unchanged(session, model.RoundRecord, round_id, revision)
    evening = load_running_event(session, row.event_id)
    if row.state != "draft":
        raise EditConflictError
    if evening.players_in_round(row.number) != sorted(
        seat.player_id for pod in row.pods for seat in pod.seats
    ):
        raise DeskRefusalError("desk.refused.draw_again")
    row.state, row.announced = "announced", wall_time()
    session.get_one(model.EventRecord, row.event_id).state = "running"
    for pod in row.pods:
        if not pod.bye:
            pod.task = secrets.token_hex(16)
    record_audit(session, by, "round.announced", f"event:{row.event_id}", after={"number": row.number})
    return row.event_id


def seat_player(session: Session, by: Actor, pod_id: int, revision: int, player_id: int) -> int:
    """Somebody who is in no pod of this round, or has a bye, sits down in an open one; the event.

    Raises `DeskRefusalError` if that player is not in the event or sits in another pod, or the pod is full
    or has a result.
    """
    evening = _of_open(session, pod_id)
    of_round, pod = evening.pod(pod_id)
    row = require_unchanged(session, model.PodRecord, pod_id, revision)
    if player_id not in {one.player for one in evening.entrants}:
        raise DeskRefusalError("desk.refused.gone")
    for other in of_round.pods:
        if player_id in {one.player for one in other.seats}:
            raise DeskRefusalError("desk.refused.two_pods", name=evening.names[player_id], pod=other.number)
    _require_pod_open(pod)
    if len(pod.seats) >= MAX_POD_SIZE:
        raise DeskRefusalError("desk.refused.full", most=MAX_POD_SIZE)
    _free_seats(session, of_round.id, player_id)
    entrant = next(one for one in evening.entrants if one.player == player_id)
    if of_round.number not in range(entrant.since, of_round.number + 1):
        session.get_one(model.EntrantRecord, entrant.id).from_round = of_round.number
    session.add(
        model.PodSeat(round_id=of_round.id, pod_id=pod_id, player_id=player_id, chair=_next_chair(row))
    )
    flag_modified(row, "number")  # a change of its seats is a change of the pod
    record_audit(session, by, "pod.seated", f"pod:{pod_id}", after=[player_id])
    return evening.event.id


def unseat_player(session: Session, by: Actor, pod_id: int, revision: int, player_id: int) -> int:
    """Somebody gets up from a pod that has no result, and is in none of this round; the event.

    Raises `EditConflictError` if that player is not in the pod, `DeskRefusalError` if the pod has a result.
    """
    evening = _of_open(session, pod_id)
    of_round, pod = evening.pod(pod_id)
    row = require_unchanged(session, model.PodRecord, pod_id, revision)
    _require_pod_open(pod)
    if player_id not in {one.player for one in pod.seats}:
        raise EditConflictError
    _free_seats(session, of_round.id, player_id)
    flag_modified(row, "number")  # a change of its seats is a change of the pod
    record_audit(session, by, "pod.unseated", f"pod:{pod_id}", before=[player_id])
    return evening.event.id


def set_table(session: Session, by: Actor, pod_id: int, revision: int, table: int | None) -> int:
    """Send a pod to another table, or to none that reports; the event.

    Raises `DeskRefusalError` if a pod of this round still plays at that table, or the event is closed.
    """
    row = require_unchanged(session, model.PodRecord, pod_id, revision)
    evening = _of_open(session, pod_id)
    before = row.table.slug if row.table else None
    after = None if table is None else session.get(model.TableRecord, table)
    of_round, _ = evening.pod(pod_id)
    if after is not None:
        for other in of_round.pods:
            if (
                other.id != pod_id
                and other.table is not None
                and other.table.id == after.id
                and other.winners is None
            ):
                raise DeskRefusalError("desk.refused.table_taken", pod=other.number)
    row.table_id = after.id if after else None
    record_audit(
        session, by, "pod.table", f"pod:{pod_id}", before=before, after=after.slug if after else None
    )
    return evening.event.id


def write_result(
    session: Session,
    by: Actor,
    pod_id: int,
    seen: str,
    *,
    winners: Sequence[int] | None,
    reason: str,
    game: str = "",
) -> tuple[int, bool]:
    """A pod's result by hand, over what its table said; None takes it back.

    Returns the event, and whether anything was changed. `seen`: what the form had; two who write at once do
    not overwrite each other. `game`: what was played, where the event leaves that open and no table told
    it. Raises `EditConflictError` if the pod has changed since, `DeskRefusalError` for a round not yet
    announced or too long a reason.
    """
    evening = _of_open(session, pod_id)
    of_round, pod = evening.pod(pod_id)
    if pod.seen != seen:
        raise EditConflictError
    if of_round.state == "draft":
        raise DeskRefusalError("desk.refused.draft")
    if winners is None:
        same = not pod.by_hand
    else:
        same = pod.winners is not None and set(winners) == set(pod.winners)
    named = bool(game) and game != pod.game and not pod.told
    if same and not reason.strip() and not named:
        return evening.event.id, False
    players = [one.player for one in pod.seats]
    if winners is not None and not set(winners) <= set(players):
        raise EditConflictError
    if len(reason) > MAX_REASON_LENGTH:
        raise DeskRefusalError("desk.refused.reason", most=MAX_REASON_LENGTH)
    if named:
        session.get_one(model.PodRecord, pod_id).game = game
    last = (
        session.scalar(select(func.max(model.HandResult.number)).where(model.HandResult.pod_id == pod_id))
        or 0
    )
    places = (
        [{"player": player, "place": 1 if player in winners else 2} for player in players]
        if winners is not None
        else []
    )
    session.add(
        model.HandResult(
            pod_id=pod_id,
            number=last + 1,
            withdrawn=winners is None,
            places=places,
            reason=reason.strip(),
            user_id=by.id,
            at=wall_time(),
        )
    )
    session.flush()
    verb = "result.withdrawn" if winners is None else "result.written"
    counts = load_event_of_pod(session, pod_id).pod(pod_id)[1].winners
    record_audit(session, by, verb, f"pod:{pod_id}", before=pod.winners, after=counts)
    return evening.event.id, True


def answer_call(session: Session, by: Actor, call_id: int) -> None:
    """Note that a judge is on the way; raises `EditConflictError` if the call was answered or is gone."""
    call = session.get(model.CallRecord, call_id)
    if call is None or call.answered:
        raise EditConflictError
    call.answered, call.answered_by = wall_time(), by.id
    record_audit(session, by, "call.answered", f"call:{call_id}", after=call.table.name or call.table.slug)


def list_tables(session: Session) -> list[model.TableRecord]:
    """All tables, as people count them: table 2 before table 10."""
    rows = session.scalars(select(model.TableRecord)).all()
    return sorted(
        rows, key=lambda one: [(int(part) if part.isdigit() else 0, part) for part in one.slug.split("-")]
    )


def load_running_event(session: Session, event_id: int) -> ClubEvent:
    return _require_not_closed(load_event(session, event_id))


def _of_open(session: Session, pod_id: int) -> ClubEvent:
    return _require_not_closed(load_event_of_pod(session, pod_id))


def _require_not_closed(evening: ClubEvent) -> ClubEvent:
    if evening.event.state == "over":
        raise DeskRefusalError("desk.refused.closed")
    return evening


def require_unchanged(session: Session, kind: type[Row], number: int, revision: int) -> Row:
    """A row that is still the one that was shown; else `DeskRefusalError`, or `EditConflictError` if it
    changed.
    """
    row = session.get(kind, number, populate_existing=True)
    if row is None:
        raise DeskRefusalError("desk.refused.gone")
    if row.revision != revision:
        raise EditConflictError
    return row


def _require_pod_open(pod: EventPod) -> None:
    if pod.winners is not None:
        raise DeskRefusalError("desk.refused.has_result", pod=pod.number)


def _next_chair(pod: model.PodRecord) -> int:
    """The place behind all that were given out in this pod."""
    return 1 + max((seat.chair for seat in pod.seats if seat.chair is not None), default=-1)


def _free_seats(session: Session, round_id: int, player_id: int) -> None:
    """Nobody of that name sits anywhere in this round."""
    found = session.scalar(
        select(model.PodSeat).where(model.PodSeat.round_id == round_id, model.PodSeat.player_id == player_id)
    )
    if found is not None:
        session.delete(found)
        session.flush()


def _online_tables(session: Session) -> list[model.TableRecord]:
    """The tables that are on."""
    return [table for table in list_tables(session) if table.online]
