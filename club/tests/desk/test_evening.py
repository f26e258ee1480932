"""An evening by its deeds, on both engines: rounds, results by hand and by tables, and two at once."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from sqlalchemy import select
from sqlalchemy.event import listen
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError

from club.tests.desk.conftest import BY, repeats
from companion.core.actions import Outcome
from companion.core.clock import wall_time
from companion_club.desk import actions, entrants
from companion_club.desk.event import PAIRING_LEVEL, ClubEvent, PairingRules, load_event
from companion_club.desk.pairing import count_meetings
from companion_club.desk.refusal import DeskRefusalError, EditConflictError
from companion_club.hub import model
from companion_club.hub.hub import tasks_by_table
from companion_club.hub.ingest import Ingest
from companion_club.hub.presence import Presence
from companion_club.hub.transport import MessageArrived
from companion_club.messages import GameResult, ResultPlayer, Status, encode_payload, make_game_id, make_topic

PEOPLE = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Finn", "Greta", "Hugo", "Ines")
STORE = "ab" * 16


def begun(session: Session, people: Sequence[str] = PEOPLE, rules: PairingRules | None = None) -> int:
    name = f"Evening {session.query(model.EventRecord).count() + 1}"
    event = actions.make_event(session, BY, name=name, game="", rules=rules or PairingRules(), seed="lamp")
    entrants.enter_players(session, BY, event, people)
    return event


def drawn(session: Session, event: int) -> ClubEvent:
    """The event with its next round drawn and announced."""
    actions.draw_round(session, BY, event, len(load_event(session, event).announced_rounds))
    last = load_event(session, event).last
    assert last is not None
    actions.announce_round(session, BY, last.id, last.revision)
    return load_event(session, event)


def all_won(session: Session, evening: ClubEvent) -> ClubEvent:
    """Whoever sits first in an open pod of the last round wins."""
    for pod in evening.rounds[-1].pods:
        if pod.winners is None:
            actions.write_result(
                session, BY, pod.id, pod.seen, winners=[pod.seats[0].player], reason="seen by Olga"
            )
    return load_event(session, evening.event.id)


def table_says(
    session: Session, evening: ClubEvent, pod: int, winners: Sequence[int], **more: object
) -> None:
    """The table of a pod sends its result; chairs are the seats."""
    _, one = evening.pod(pod)
    row = session.get_one(model.PodRecord, pod)
    players = tuple(ResultPlayer(chair, "red", seat.name) for chair, seat in enumerate(one.seats))
    told = {
        "store": STORE,
        "game_id": make_game_id(STORE, str(pod)),
        "entries": 12,
        "outcome": Outcome("won", tuple(winners)),
        "game": "kabuki",
        "players": players,
        "began": wall_time(),
        "task": row.task,
        **more,
    }
    take(session, "table-1", "result", encode_payload(GameResult(**told)))  # type: ignore[arg-type]


def take(session: Session, table: str, kind: str, payload: bytes) -> None:
    """The hub takes a message in."""
    ingest = Ingest(session, Presence(), wall_time())
    ingest.take_messages([MessageArrived(make_topic("club", table, kind), payload)])


def online(session: Session, *tables: str) -> None:
    for table in tables:
        said = Status(online=True, store=STORE, name=table.title())
        take(session, table, "status", encode_payload(said))


def test_an_organiser_runs_an_evening(session: Session) -> None:
    event = begun(session)
    for number in (1, 2, 3):
        evening = all_won(session, drawn(session, event))
        assert [one.number for one in evening.rounds] == list(range(1, number + 1))
        assert sum(line.points for line in evening.lines) == number * len(PEOPLE)
    assert [one.state for one in evening.rounds] == ["over", "over", "announced"]
    assert [one.seed for one in evening.rounds] == ["lamp/1", "lamp/2", "lamp/3"]
    actions.end_event(session, BY, event, evening.event.revision, over=True)
    with pytest.raises(DeskRefusalError, match="closed"):
        actions.draw_round(session, BY, event, 3)
    with pytest.raises(DeskRefusalError, match="closed"):
        entrants.enter_players(session, BY, event, ["Late"])


def test_two_events_of_one_key_draw_the_same(session: Session) -> None:
    drawn_pods = [
        [[seat.name for seat in pod.seats] for pod in drawn(session, begun(session)).rounds[0].pods]
        for _ in range(2)
    ]
    assert drawn_pods[0] == drawn_pods[1]


def test_the_second_round_avoids_who_met_in_the_first(session: Session) -> None:
    event = begun(session, [f"P{number}" for number in range(16)])
    evening = all_won(session, drawn(session, event))
    evening = drawn(session, event)
    pods = [[[seat.player for seat in pod.seats] for pod in one.pods] for one in evening.rounds]
    assert repeats(pods[1], count_meetings(pods[:1])) == 0


def test_where_like_meets_like_winners_meet(session: Session) -> None:
    event = begun(session, [f"P{number}" for number in range(12)], PairingRules(4, 4, 4, PAIRING_LEVEL))
    evening = all_won(session, drawn(session, event))
    winners = {seat.player for pod in evening.rounds[0].pods for seat in pod.seats if seat.won}
    evening = drawn(session, event)
    assert any(winners <= {seat.player for seat in pod.seats} for pod in evening.rounds[1].pods)


def test_who_comes_late_starts_in_the_next_round_and_who_drops_out_ends_after_this_one(
    session: Session,
) -> None:
    event = begun(session)
    evening = drawn(session, event)
    there = entrants.enter_players(session, BY, event, ["Juri", "ada"])
    assert [load_event(session, event).names[one] for one in there] == ["Ada"]
    first = evening.entrants[0]
    entrants.set_dropped_out(session, BY, first.id, first.revision, gone=True)
    assert first.player in {seat.player for pod in evening.rounds[0].pods for seat in pod.seats}
    all_won(session, load_event(session, event))
    evening = drawn(session, event)
    sitting = {seat.name for pod in evening.rounds[1].pods for seat in pod.seats}
    assert "Juri" in sitting
    assert first.name not in sitting
    assert first.player in {line.player for line in evening.lines}
    gone = next(one for one in evening.entrants if one.id == first.id)
    entrants.set_dropped_out(session, BY, gone.id, gone.revision, gone=False)
    assert first.player in load_event(session, event).players_in_round(3)


@pytest.mark.parametrize(("tables", "pods"), [(0, 13), (8, 13), (9, 9), (12, 12), (20, 13)])
def test_there_are_no_more_pods_than_tables_where_the_sizes_allow_it(
    session: Session, tables: int, pods: int
) -> None:
    session.add_all(
        model.TableRecord(slug=f"table-{number}", name="", online=True, seen="2026-01-01T00:00:00+00:00")
        for number in range(tables)
    )
    event = actions.make_event(session, BY, name="Big", game="", rules=PairingRules(), seed="lamp")
    entrants.enter_players(session, BY, event, [f"P{number}" for number in range(50)])
    actions.draw_round(session, BY, event, 0)
    drawn = load_event(session, event).rounds[0]
    assert (len(drawn.pods), drawn.byes) == (pods, ())
    assert sum(pod.table is None for pod in drawn.pods) == max(0, pods - tables)


def test_a_draft_is_drawn_again_when_somebody_comes(session: Session) -> None:
    event = begun(session)
    actions.draw_round(session, BY, event, 0)
    entrants.enter_players(session, BY, event, ["Juri"])
    last = load_event(session, event).last
    assert last is not None
    with pytest.raises(DeskRefusalError, match="draw_again"):
        actions.announce_round(session, BY, last.id, last.revision)
    actions.draw_round(session, BY, event, 0)
    again = load_event(session, event).last
    assert again is not None
    assert again.seed == last.seed
    assert "Juri" in {seat.name for pod in again.pods for seat in pod.seats}


def test_a_round_is_not_drawn_while_a_pod_plays(session: Session) -> None:
    event = begun(session)
    drawn(session, event)
    with pytest.raises(DeskRefusalError) as why:
        actions.draw_round(session, BY, event, 1)
    assert (why.value.key, why.value.parts) == ("desk.refused.playing", {"count": 2, "number": 1})


def test_two_who_draw_at_once_draw_one_round(session: Session) -> None:
    event = begun(session)
    drawn(session, event)
    with pytest.raises(EditConflictError):
        actions.draw_round(session, BY, event, 0)


def test_fewer_than_a_pod_needs_are_told_so(session: Session) -> None:
    with pytest.raises(DeskRefusalError) as why:
        actions.draw_round(session, BY, begun(session, ["Ada", "Ben"]), 0)
    assert why.value.parts == {"least": 3, "count": 2}


def test_nobody_sits_in_two_pods_of_a_round(session: Session) -> None:
    evening = drawn(session, begun(session))
    one, other = evening.rounds[0].pods
    with pytest.raises(DeskRefusalError) as why:
        actions.seat_player(session, BY, other.id, other.revision, one.seats[0].player)
    assert (why.value.key, why.value.parts) == (
        "desk.refused.two_pods",
        {"name": one.seats[0].name, "pod": one.number},
    )
    session.add(model.PodSeat(round_id=evening.rounds[0].id, pod_id=other.id, player_id=one.seats[0].player))
    with pytest.raises(IntegrityError):
        session.flush()
    session.rollback()


def test_somebody_late_is_seated_in_a_pod_that_plays(session: Session) -> None:
    event = begun(session)
    evening = drawn(session, event)
    entrants.enter_players(session, BY, event, ["Juri"])
    pod = min(evening.rounds[0].pods, key=lambda one: len(one.seats))
    juri = load_event(session, event).entrants[-1]
    actions.seat_player(session, BY, pod.id, pod.revision, juri.player)
    evening = all_won(session, load_event(session, event))
    assert sum(line.points for line in evening.lines) == len(PEOPLE) + 1
    _, over = evening.pod(pod.id)
    with pytest.raises(DeskRefusalError, match="has_result"):
        actions.unseat_player(session, BY, over.id, over.revision, juri.player)


@pytest.mark.parametrize("deed", ["seat", "unseat", "set_table", "write_result"])
def test_a_closed_event_stays_as_it_is(session: Session, deed: str) -> None:
    event = begun(session)
    pod = drawn(session, event).rounds[0].pods[0]
    actions.end_event(session, BY, event, load_event(session, event).event.revision, over=True)
    player = pod.seats[0].player
    deed_of = {
        "seat": lambda: actions.seat_player(session, BY, pod.id, pod.revision, player),
        "unseat": lambda: actions.unseat_player(session, BY, pod.id, pod.revision, player),
        "set_table": lambda: actions.set_table(session, BY, pod.id, pod.revision, None),
        "write_result": lambda: actions.write_result(
            session, BY, pod.id, pod.seen, winners=[player], reason=""
        ),
    }
    with pytest.raises(DeskRefusalError, match="closed"):
        deed_of[deed]()


def test_two_who_move_people_at_once_do_not_overwrite_each_other(session: Session) -> None:
    evening = drawn(session, begun(session))
    pod = evening.rounds[0].pods[0]
    actions.unseat_player(session, BY, pod.id, pod.revision, pod.seats[0].player)
    session.flush()
    with pytest.raises(EditConflictError):
        actions.unseat_player(session, BY, pod.id, pod.revision, pod.seats[1].player)


def test_of_two_results_at_once_the_second_is_told_and_the_first_stays(session: Session) -> None:
    evening = drawn(session, begun(session))
    pod = evening.rounds[0].pods[0]
    first, second = pod.seats[0].player, pod.seats[1].player
    actions.write_result(session, BY, pod.id, pod.seen, winners=[first], reason="")
    with pytest.raises(EditConflictError):
        actions.write_result(session, BY, pod.id, pod.seen, winners=[second], reason="")
    evening = load_event(session, evening.event.id)
    assert evening.pod(pod.id)[1].winners == (first,)
    actions.write_result(session, BY, pod.id, evening.pod(pod.id)[1].seen, winners=[second], reason="")
    versions = load_event(session, evening.event.id).pod(pod.id)[1].versions
    assert [one.winners for one in versions] == [(first,), (second,)]


def test_a_tables_result_counts_until_the_desk_writes_one_and_again_when_that_is_withdrawn(
    session: Session,
) -> None:
    online(session, "table-1")
    evening = drawn(session, begun(session))
    pod = evening.rounds[0].pods[0]
    table_says(session, evening, pod.id, [1])
    event = evening.event.id

    def now() -> tuple[tuple[int, ...] | None, bool, str]:
        _, one = load_event(session, event).pod(pod.id)
        return one.winners, one.by_hand, one.seen

    theirs = (pod.seats[1].player,)
    assert now()[:2] == (theirs, False)
    ours = (pod.seats[2].player,)
    actions.write_result(session, BY, pod.id, now()[2], winners=ours, reason="miscounted")
    assert now()[:2] == (ours, True)
    actions.write_result(session, BY, pod.id, now()[2], winners=None, reason="")
    assert now()[:2] == (theirs, False)
    _, one = load_event(session, event).pod(pod.id)
    assert [version.winners for version in one.versions] == [theirs, ours, None]
    assert "miscounted" in [version.reason for version in one.versions]


def test_a_corrected_result_of_a_table_replaces_the_old_one_and_both_are_shown(session: Session) -> None:
    online(session, "table-1")
    evening = drawn(session, begun(session))
    pod = evening.rounds[0].pods[0]
    table_says(session, evening, pod.id, [1])
    seen = load_event(session, evening.event.id).pod(pod.id)[1].seen
    table_says(session, evening, pod.id, [], entries=13, outcome=None)
    assert load_event(session, evening.event.id).pod(pod.id)[1].winners is None
    table_says(session, evening, pod.id, [0], entries=15)
    _, one = load_event(session, evening.event.id).pod(pod.id)
    assert one.winners == (pod.seats[0].player,)
    assert [version.winners for version in one.versions] == [(pod.seats[1].player,), None, one.winners]
    with pytest.raises(EditConflictError):
        actions.write_result(session, BY, pod.id, seen, winners=[], reason="")


def test_a_game_of_other_people_is_no_result(session: Session) -> None:
    online(session, "table-1")
    evening = drawn(session, begun(session))
    pod = evening.rounds[0].pods[0]
    others = tuple(ResultPlayer(chair, "red", name) for chair, name in enumerate(("Zoe", "Yuki", "Xaver")))
    table_says(session, evening, pod.id, [1], players=others)
    _, one = load_event(session, evening.event.id).pod(pod.id)
    assert (one.winners, one.unclear) == (None, "desk.pod.unclear")


def test_two_games_of_a_pod_with_two_winners_are_asked_about(session: Session) -> None:
    """It was moved to another table, and the first, which was cut off, played on and tells it later."""
    online(session, "table-1")
    evening = drawn(session, begun(session))
    pod = evening.rounds[0].pods[0]
    for key, winner, told in (("here", 1, ""), ("there", 1, ""), ("late", 0, "desk.pod.two_results")):
        table_says(session, evening, pod.id, [winner], game_id=make_game_id(STORE, key))
        _, one = load_event(session, evening.event.id).pod(pod.id)
        assert (one.winners, one.unclear) == (None if told else (pod.seats[1].player,), told)
    actions.write_result(
        session, BY, pod.id, one.seen, winners=[pod.seats[0].player], reason="played to the end"
    )
    _, one = load_event(session, evening.event.id).pod(pod.id)
    assert (one.winners, one.unclear) == ((pod.seats[0].player,), "")


@pytest.mark.parametrize(("began", "told"), [("19:10", "19:10"), ("07:00", "19:00"), ("23:00", "19:30")])
def test_a_game_was_played_between_its_announcement_and_the_hubs_hearing_of_it(
    session: Session, began: str, told: str
) -> None:
    """Whatever the table's clock says."""
    online(session, "table-1")
    evening = drawn(session, begun(session))
    session.get_one(model.RoundRecord, evening.rounds[0].id).announced = "2026-11-20T19:00"
    pod = evening.rounds[0].pods[0].id
    table_says(session, evening, pod, [1], began=f"2026-11-20T{began}")
    session.scalars(select(model.GameRecord)).one().received = "2026-11-20T19:30"
    session.flush()
    assert load_event(session, evening.event.id).pod(pod)[1].played == f"2026-11-20T{told}"


