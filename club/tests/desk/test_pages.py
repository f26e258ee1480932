"""The desk as browsers use it: logging in, roles, forms, two at once, every page in every language."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from markupsafe import escape
from sqlalchemy.event import listen, remove
from sqlalchemy.exc import OperationalError

from club.tests.desk.conftest import BY, NASTY, Browser, Opened
from club.tests.desk.test_evening import online, table_says
from club.tests.hub.evening import hub
from companion.core.clock import wall_time
from companion_club.desk import actions, entrants
from companion_club.desk.event import PairingRules, load_event
from companion_club.desk.pages import routes
from companion_club.desk.web_app import DeskApp, load_static_files
from companion_club.hub import model
from companion_club.messages import JudgeCall, Status, encode_payload
from tests.languages import LANGUAGES

KEY = re.compile(r"\b(?:desk|ui|club)\.[a-z_]+|\{[a-z]+\}|Undefined")


def first_pod(desk: DeskApp, event: int) -> int:
    with desk.reading_sessions() as session:
        return load_event(session, event).rounds[0].pods[0].id


def test_an_organiser_runs_an_evening_in_the_browser(browser: Opened, desk: DeskApp) -> None:
    one = browser("desk")
    one.post(
        "/", name="Club evening", game="", smallest="3", preferred="4", largest="6", pairing="mixed", seed=""
    )
    one.post("/events/1/people", nicknames="Ada\nBen\nCleo\nDora\nEmil\nFinn\nGreta\n")
    assert one.text.count(": Remove") == 7
    one.get("/events/1")
    one.post("/events/1/draw")
    assert "Nobody has been told yet" in one.text
    one.post("/events/1/announce")
    assert "2 pods are still without a result" in one.text
    with desk.reading_sessions() as session:
        pods = load_event(session, 1).rounds[0].pods
    for pod in pods:
        one.get(f"/pods/{pod.id}")
        won = {"how": "won", "winner": str(pod.seats[0].player), "reason": ""}
        one.post(f"/pods/{pod.id}/result", game="", **won)
        assert one.refusal == "Choose which game this pod played."
        one.post(f"/pods/{pod.id}/result", game="kabuki", **won)
        assert (one.status, one.refusal) == (200, "")
    assert "Draw round 2" in one.text
    one.post("/events/1/end")
    assert "Close this event?" in one.text
    one.get("/events/1")
    assert "Draw round 2" in one.text
    one.post("/events/1/end")
    one.post("/events/1/end")  # the question's own button
    assert "This event is closed" in one.text
    assert [game["name"] for game in json.loads(one.get("/events/1/plays.bgsplay"))["games"]] == ["Kabuki"]
    assert f"desk wrote who won: {pods[0].seats[0].name}." in one.get("/events/1/history")
    assert re.search(r"desk drew round 1\. Draw key \w+/1\. 0 tables were on\.</span>", one.text)


def test_pods_without_a_table_are_told_before_they_are_announced(browser: Opened, desk: DeskApp) -> None:
    with desk.writing_sessions.begin() as session:
        event = actions.make_event(session, BY, name="Small", game="", rules=PairingRules())
        entrants.enter_players(session, BY, event, ["Ada", "Ben", "Cleo", "Dora", "Emil", "Finn", "Greta"])
        session.add(model.TableRecord(slug="table-1", name="", online=True, seen=wall_time()))
        actions.draw_round(session, BY, event, 0)
    assert "1 pod has no table." in browser("desk").get(f"/events/{event}")


def test_a_second_person_of_one_nickname_is_named(browser: Opened, event: int) -> None:
    one = browser("desk")
    one.get(f"/events/{event}/people")
    one.post(f"/events/{event}/people", nicknames="Newtwo\nada\nMax\nmax")
    assert "Already entered: Ada, Max." in one.text
    one.post(f"/events/{event}/people", nicknames="Nora")
    assert "Already entered" not in one.text
    one.post(f"/events/{event}/people", nicknames="Olaf\n" + "x" * 41)
    assert one.refusal == "Line 2 is too long: a nickname has at most 40 characters."


def test_a_nickname_is_put_right_and_the_history_says_what_it_was(browser: Opened, event: int) -> None:
    one = browser("desk")
    one.get(f"/events/{event}/people")
    found = re.search(r'aria-label="Ben: Rename" href="([^"]*)"', one.text)
    assert found
    one.get(found[1])
    one.post(found[1], nickname="ada")
    assert one.refusal == "Ada is somebody else here already. Choose another nickname."
    assert 'value="ada"' in one.text
    one.post(found[1], nickname="Benno")
    assert "Saved." in one.text
    assert "<b>Benno</b>" in one.text
    assert "desk changed the nickname Ben to Benno." in one.get(f"/events/{event}/history")
    other = browser("judge")
    other.get(found[1])
    assert other.status == 403


def test_a_player_becomes_somebody_whom_the_club_knows_only_after_a_question(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    with desk.writing_sessions.begin() as session:
        other = actions.make_event(session, BY, name="Last week", game="", rules=PairingRules())
        entrants.enter_players(session, BY, other, ["Benno"])
        ben = next(one.id for one in load_event(session, event).entrants if one.name == "Ben")
    one, path = browser("desk"), f"/events/{event}/people/{ben}/name"
    one.get(path)
    one.post(path, nickname="benno")
    assert "Is it Benno who plays here?" in one.text
    assert "<b>Ben</b>" in one.get(f"/events/{event}/people")
    one.get(path)
    one.post(path, nickname="benno")
    one.post(path)  # the question's own button
    assert "<b>Benno</b>" in one.text
    with desk.reading_sessions() as session:
        assert load_event(session, other).entrants[0].player in load_event(session, event).players_seen


def test_who_is_removed_from_an_announced_pod_is_asked_about_first(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    one, pod = browser("desk"), first_pod(desk, event)
    with desk.reading_sessions() as session:
        seats = load_event(session, event).pod(pod)[1].seats
    one.get(f"/pods/{pod}")
    one.post(f"/pods/{pod}/seat", player=str(seats[0].player), down="no")
    assert "The round is announced" in one.text
    with desk.reading_sessions() as session:
        assert load_event(session, event).pod(pod)[1].seats == seats
    one.post(f"/pods/{pod}/seat", player=str(seats[0].player))
    assert one.status == 200
    with desk.reading_sessions() as session:
        assert load_event(session, event).pod(pod)[1].seats == seats[1:]


def test_tables_of_one_name_are_told_apart(browser: Opened, desk: DeskApp) -> None:
    with desk.writing_sessions.begin() as session:
        for slug, name in (("table-1", "table"), ("table-2", "Oak"), ("table-3", "oak"), ("table-4", "Elm")):
            session.add(model.TableRecord(slug=slug, name=name, online=True, seen=wall_time()))
    found = re.findall(r"<h2>(.*?)</h2>", browser("judge").get("/tables"))
    assert found == ["table · table-1", "Oak · table-2", "oak · table-3", "Elm"]


def test_who_goes_to_a_table_and_why_a_result_was_written_are_in_the_history(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    with desk.writing_sessions.begin() as session:
        table = model.TableRecord(slug="table-1", name="Oak", online=True, seen=wall_time())
        session.add(table)
        session.flush()
        session.add(model.CallRecord(table_id=table.id, call="x", received=wall_time()))
    one = browser("judge")
    one.get("/tables")
    one.post("/calls/1")
    assert "Oak: judge is on the way" in one.text
    pod = first_pod(desk, event)
    one.get(f"/pods/{pod}")
    one.post(f"/pods/{pod}/result", how="nobody", reason="the light went out")
    assert "Saved." in one.text
    history = one.get(f"/events/{event}/history")
    assert "judge went to Oak, which wanted a judge." in history
    assert "judge wrote who won: nobody." in history
    assert "the light went out" in history


def test_when_the_tables_result_counts_again_both_lists_say_who_that_is(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    pod = first_pod(desk, event)
    with desk.writing_sessions.begin() as session:
        online(session, "table-1")
        seats = load_event(session, event).pod(pod)[1].seats
        table_says(session, load_event(session, event), pod, [1])
    theirs, ours = (str(escape(seats[place].name)) for place in (1, 2))
    one = browser("desk")
    one.get(f"/pods/{pod}")
    one.post(f"/pods/{pod}/result", how="won", winner=str(seats[2].player), reason="")
    one.get(f"/pods/{pod}")
    assert f"desk: won by {ours}</li>" in one.text
    one.post(f"/pods/{pod}/result", how="table", reason="")
    shown = one.get(f"/pods/{pod}")
    assert f"desk: the table’s own result counts again, won by {theirs}</li>" in shown
    history = one.get(f"/events/{event}/history")
    assert f"desk let the table’s result count again. Winner now: {theirs}. Winner before: {ours}." in history


def test_a_result_that_is_saved_as_it_was_changes_nothing_and_the_page_says_so(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    pod = first_pod(desk, event)
    one = browser("judge")
    for said in ("Saved.", "Nothing was changed."):
        one.get(f"/pods/{pod}")
        assert "Why, for the history (optional)" in one.text
        one.post(f"/pods/{pod}/result", how="nobody", reason="")
        assert said in one.text
    with desk.reading_sessions() as session:
        assert len(load_event(session, event).pod(pod)[1].versions) == 1


def test_a_judge_is_told_only_what_a_judge_can_do_when_a_round_or_the_event_is_over(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    judge = browser("judge")
    with desk.reading_sessions() as session:
        pods = load_event(session, event).rounds[0].pods
    for pod in pods:
        judge.get(f"/pods/{pod.id}")
        judge.post(f"/pods/{pod.id}/result", how="nobody", reason="")
    assert "Round 1 is over. The desk draws the next one" in judge.text
    assert "Round 1 is over. Draw the next one" in browser("desk").get(f"/events/{event}")
    judge.get(f"/pods/{pods[0].id}")
    with desk.writing_sessions.begin() as session:
        actions.end_event(session, BY, event, load_event(session, event).event.revision, over=True)
    won = {"how": "won", "winner": str(pods[0].seats[1].player), "reason": "recounted"}
    judge.post(f"/pods/{pods[0].id}/result", **won)
    assert "it has to be opened again at the desk" in judge.refusal
    assert 'value="recounted"' in judge.text
    with desk.writing_sessions.begin() as session:
        actions.end_event(session, BY, event, load_event(session, event).event.revision, over=False)
    judge.post(f"/pods/{pods[0].id}/result", **won)
    assert "Saved." in judge.text


def test_the_big_screen_has_what_decides_between_equals_and_says_when_it_is_final(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    one = browser("screen")
    shown = one.get(f"/events/{event}/screen")
    assert "<p>Round 1</p>" in shown
    assert ">Opponents</th>" in shown
    with desk.writing_sessions.begin() as session:
        actions.end_event(session, BY, event, load_event(session, event).event.revision, over=True)
    assert "<p>Final standings</p>" in one.get(f"/events/{event}/screen")


def test_who_dropped_out_is_marked_in_the_standings_and_who_is_late_can_play_at_once(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    with desk.writing_sessions.begin() as session:
        ada = next(one for one in load_event(session, event).entrants if one.name == "Ada")
        entrants.set_dropped_out(session, BY, ada.id, ada.revision, gone=True)
    one = browser("desk")
    for path in ("print", "archive.html"):
        assert re.search(r">Ada <small[^>]*>left after round 1</small>", one.get(f"/events/{event}/{path}"))
    assert "they are seated in a pod that has no result yet" in one.get(f"/events/{event}/people")


def test_of_two_who_edit_one_result_the_second_loses_nothing(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    pod = first_pod(desk, event)
    with desk.reading_sessions() as session:
        players = [seat.player for seat in load_event(session, event).pod(pod)[1].seats]
    one, other = browser("desk"), browser("judge")
    one.get(f"/pods/{pod}")
    other.get(f"/pods/{pod}")
    one.post(f"/pods/{pod}/result", how="won", winner=str(players[0]), reason="")
    assert one.status == 200
    other.post(f"/pods/{pod}/result", how="won", winner=str(players[1]), reason="recounted")
    assert other.status == 409
    assert other.refusal.startswith("Somebody else changed this a moment ago")
    assert 'value="recounted"' in other.text
    assert f'value="{players[1]}" checked' in other.text
    assert f'value="{players[0]}" checked' not in other.text
    other.post(f"/pods/{pod}/result", how="won", winner=str(players[1]), reason="recounted")
    assert other.status == 200
    with desk.reading_sessions() as session:
        found = load_event(session, event).pod(pod)[1]
    assert [(one.who, one.winners) for one in found.versions] == [
        ("desk", (players[0],)),
        ("judge", (players[1],)),
    ]
    assert other.get(f"/pods/{pod}").count("<s>") == 1


def test_a_desk_that_was_closed_in_mid_edit_takes_the_form_when_it_is_back(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    pod = first_pod(desk, event)
    one = browser("desk")
    one.get(f"/pods/{pod}")
    again = DeskApp(desk.engine, club=desk.club)
    two = Browser(again, "192.168.1.9")
    two.client.cookies, two.text = one.client.cookies, one.text
    two.post(f"/pods/{pod}/result", how="nobody", reason="")
    assert (two.status, two.refusal) == (200, "")


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_page_has_words_and_no_nickname_becomes_markup(
    browser: Opened, desk: DeskApp, event: int, code: str
) -> None:
    one = browser("desk")
    pod = first_pod(desk, event)
    with hub(desk.engine, "club") as evening:
        evening.say(
            "table-1", "status", encode_payload(Status(online=True, store="ab" * 16, name="<i>One</i>"))
        )
        evening.say("table-1", "call", encode_payload(JudgeCall("c1", "2026-11-25T19:00:00+00:00")))
    seen = 0
    for route in routes(desk):
        if "GET" not in (route.methods or ()) or route.path in {"/live", "/login"} or "." in route.path:
            continue
        path = re.sub(
            r"\{(\w+):int\}", lambda part: str({"event": event, "pod": pod}.get(part[1], 1)), route.path
        )
        text = one.get(path, **{"Accept-Language": code})
        assert one.status == 200, path
        assert f'<html lang="{code}">' in text
        assert KEY.findall(re.sub(r'(name|id|for|value|href|src)="[^"]*"', "", text)) == [], path
        for nasty in ("<script>alert", 'onload="alert(1)"', "<i>One", "Evening <b>"):
            assert nasty not in text, path
        seen += 1
    assert seen >= 18


def test_a_call_is_shown_on_every_page_until_somebody_goes(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    one = browser("judge")
    with hub(desk.engine, "club") as evening:
        evening.say("table-7", "status", encode_payload(Status(online=True, store="ab" * 16, name="Table 7")))
        evening.say("table-7", "call", encode_payload(JudgeCall("c1", "2026-11-25T19:00:00+00:00")))
        evening.say("table-7", "call", encode_payload(JudgeCall("c1", "2026-11-25T19:00:00+00:00")))
    assert one.get(f"/events/{event}").count("Table 7: judge wanted") == 1
    one.post("/calls/1", back=f"/events/{event}")
    assert "judge wanted" not in one.text
    one.text = '<form action="/calls/1"><input type="hidden" name="csrf" value="x"></form>'
    assert "judge wanted" not in browser("screen").get(f"/events/{event}")
    with hub(desk.engine, "club") as evening:
        evening.say("table-7", "call", encode_payload(JudgeCall("c2", "2026-11-25T19:05:00+00:00")))
    text = one.get(f"/events/{event}")
    assert (text.count("judge wanted"), text.count("judge is on the way")) == (1, 0)
    one.post("/calls/2")
    assert one.text.count("judge is on the way") == 1


def test_the_language_that_was_chosen_stays(browser: Opened) -> None:
    one = browser("desk")
    one.get("/tables?lang=fr")
    assert '<html lang="fr">' in one.get("/tables")


def test_standings_and_results_are_csv_without_formulas(browser: Opened, event: int) -> None:
    one = browser("desk")
    rows = list(csv.DictReader(io.StringIO(one.get(f"/events/{event}/standings.csv"))))
    assert {row["name"] for row in rows} == {"Ada", "Ben", "'=1+1", *NASTY} - {"=1+1"}
    results = list(csv.DictReader(io.StringIO(one.get(f"/events/{event}/results.csv"))))
    assert len(results) == 7
    assert {row["won"] for row in results} == {""}


def test_plays_for_bg_stats_have_the_pods_that_are_over(browser: Opened, desk: DeskApp, event: int) -> None:
    one = browser("desk")
    pod = first_pod(desk, event)
    one.get(f"/pods/{pod}")
    one.post(f"/pods/{pod}/result", how="nobody", reason="")
    told = json.loads(one.get(f"/events/{event}/plays.bgsplay"))
    assert len(told["plays"]) == 1
    assert [person["winner"] for person in told["plays"][0]["playerScores"]].count(True) == 0
    assert told["locations"][0]["name"] == "Club & Co"


def test_a_play_has_the_day_on_which_it_was_played_not_that_of_its_correction(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    with desk.writing_sessions.begin() as session:
        session.get_one(model.RoundRecord, 1).announced = "2026-11-20T19:00:00+00:00"
    one, pod = browser("desk"), first_pod(desk, event)
    one.get(f"/pods/{pod}")
    one.post(f"/pods/{pod}/result", how="nobody", reason="")
    told = json.loads(one.get(f"/events/{event}/plays.bgsplay"))
    assert told["plays"][0]["playDate"].startswith("2026-11-20")


def test_the_archive_is_one_file_that_asks_for_nothing(browser: Opened, desk: DeskApp, event: int) -> None:
    one = browser("desk")
    pod = first_pod(desk, event)
    with desk.reading_sessions() as session:
        winner = load_event(session, event).pod(pod)[1].seats[0].player
    for how in ("won", "nobody"):
        one.get(f"/pods/{pod}")
        one.post(f"/pods/{pod}/result", how=how, winner=str(winner), reason="<img src=x>")
    answer = one.client.get(f"/events/{event}/archive.html")
    assert answer.headers["content-disposition"].startswith("attachment")
    text = answer.text
    assert (
        re.findall(r"(?:src|href)\s*=|url\(|@import|<script|<link", text.replace("&lt;img src=x&gt;", ""))
        == []
    )
    assert "<s>desk: won by" in text
    assert "&lt;script&gt;alert(1)" in text


@pytest.mark.parametrize("path", ["/events/99", "/pods/99", "/events/99/print", "/events/99/archive.html"])
def test_what_is_not_there_is_said(browser: Opened, path: str) -> None:
    one = browser("desk")
    one.get(path)
    assert (one.status, one.refusal) == (404, "That isn’t here. Go back and choose again.")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"how": "won"}, "Choose who won"),
        ({"how": ""}, "Choose who won"),
        ({"how": "won", "winner": "x"}, "This page was too old"),
        ({"how": "won", "winner": "9999"}, "Somebody else changed this"),
        ({"how": "nobody", "reason": "x" * 401}, "A reason has at most 400"),
    ],
)
def test_a_result_that_cannot_be_is_refused(
    browser: Opened, desk: DeskApp, event: int, fields: dict[str, str], said: str
) -> None:
    one = browser("judge")
    pod = first_pod(desk, event)
    one.get(f"/pods/{pod}")
    one.post(f"/pods/{pod}/result", **{"reason": "", **fields})
    assert one.refusal.startswith(said)
    with desk.reading_sessions() as session:
        assert load_event(session, event).rounds[0].open_pod_count == 2


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": ""}, "An event needs a name"),
        ({"name": "evening  <B>"}, "There is an event evening <B> that isn’t closed."),
        ({"smallest": "5", "preferred": "4"}, "The best size must be"),
        ({"largest": "9"}, "This page was too old"),
        ({"game": "chess"}, "This page was too old"),
        ({"pairing": "odd"}, "This page was too old"),
    ],
)
def test_an_event_that_cannot_be_is_refused_and_what_was_typed_stays(
    browser: Opened, event: int, fields: dict[str, str], said: str
) -> None:
    one = browser("desk")
    one.get("/")
    typed = {
        "name": "Evening",
        "game": "",
        "smallest": "3",
        "preferred": "4",
        "largest": "6",
        "pairing": "mixed",
    }
    one.post("/", **{**typed, "seed": "my key", **fields})
    assert one.refusal.startswith(said)
    assert 'value="my key"' in one.text


def test_a_form_that_is_too_long_changes_nothing(browser: Opened, event: int) -> None:
    one = browser("desk")
    one.get(f"/events/{event}/people")
    one.post(f"/events/{event}/people", nicknames="x\n" * 100_000)
    assert one.refusal.startswith("This page was too old")
    one.get(f"/events/{event}/people")
    one.post(f"/events/{event}/people", nicknames="x" * 41)
    assert one.refusal == "Line 1 is too long: a nickname has at most 40 characters."
    assert "x" * 41 in one.text


def test_a_database_that_is_away_is_said(browser: Opened, desk: DeskApp) -> None:
    one = browser("desk")

    def refuse(*_: object) -> None:
        raise OperationalError("BEGIN", None, Exception("away"))

    listen(desk.engine, "begin", refuse)
    one.get("/tables")
    assert (one.status, one.text.count("The database doesn’t answer")) == (503, 1)
    remove(desk.engine, "begin", refuse)
    one.get("/tables")
    assert one.status == 200


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ("ui.club.clash", "Another table has this name: change club.table in the settings."),
        ("ui.club.clock", "This table&#39;s clock is wrong"),
        ("ui.club.of_a_newer_table", "Something is wrong at this table"),
        ("ui.club.<b>", "Free"),
    ],
)
def test_what_is_wrong_at_a_table_is_on_the_page_of_tables(
    browser: Opened, desk: DeskApp, trouble: str, told: str
) -> None:
    with hub(desk.engine) as evening:
        evening.say(
            "one",
            "status",
            encode_payload(Status(online=True, name="Window", at=wall_time(), trouble=trouble)),
        )
    for code in LANGUAGES:
        text = browser("desk").get(f"/tables?lang={code}")
        assert not KEY.findall(text[text.index("<main") :].replace("club.table", ""))
        if code == "en":
            assert told in text.replace("’", "&#39;")


def test_a_round_that_is_not_announced_is_not_on_a_screens_pages(browser: Opened, desk: DeskApp) -> None:
    with desk.writing_sessions.begin() as session:
        event = actions.make_event(session, BY, name="Evening", game="", rules=PairingRules())
        entrants.enter_players(session, BY, event, ["Ada", "Ben", "Cleo"])
        actions.draw_round(session, BY, event, 0)
    for path in (f"/events/{event}", f"/events/{event}/screen", f"/events/{event}/print"):
        assert "Pod 1" not in browser("screen").get(path)
    assert "Pod 1" in browser("judge").get(f"/events/{event}")


def test_a_page_that_was_refused_can_be_asked_for_again(browser: Opened, desk: DeskApp, event: int) -> None:
    one = browser("judge")
    pod = first_pod(desk, event)
    one.get(f"/pods/{pod}")
    one.post(f"/pods/{pod}/result", how="", reason="")
    assert one.status == 409
    assert "Who won?" in one.get(f"/pods/{pod}/result?lang=en")
    assert (one.status, one.refusal) == (200, "")


def test_everything_that_a_style_of_the_desk_names_is_served(browser: Opened) -> None:
    one, files = browser(), load_static_files()
    styles = [file.body.decode() for path, file in files.items() if path.endswith(".css")]
    named = {path for text in styles for path in re.findall(r'url\("(/[^"]+)"\)', text)}
    assert named
    for path in named:
        one.get(path)
        assert one.status == 200, path
