"""Who plays in an event, on both engines: nicknames are put right, and who left before it began is gone."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from club.tests.desk.conftest import BY
from club.tests.desk.test_evening import all_won, begun, drawn, online, table_says
from companion.core.clock import wall_time
from companion_club.desk import actions, entrants
from companion_club.desk.event import ClubEvent, PairingRules, load_event
from companion_club.desk.refusal import DeskRefusalError, EditConflictError
from companion_club.hub import model
from companion_club.hub.forgetting import forget_name
from companion_club.hub.hub import tasks_by_table


def renamed(session: Session, event: int, was: str, name: str) -> ClubEvent:
    entrant = next(one for one in load_event(session, event).entrants if one.name == was)
    entrants.correct_nickname(session, BY, entrant.id, entrant.revision, name)
    session.flush()
    return load_event(session, event)


def standings(evening: ClubEvent) -> dict[str, object]:
    return {evening.names[line.player]: (line.points, line.wins, line.played) for line in evening.lines}


def test_a_nickname_that_was_put_right_is_shown_everywhere_and_the_history_keeps_the_old_one(
    session: Session,
) -> None:
    online(session, "table-1")
    event = begun(session, ["Ada", "Brunno", "Cleo"])
    before = drawn(session, event)
    table_says(session, before, before.rounds[0].pods[0].id, [0])
    before = load_event(session, event)
    after = renamed(session, event, "Brunno", "Bruno")
    assert standings(after) == {name.replace("nn", "n"): line for name, line in standings(before).items()}
    assert {seat.name for seat in after.rounds[0].pods[0].seats} == {"Ada", "Bruno", "Cleo"}
    line = session.scalars(select(model.Audit).order_by(model.Audit.id)).all()[-1]
    player = next(one.player for one in after.entrants if one.name == "Bruno")
    assert (line.verb, line.before, line.after) == (
        "people.renamed",
        {"player": player, "was": "Brunno"},
        [player],
    )
    with pytest.raises(EditConflictError):
        entrants.correct_nickname(session, BY, before.entrants[1].id, before.entrants[1].revision, "Berno")


def test_the_table_is_told_the_new_nickname(session: Session) -> None:
    online(session, "table-1")
    event = begun(session, ["Ada", "Brunno", "Cleo"])
    drawn(session, event)
    renamed(session, event, "Brunno", "Bruno")
    told = json.loads(tasks_by_table(session)["table-1"])
    assert sorted(told["players"]) == ["Ada", "Bruno", "Cleo"]


def test_somebody_mistyped_whom_the_club_knows_is_that_player_with_all_that_was_played(
    session: Session,
) -> None:
    last_week = begun(session, ["Ada", "Bruno", "Cleo"])
    all_won(session, drawn(session, last_week))
    event = begun(session, ["Ada", "Brunno", "Cleo", "Dora", "Emil", "Finn"])
    online(session, "table-1")
    evening = drawn(session, event)
    pod = evening.rounds[0].pods[0]
    table_says(session, evening, pod.id, [0])
    evening = all_won(session, load_event(session, event))
    before = standings(evening)
    played = standings(load_event(session, last_week))
    after = renamed(session, event, "Brunno", "Bruno")
    assert standings(after) == {name.replace("Brunno", "Bruno"): line for name, line in before.items()}
    assert standings(load_event(session, last_week)) == played
    people = session.scalars(select(model.PlayerRecord.nickname)).all()
    assert sorted(str(name) for name in people) == ["Ada", "Bruno", "Cleo", "Dora", "Emil", "Finn"]
    assert all_won(session, drawn(session, event)).rounds[1].open_pod_count == 0


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("ada", "desk.refused.same_name"),
        ("Vera", "desk.refused.same_name"),
        ("", "desk.refused.new_name"),
        ("x" * 41, "desk.refused.new_name"),
    ],
)
def test_two_people_do_not_become_one_by_a_nickname(session: Session, name: str, key: str) -> None:
    begun(session, ["Bruno", "Vera", "Cleo"])
    event = begun(session, ["Ada", "Bruno", "Cleo"])
    with pytest.raises(DeskRefusalError) as why:
        renamed(session, event, "Bruno", name)
    assert why.value.key == key
    assert renamed(session, event, "Bruno", "BRUNO").names.keys() == load_event(session, event).names.keys()


@pytest.mark.parametrize("newcomer", [False, True])
def test_who_is_forgotten_is_forgotten_under_the_mistyped_nickname_too(
    session: Session, newcomer: bool
) -> None:
    """Unless somebody else has that nickname now: theirs stays."""
    event = begun(session, ["Brunno", "Cleo", "Dora"])
    renamed(session, event, "Brunno", "Bruno")
    if newcomer:
        entrants.enter_players(session, BY, event, ["Brunno"])
    forget_name(session, "Bruno", wall_time())
    session.flush()
    kept = json.dumps([line.before for line in session.scalars(select(model.Audit))])
    assert "Brunno" not in kept
    assert ("Brunno" in load_event(session, event).names.values()) == newcomer


@pytest.mark.parametrize("drafted", [False, True])
def test_who_left_before_the_first_round_is_nowhere(session: Session, drafted: bool) -> None:
    event = begun(session, ["Ada", "Ben", "Cleo", "Dora"])
    if drafted:
        actions.draw_round(session, BY, event, 0)
    one = load_event(session, event).entrants[0]
    entrants.set_dropped_out(session, BY, one.id, one.revision, gone=True)
    session.flush()
    evening = load_event(session, event)
    assert one.name not in standings(evening)
    assert one.name not in {entrant.name for entrant in evening.entrants}


def test_the_same_players_at_the_same_tables_are_not_drawn_until_somebody_likes_it(session: Session) -> None:
    online(session, "table-1")
    event = begun(session)
    actions.draw_round(session, BY, event, 0)
    with pytest.raises(DeskRefusalError) as why:
        actions.draw_round(session, BY, event, 0)
    assert why.value.key == "desk.refused.same_draw"
    online(session, "table-2")
    actions.draw_round(session, BY, event, 0)
    verbs = [line.verb for line in session.scalars(select(model.Audit))]
    assert verbs.count("round.drawn") == 2


def test_a_draw_follows_from_its_key_and_the_tables_that_the_history_has(session: Session) -> None:
    online(session, "table-1", "table-2")
    event = actions.make_event(session, BY, name="Small", game="", rules=PairingRules(), seed="lamp")
    entrants.enter_players(
        session, BY, event, ["Ada", "Ben", "Cleo", "Dora", "Emil", "Finn", "Greta", "Hugo", "Ines", "Jo"]
    )
    actions.draw_round(session, BY, event, 0)
    line = session.scalars(select(model.Audit).order_by(model.Audit.id)).all()[-1]
    assert line.after == {"number": 1, "seed": "lamp/1", "tables": 2}
    evening = load_event(session, event)
    again = actions.compute_draw(evening, 1, tables=line.after["tables"])
    assert again.pods == tuple(tuple(seat.player for seat in pod.seats) for pod in evening.rounds[0].pods)
    assert len(again.pods) == 2
    assert len(actions.compute_draw(evening, 1, tables=9).pods) == 3
