"""Task that each table shows next, derived from the announced rounds."""

from collections.abc import Mapping

from sqlalchemy import literal_column, select
from sqlalchemy.orm import Session, joinedload, selectinload

from companion.core.actions import SECOND
from companion.core.clock import add_to_wall_time, wall_time
from companion_club.hub.model import EventRecord, GameRecord, PodRecord, PodSeat, RoundRecord, TableRecord
from companion_club.messages import TableTask, encode_payload

TASK_LIFETIME_S = 12 * 3600
"""A task that is not taken back ends by itself after this time."""


def tasks_by_table(session: Session) -> Mapping[str, bytes]:
    """The payload of each table's task, by its slug; empty: nothing is next there."""
    found: dict[str, bytes] = dict.fromkeys(
        session.scalars(select(TableRecord.slug).order_by(TableRecord.slug)), b""
    )
    # A task lives half a day, so of all the rounds there ever were a few are looked at.
    since = add_to_wall_time(wall_time(), -TASK_LIFETIME_S * SECOND)
    asked = (
        select(PodRecord, RoundRecord, EventRecord)
        .join(RoundRecord, PodRecord.round_id == RoundRecord.id)
        .join(EventRecord, RoundRecord.event_id == EventRecord.id)
        .where(RoundRecord.state == literal_column("'announced'"), RoundRecord.announced > since)
        .where(EventRecord.state == "running", PodRecord.task.is_not(None), PodRecord.task_done.is_(False))
        .options(joinedload(PodRecord.table), selectinload(PodRecord.seats).joinedload(PodSeat.player))
        .order_by(RoundRecord.announced, PodRecord.id)
    )
    rows = session.execute(asked).unique().all()
    theirs = select(GameRecord.task).where(GameRecord.task.in_([pod.task for pod, _, _ in rows]))
    ended = set(session.scalars(theirs.where(GameRecord.outcome.is_not(None)))) if rows else set()
    for pod, turn, event in rows:
        if pod.table is None or pod.task is None or pod.task in ended or found.get(pod.table.slug):
            continue
        seats = sorted(pod.seats, key=lambda seat: (seat.chair is None, seat.chair, seat.id))
        task = TableTask(
            id=pod.task,
            round=turn.number,
            expires=add_to_wall_time(turn.announced, TASK_LIFETIME_S * SECOND),
            game=pod.game or event.game,
            players=tuple(seat.player.nickname or "" for seat in seats),
            at=turn.announced,
        )
        found[pod.table.slug] = encode_payload(task)
    return found
