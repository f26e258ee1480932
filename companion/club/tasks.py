"""What each table shows as *next here*: it follows from the announced rounds, so nothing else is kept."""

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from companion.club.messages import Task, encoded
from companion.club.model import Event, Game, Pod, PodSeat, Round, Table
from companion.core.actions import SECOND
from companion.core.clock import later

SHOWN_S = 12 * 3600
"""A task that is not taken back ends by itself after this time."""


def tasks(session: Session) -> Mapping[str, bytes]:
    """The payload of each table's task, by its slug; empty: nothing is next there."""
    found: dict[str, bytes] = dict.fromkeys(session.scalars(select(Table.slug).order_by(Table.slug)), b"")
    ended = select(Game.task).where(Game.outcome.is_not(None), Game.task != "")
    asked = (
        select(Pod, Round, Event)
        .join(Round, Pod.round_id == Round.id)
        .join(Event, Round.event_id == Event.id)
        .where(Event.state == "running", Round.state == "announced")
        .where(Pod.task.is_not(None), Pod.task_done.is_(False), Pod.task.not_in(ended))
        .options(joinedload(Pod.table), selectinload(Pod.seats).joinedload(PodSeat.player))
        .order_by(Round.announced, Pod.id)
    )
    for pod, turn, event in session.execute(asked).unique():
        if pod.table is None or pod.task is None or found.get(pod.table.slug):
            continue
        seats = sorted(pod.seats, key=lambda seat: (seat.chair is None, seat.chair, seat.id))
        task = Task(
            id=pod.task,
            round=turn.number,
            expires=later(turn.announced, SHOWN_S * SECOND),
            game=pod.game or event.game,
            players=tuple(seat.player.nickname or "" for seat in seats),
            at=turn.announced,
        )
        found[pod.table.slug] = encoded(task)
    return found
