"""What tables say is in the database once, whatever comes twice, late, in another order or version."""

from __future__ import annotations

from hashlib import sha256
from queue import SimpleQueue
from typing import Any

import msgspec
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from club.tests.hub.evening import NOON, TASK, an_event, games, hub, kept, recorded, status
from companion.core.actions import Outcome
from companion_club.hub import ingest, people
from companion_club.hub.database import change_number, mark_changed
from companion_club.hub.model import (
    Audit,
    GameRecord,
    PlayerRecord,
    PodRecord,
    StoreRecord,
    TableRecord,
    UnreadMessage,
)
from companion_club.hub.model import CallRecord as CallRow
from companion_club.hub.transport import HUB_MESSAGE_KINDS, Loopback, MessageArrived
from companion_club.messages import (
    ForgetSeats,
    ForgottenSeat,
    JudgeCall,
    TaskDone,
    encode_payload,
    make_game_id,
)

STORE, OTHER = "a" * 32, "b" * 32


def test_a_game_grows_ends_and_its_journal_is_whole(engine: Engine) -> None:
    game = recorded()[0]
    with hub(engine) as evening:
        evening.tell("one", game.result(STORE, "1", upto=3))
        evening.tell("one", game.result(STORE, "1"))
        for piece in game.pieces(make_game_id(STORE, "1")):
            evening.say("one", "entries", encode_payload(piece))
    (found,) = games(engine)
    assert msgspec.convert(found.outcome, Outcome) == game.outcome
    assert [(one.entries, one.finished) for one in found.versions] == [
        (3, False),
        (len(game.lines) - 1, True),
    ]
    assert [seat.chair for seat in found.seats] == list(game.chairs)
    with Session(engine) as session:
        assert [line.decode() for line in ingest.stored_lines(session, found)] == list(game.lines)


def test_the_same_result_by_two_uplinks_is_one_game(engine: Engine) -> None:
    game = recorded()[0]
    with hub(engine) as evening:
        for table in ("one", "two", "one"):
            evening.tell(table, game.result(STORE, "1"))
            for piece in game.pieces(make_game_id(STORE, "1")):
                evening.say(table, "entries", encode_payload(piece))
    (found,) = games(engine)
    assert (found.table.slug, len(found.versions)) == ("one", 1)


def test_an_older_version_that_comes_late_changes_nothing(engine: Engine) -> None:
    game = recorded()[0]
    with hub(engine) as evening:
        evening.tell("one", game.result(STORE, "1"))
        evening.tell("one", game.result(STORE, "1", upto=5))
    (found,) = games(engine)
    assert found.outcome is not None
    assert {one.entries for one in found.versions} == {5, len(game.lines) - 1}, "it is kept, though"


def test_a_correction_replaces_the_result_and_the_old_one_is_kept(engine: Engine) -> None:
    game = recorded()[0]
    last = len(game.lines) - 1
    first, second = game.chairs[:2]
    with hub(engine) as evening:
        evening.tell("one", game.result(STORE, "1", outcome=Outcome("last", (first,))))
        evening.tell("one", game.result(STORE, "1", entries=last + 1, outcome=None, digest=""))
        with Session(engine) as session:
            assert session.get_one(GameRecord, make_game_id(STORE, "1")).outcome is None, (
                "the win was taken back"
            )
        evening.tell("one", game.result(STORE, "1", entries=last + 4, outcome=Outcome("last", (second,))))
    (found,) = games(engine)
    assert found.outcome["winners"] == [second]
    assert [one.outcome and one.outcome["winners"] for one in found.versions] == [[first], None, [second]]


def test_a_table_that_leaves_in_mid_round_is_shown_away_and_its_game_stays(engine: Engine) -> None:
    game = recorded()[0]
    with hub(engine) as evening:
        evening.say("one", "status", status(STORE, game=game.game))
        evening.tell("one", game.result(STORE, "1", upto=5))
        evening.say("one", "status", status("", online=False, name=""))
    (table,) = kept(engine, TableRecord)
    assert (table.online, table.game, table.name) == (False, "", "Table")
    assert games(engine)[0].outcome is None


def test_two_tables_with_one_name_are_told_apart_by_their_stores(engine: Engine) -> None:
    game = recorded()[0]
    with hub(engine) as evening:
        for store in (STORE, OTHER):
            evening.say("one", "status", status(store))
            evening.tell("one", game.result(store, "1"))
    (table,) = kept(engine, TableRecord)
    assert table.problem == "ui.club.clash"
    assert len(games(engine)) == 2


