"""Makes `backups/REVISION.club`: a club with a row in every table, as this version backs it up.

    .venv/bin/python -m club.tests.hub.kept_backup

Run it once for each new revision of the tables, before the next one; `test_migrations.py` asks for it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from sqlalchemy import Engine, select

from club.tests.hub.evening import NOON, TASK, an_event, hub, recorded
from companion_club.hub import people
from companion_club.hub.backup import back_up
from companion_club.hub.database import make_engine, migrate, revision_of, writing_sessions
from companion_club.hub.forgetting import forget_name
from companion_club.hub.model import (
    Audit,
    EntrantRecord,
    EventRecord,
    HandResult,
    PlayerRecord,
    TableRecord,
    User,
)
from companion_club.messages import JudgeCall, encode_payload, make_game_id

BACKUPS = Path(__file__).parent / "backups"
STORE = "a" * 32
PEOPLE = ("Ann", "Bob", "Cy")


def filled(engine: Engine) -> None:
    """One game, freely played, one that answers a pod's task and was corrected by hand, and all around it."""
    free, of_pod = [game for game in recorded() if len(game.chairs) == len(PEOPLE)][:2]
    with hub(engine) as evening:
        evening.say("one", "call", encode_payload(JudgeCall("7", NOON)))
        evening.say("one", "result", b'{"of": "a newer table"}')
        with writing_sessions(engine).begin() as session:
            table = session.scalars(select(TableRecord)).one()
            pod = an_event(session, PEOPLE, table=table)
            session.flush()
            event = session.scalars(select(EventRecord)).one()
            for player in session.scalars(select(PlayerRecord)).all():
                session.add(EntrantRecord(event_id=event.id, player_id=player.id))
            user = User(name="Olga", folded="olga", role="judge", password="argon2", made=NOON)
            session.add(user)
            session.flush()
            written = {"places": [{"player": 1, "place": 1}], "reason": "seen", "user_id": user.id}
            session.add(HandResult(pod_id=pod.id, number=1, at=NOON, **written))
            about = {"verb": "result.written", "subject": f"pod:{pod.id}", "user_id": user.id}
            session.add(Audit(who="Olga", at=NOON, after=[1], **about))
            dee, _ = people.add_players(session, ["Dee", "Zeb"], now=NOON)
            dee.full_name, dee.consent = "Dee Dee", True
            forget_name(session, "Zeb", NOON)
        for key, game, task in (("1", free, ""), ("2", of_pod, TASK)):
            evening.tell("one", game.result(STORE, key, names=PEOPLE, task=task))
            for piece in game.pieces(make_game_id(STORE, key)):
                evening.say("one", "entries", encode_payload(piece))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        engine = make_engine(f"{folder}/club.sqlite")
        migrate(engine)
        filled(engine)
        with engine.connect() as connection:
            revision = revision_of(connection)
        back_up(engine, BACKUPS / f"{revision}.club")
        engine.dispose()


if __name__ == "__main__":
    main()