def test_a_table_that_leaves_in_mid_round_is_replaced_by_another_or_by_hand(session: Session) -> None:
    online(session, "table-1", "table-2", "table-3")
    evening = drawn(session, begun(session))
    pod = evening.rounds[0].pods[0]
    assert pod.table is not None
    assert {slug for slug, payload in tasks_by_table(session).items() if payload} == {"table-1", "table-2"}
    third = session.scalar(select(model.TableRecord).where(model.TableRecord.slug == "table-3"))
    assert third is not None
    actions.set_table(session, BY, pod.id, pod.revision, third.id)
    session.flush()
    assert {slug for slug, payload in tasks_by_table(session).items() if payload} == {"table-2", "table-3"}
    second = evening.rounds[0].pods[1]
    with pytest.raises(DeskRefusalError) as why:
        actions.set_table(session, BY, second.id, second.revision, third.id)
    assert why.value.key == "desk.refused.table_taken"
    assert all_won(session, load_event(session, evening.event.id)).rounds[0].open_pod_count == 0


def test_a_nickname_is_data_whatever_is_in_it(session: Session) -> None:
    nasty = "Robert'); DROP TABLE players;--"
    evening = drawn(session, begun(session, [nasty, 'x" OR 1=1', "%_\\"]))
    assert nasty in evening.names.values()
    assert len(evening.names) == 3
    assert len(session.scalars(select(model.PlayerRecord)).all()) == 3