def test_a_clock_that_is_a_day_ahead_is_told_and_the_game_counts(engine: Engine) -> None:
    game = recorded()[0]
    with hub(engine) as evening:
        evening.say("one", "status", status(STORE, at="2031-01-01T12:00:00+00:00"))
        evening.tell("one", game.result(STORE, "1", ended="2031-01-01T12:00:00+00:00"))
    (table,) = kept(engine, TableRecord)
    assert table.problem == "ui.club.clock"
    assert games(engine)[0].outcome is not None


def test_what_a_table_says_is_wrong_is_a_key_of_ours_or_nothing(engine: Engine) -> None:
    shown = []
    with hub(engine) as evening:
        for trouble in ("ui.club.not_allowed", "<b>everything</b>", "ui.menu.quit", ""):
            evening.say("one", "status", status(STORE, trouble=trouble))
            shown.append(kept(engine, TableRecord)[0].problem)
    assert shown == ["ui.club.not_allowed", "", "", ""]


def test_a_call_is_one_however_often_it_comes_and_can_be_taken_back(engine: Engine) -> None:
    with hub(engine) as evening:
        for taken_back in (False, False, True, False):
            evening.say("one", "call", encode_payload(JudgeCall("7", NOON, taken_back)))
    (call,) = kept(engine, CallRow)
    assert call.taken_back


def test_what_cannot_be_read_is_kept_once_and_what_follows_is_taken(engine: Engine) -> None:
    wrong = (b"{", b"[]", b'{"entries": "many"}', b"\xff\xfe", b"[" * 5000)
    with hub(engine) as evening:
        for payload in (*wrong, *wrong):
            for kind in HUB_MESSAGE_KINDS:
                evening.loopback.publish_from_table("one", kind, payload)
        evening.tell("one", recorded()[0].result(STORE, "1"))
    aside = {(one.topic.rpartition("/")[2], one.payload) for one in kept(engine, UnreadMessage)}
    assert aside == {(kind, payload) for kind in HUB_MESSAGE_KINDS for payload in wrong}
    assert len(kept(engine, UnreadMessage)) == len(aside)
    assert len(games(engine)) == 1


def test_a_result_that_no_table_could_come_to_is_set_aside(engine: Engine) -> None:
    right = recorded()[0].result(STORE, "1")
    wrong = (
        {"entries": -1},
        {"entries": 10**9},
        {"game_id": "'; DROP TABLE games; --"},
        {"game_id": ""},
        {"outcome": Outcome("last", (7, 11))},
        {"players": ()},
        {"digest": "x" * 64},
    )
    with hub(engine) as evening:
        for change in wrong:
            evening.tell("one", msgspec.structs.replace(right, **change))
    assert games(engine) == []
    assert len(kept(engine, UnreadMessage)) == len(wrong)


def test_a_newer_table_and_an_older_hub_go_on(engine: Engine) -> None:
    whole = msgspec.json.decode(encode_payload(recorded()[0].result(STORE, "1")))
    whole["mood"] = {"of": ["a", "newer", "table"]}
    whole["players"][0]["pronoun"] = "she"
    whole["outcome"]["margin"] = 3
    with hub(engine) as evening:
        evening.say("one", "result", msgspec.json.encode(whole))
        evening.say("one", "status", b'{"online": true, "store": "%s", "light": 7}' % STORE.encode())
    assert games(engine)[0].outcome is not None
    assert kept(engine, TableRecord)[0].online


def test_an_older_table_and_a_newer_hub_go_on(engine: Engine) -> None:
    whole = msgspec.json.decode(encode_payload(recorded()[0].result(STORE, "1")))
    for later in ("ended", "digest", "task"):
        del whole[later]
    with hub(engine) as evening:
        evening.say("one", "result", msgspec.json.encode(whole))
        evening.say("one", "status", b'{"online": true}')
    assert games(engine)[0].outcome is not None


def test_a_newer_hub_takes_in_what_an_older_one_set_aside(engine: Engine) -> None:
    result = recorded()[0].result(STORE, "1")
    with Session(engine) as session:
        session.add(
            UnreadMessage(
                topic="companion/v1/club/one/result",
                payload=encode_payload(result),
                digest="d",
                why="too new",
                received=NOON,
            )
        )
        session.commit()
    with hub(engine) as evening:
        evening.say("one", "status", status(STORE))
    assert len(games(engine)) == 1
    assert kept(engine, UnreadMessage) == []


