"""A name that is forgotten is in no row and no byte, and nothing that comes later brings it back."""

from __future__ import annotations

import gzip
from pathlib import Path

from sqlalchemy import Engine, select, text
from sqlalchemy.orm import Session

from club.tests.hub.evening import NOON, an_event, games, hub, kept, recorded
from companion_club.hub import people
from companion_club.hub.backup import back_up
from companion_club.hub.database import make_engine, migrate, purge_deleted, writing_sessions
from companion_club.hub.forgetting import forget_name
from companion_club.hub.model import Audit, Base, EventRecord, HandResult, PlayerRecord, TableRecord, User
from companion_club.messages import make_game_id

STORE = "a" * 32
NAME = "Zebedee O'Grady"


def everywhere(engine: Engine) -> None:
    """The name in every place that can hold one."""
    with hub(engine) as evening:
        evening.say("one", "status", b"{}")
        evening.say("one", "status", b'{"online": true}')
        with writing_sessions(engine).begin() as session:
            pod = an_event(session, (NAME, "Bob"), table=session.query(TableRecord).one())
            session.flush()
            session.scalars(select(EventRecord)).one().name = f"{NAME}'s birthday"
            typed = f"so says {NAME.lower()};  {NAME.upper().replace(' ', '  ')} left early"
            session.add(HandResult(pod_id=pod.id, number=1, reason=typed, at=NOON))
            log = {"verb": "player.entered", "subject": "player:1", "at": NOON}
            session.add(Audit(who="desk", after={"nickname": NAME, "note": "x"}, **log))
            session.add(Audit(who=NAME, before=[{"was": NAME.title()}], **log))
            (zebrafink,) = people.add_players(session, ["Zebrafink"], now=NOON)
            zebrafink.full_name, zebrafink.consent = NAME, True
        evening.tell("one", recorded()[0].result(STORE, "1", names=(NAME, "Zebrafink")))
        evening.say("one", "result", b'{"wrong": "%s"}' % NAME.encode())


def text_of(engine: Engine) -> str:
    with Session(engine) as session:
        tables = Base.metadata.sorted_tables
        return str([[tuple(row) for row in session.execute(table.select())] for table in tables])


def test_a_name_is_in_no_row_and_what_comes_later_does_not_bring_it_back(engine: Engine) -> None:
    everywhere(engine)
    assert NAME.replace("'", "\\'") in text_of(engine) or NAME in text_of(engine)
    with writing_sessions(engine).begin() as session:
        found = forget_name(session, NAME.upper(), NOON)
    assert (found.players, found.places, found.seats, found.tables) == (2, 1, 2, ("one",))
    assert "zebedee" not in text_of(engine).lower()
    assert "Zebrafink" not in text_of(engine)
    with hub(engine) as evening:
        evening.tell("one", recorded()[0].result(STORE, "1", names=(NAME, "Bob")))
        evening.tell("one", recorded()[1].result(STORE, "2", names=(NAME, "Bob")))
    assert "zebedee" not in text_of(engine).lower()
    assert {seat.nickname for game in games(engine) for seat in game.seats} == {None, "Bob"}


def test_nothing_of_it_is_left_in_the_file_and_in_a_backup(tmp_path: Path) -> None:
    engine = make_engine(str(tmp_path / "club.sqlite"))
    migrate(engine)
    everywhere(engine)
    with writing_sessions(engine).begin() as session:
        forget_name(session, NAME, NOON)
    purge_deleted(engine)
    back_up(engine, tmp_path / "club.backup")
    left = b"".join(file.read_bytes() for file in tmp_path.glob("club.sqlite*")).lower()
    left += gzip.decompress((tmp_path / "club.backup").read_bytes()).lower()
    assert b"zebedee" not in left
    assert b"zebrafink" not in left
    engine.dispose()


def test_who_enters_again_is_known_again(engine: Engine) -> None:
    everywhere(engine)
    with writing_sessions(engine).begin() as session:
        forget_name(session, NAME, NOON)
    with writing_sessions(engine).begin() as session:
        (again,) = people.add_players(session, [NAME], now=NOON)
    with hub(engine) as evening:
        evening.tell("one", recorded()[1].result(STORE, "2", names=(NAME,)))
    (new,) = [game for game in games(engine) if game.id == make_game_id(STORE, "2")]
    assert {seat.player_id for seat in new.seats} == {None, again.id}


def test_a_name_that_nobody_has_is_said_and_a_login_of_that_name_stays(engine: Engine) -> None:
    with writing_sessions(engine).begin() as session:
        session.add(User(name="Judge", folded="judge", role="judge", password="argon2", made=NOON))
    with writing_sessions(engine).begin() as session:
        found = forget_name(session, "judge", NOON)
    assert (found.anything, found.logs_in) == (False, True)
    assert len(kept(engine, User)) == 1
    with Session(engine) as session:
        assert session.execute(text("SELECT count(*) FROM forgotten")).scalar() == 1
        assert session.query(PlayerRecord).count() == 0