@pytest.mark.parametrize(
    ("nicknames", "kept"),
    [
        (["  Ada  L ", "ADA l", ""], ["Ada L"]),
        (["Straße", "STRASSE"], ["Straße"]),
        (["\u202eevil", "a\x00b"], ["evil", "a b"]),
    ],
)
def test_one_person_is_entered_once(session: Session, nicknames: list[str], kept: list[str]) -> None:
    event = actions.make_event(session, BY, name="E", game="", rules=PairingRules())
    entrants.enter_players(session, BY, event, nicknames)
    assert sorted(load_event(session, event).names.values()) == sorted(kept)


def test_the_audit_trail_has_every_deed_and_no_name(session: Session) -> None:
    event = begun(session)
    evening = all_won(session, drawn(session, event))
    lines = session.scalars(select(model.Audit).order_by(model.Audit.id)).all()
    assert [line.verb for line in lines] == [
        *("event.made", "people.entered", "round.drawn", "round.announced"),
        *("result.written",) * len(evening.rounds[0].pods),
    ]
    assert {line.who for line in lines} == {"Olga"}
    kept = json.dumps([[line.before, line.after] for line in lines])
    assert not any(name in kept for name in PEOPLE)


def test_two_transactions_that_change_one_row_are_not_both_kept(session: Session) -> None:
    event = session.get_one(model.EventRecord, begun(session))
    session.commit()
    with Session(session.get_bind()) as other:
        other.get_one(model.EventRecord, event.id).name = "Theirs"
        other.commit()
    event.name = "Ours"
    with pytest.raises(StaleDataError):
        session.flush()
    session.rollback()


def test_a_whole_convention_is_entered_and_seated_by_as_many_queries_as_a_club(session: Session) -> None:
    """Nobody else writes meanwhile, and others wait ten seconds at most."""
    asked: list[str] = []
    listen(session.get_bind(), "before_cursor_execute", lambda *heard: asked.append(heard[2]))
    counts = []
    for people in (12, 480):
        asked.clear()
        made = begun(session, [f"{people} {number}" for number in range(people)])
        actions.draw_round(session, BY, made, 0)
        session.flush()
        counts.append(sum(not one.startswith("INSERT") for one in asked))
    assert counts[1] <= counts[0]
    assert len({seat.player for pod in load_event(session, made).rounds[0].pods for seat in pod.seats}) == 480