def test_a_nickname_of_a_table_is_only_text(engine: Engine) -> None:
    names = (r"Robert'); DROP TABLE games;--", "<b>Ada</b>", r"\u0000Ada\n", r"Ada\ud83c", "🎲" * 90)
    whole = encode_payload(recorded()[0].result(STORE, "0", names=("NAME",)))
    with hub(engine) as evening:
        for at, name in enumerate(names):
            changed = whole.replace(b"NAME", name.encode())
            key = make_game_id(STORE, str(at)).encode()
            evening.say("one", "result", changed.replace(make_game_id(STORE, "0").encode(), key))
    found = {game.id: game.seats[0].nickname for game in games(engine)}
    kept_names = [found.get(make_game_id(STORE, str(at))) for at in range(len(names))]
    assert kept_names == [names[0], names[1], "Ada", None, "🎲" * 40], "half a letter is no message"


def test_a_player_known_by_nickname_is_known_in_games_before_and_after(engine: Engine) -> None:
    game = recorded()[0]
    with hub(engine) as evening:
        evening.tell("one", game.result(STORE, "1", names=("ada",)))
        with Session(engine) as session, session.begin():
            people.add_players(session, ["Ada"], now=NOON)
        evening.tell("one", game.result(STORE, "2", names=("Bob", " ADA")))
    (ada,) = kept(engine, PlayerRecord)
    found = {game.id: game for game in games(engine)}
    assert [seat.player_id for seat in found[make_game_id(STORE, "1")].seats][:2] == [ada.id, None]
    assert [seat.player_id for seat in found[make_game_id(STORE, "2")].seats][:2] == [None, ada.id]


def test_an_announced_round_is_a_task_at_its_table_until_it_is_done(engine: Engine) -> None:
    game = next(one for one in recorded() if len(one.chairs) == 3)
    with hub(engine) as evening:
        heard = Tasks()
        evening.loopback.add_table("one", heard)
        evening.say("one", "status", status(STORE))
        with Session(engine) as session, session.begin():
            an_event(session, ("Ada", "Bob", "Cy"), table=session.scalars(select(TableRecord)).one())
            mark_changed(session)
        shown = heard.task()
        assert (shown["id"], shown["players"]) == (TASK, ["Ada", "Bob", "Cy"])
        evening.tell("one", game.result(STORE, "1", task=TASK))
        heard.nothing()
        evening.say("one", "done", encode_payload(TaskDone(TASK, make_game_id(STORE, "1"))))
    (found,) = games(engine)
    with Session(engine) as session:
        nicknames = [session.get_one(PlayerRecord, seat.player_id).nickname for seat in found.seats]
        assert nicknames == ["Ada", "Bob", "Cy"]
        assert session.scalars(select(PodRecord)).one().task_done


def test_a_seat_that_its_table_forgets_has_no_name_and_gets_none_from_an_old_message(engine: Engine) -> None:
    game = recorded()[0]
    old = game.result(STORE, "1", names=("Ada", "Bob"))
    with hub(engine) as evening:
        evening.tell("one", old)
        evening.say(
            "one", "forget", encode_payload(ForgetSeats("1", (ForgottenSeat(old.game_id, game.chairs[0]),)))
        )
        evening.tell("one", old)
    assert [seat.nickname for seat in games(engine)[0].seats][:2] == [None, "Bob"]


def test_one_store_at_two_tables_is_reported_for_both_until_one_has_gone(engine: Engine) -> None:
    def problems() -> list[str]:
        return [table.problem for table in kept(engine, TableRecord)]

    with hub(engine) as evening:
        evening.say("one", "status", status(STORE))
        evening.say("two", "status", status(STORE))
        assert problems() == ["ui.club.copy"] * 2
        evening.say("one", "status", status(STORE, online=False))
        evening.say("two", "status", status(STORE))
        assert problems() == ["ui.club.copy", ""]
        evening.say("one", "status", status(OTHER))
        assert problems() == ["", ""]


def nicknames(engine: Engine) -> list[str | None]:
    return [seat.nickname for seat in games(engine)[0].seats][:2]


def test_a_table_has_people_forgotten_in_its_own_games_alone(engine: Engine) -> None:
    game = recorded()[0]
    told = game.result(STORE, "1", names=("Ada", "Bob"))
    seats = tuple(ForgottenSeat(told.game_id, chair) for chair in game.chairs)
    with hub(engine) as evening:
        evening.tell("one", told)
        evening.say("two", "status", status(OTHER))
        evening.say("two", "forget", encode_payload(ForgetSeats("1", seats)))
        assert nicknames(engine) == ["Ada", "Bob"]
        (aside,) = kept(engine, UnreadMessage)
        assert aside.why == f"game {told.game_id} is another table's: nobody is forgotten in it"
        evening.say("three", "status", status(STORE))  # the first table under a new name
        evening.say("three", "forget", encode_payload(ForgetSeats("2", seats[:1])))
        assert nicknames(engine) == [None, "Bob"]
        evening.say("one", "forget", encode_payload(ForgetSeats("3", seats)))
        assert nicknames(engine) == [None, None]


def test_a_table_has_no_say_in_a_game_of_another_store(engine: Engine) -> None:
    game = recorded()[0]
    told = game.result(STORE, "1", upto=3)
    with hub(engine) as evening:
        evening.tell("one", told)
        evening.tell("two", msgspec.structs.replace(game.result(STORE, "1"), store=OTHER))
    assert (games(engine)[0].entries, len(kept(engine, UnreadMessage))) == (3, 1)


def test_a_store_id_that_somebody_overheard_is_worth_nothing_without_its_tables_password(
    engine: Engine,
) -> None:
    game = recorded()[0]
    told = game.result(STORE, "1", upto=3)
    whole = game.result(STORE, "1", store_proof="6b" * 32)
    (first, *_) = game.pieces(whole.game_id, size=4)
    with hub(engine) as evening:
        evening.tell("one", told)
        evening.say("two", "status", status(STORE, store_proof="6b" * 32))
        evening.tell("two", whole)
        evening.tell("two", game.result(STORE, "1", store_proof=""))
        evening.say("two", "entries", encode_payload(first))
        found = {table.slug: (table.store, table.problem) for table in kept(engine, TableRecord)}
        assert found == {"one": ("", ""), "two": ("", "ui.club.foreign")}
        assert [(one.entries, one.outcome) for one in games(engine)] == [(3, None)]
        assert [(one.verb, one.subject) for one in kept(engine, Audit)] == [("table.foreign", "table:two")]
        why = {one.why for one in kept(engine, UnreadMessage)}
        journal = f"game {told.game_id} is another table's: its journal is not taken from here"
        assert why == {f"store {STORE} is another table's", journal}


def test_a_store_stays_its_tables_under_a_new_password_and_moves_with_the_password(engine: Engine) -> None:
    game, renewed = recorded()[0], "7c" * 32
    with hub(engine) as evening:
        evening.tell("one", game.result(STORE, "1", upto=3, store_proof=""))  # an older program
        evening.tell("one", game.result(STORE, "1", upto=4))
        evening.tell("one", game.result(STORE, "1", upto=5, store_proof=renewed))
        evening.tell("two", game.result(STORE, "1", upto=6))  # the password of before
        assert games(engine)[0].entries == 5
        evening.tell("two", game.result(STORE, "1", upto=6, store_proof=renewed))
    assert games(engine)[0].entries == 6
    (owner,) = kept(engine, StoreRecord)
    assert owner.proof_hash == sha256(renewed.encode()).hexdigest(), "a backup has no proof in it"


def test_the_pulse_beats_for_what_is_seen_and_not_for_what_comes_twice(engine: Engine) -> None:
    result = recorded()[0].result(STORE, "1")
    beats = []
    with hub(engine) as evening:
        for _ in range(3):
            evening.tell("one", result)
            with Session(engine) as session:
                beats.append(change_number(session))
    assert beats[0] == beats[1] == beats[2] > 0


def test_a_table_may_speak_while_the_hub_is_told_again_what_stands() -> None:
    loopback = Loopback("club")
    for table in ("one", "two"):
        loopback.publish_from_table(table, "status", b"1")
    heard: list[bytes] = []

    class Listening:
        """A hub that hears of the first table; that one says something at this very moment."""

        def put(self, one: Any) -> None:
            if isinstance(one, MessageArrived):
                heard.append(one.payload)
                if len(heard) == 1:
                    loopback.publish_from_table("one", "status", b"2")

    loopback.connect(Listening())  # type: ignore[arg-type]
    assert heard == [b"1", b"2", b"1"]


class Tasks:
    """What a table shows as next, one after the other."""

    def __init__(self) -> None:
        self._heard: SimpleQueue[bytes] = SimpleQueue()

    def __call__(self, kind: str, payload: bytes) -> None:
        if kind == "task":
            self._heard.put(payload)

    def task(self) -> dict[str, Any]:
        """The next task; that there is none yet may be said before."""
        while not (payload := self._heard.get(timeout=20)):
            pass
        return msgspec.json.decode(payload, type=dict[str, Any])

    def nothing(self) -> None:
        """Wait until nothing is next."""
        while self._heard.get(timeout=20):
            pass
