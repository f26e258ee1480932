"""The pages as browsers ask for them, the live connection, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from companion.core.view import PlaceView, Sentence, Token
from companion.language.language import Language
from companion.network.messages import (
    BrowserProblem,
    ChoiceLabel,
    CountBeat,
    CountWindow,
    PublicChair,
    RulingMessage,
    TableHello,
    TableSnapshot,
)
from companion.network.web import static_files
from companion.network.web.audience import MAX_QUEUED_MESSAGES, MAX_WATCHERS, Audience, to_json
from companion.network.web.guard import MAX_WRONG_PER_ADDRESS, PagePin
from companion.network.web.web_app import CLOSED_FULL, CLOSED_WRONG, build_web_app
from companion.ui.toolkit.sprites import OUTLINES

PORT = 8420
OURS = f"http://192.168.1.5:{PORT}"
LIVE = OURS.replace("http", "ws") + "/live"
ASSETS = static_files.page_folder()
NEEDS_A_SECURE_CONTEXT = (
    *("wakeLock", "serviceWorker", "crypto.subtle", "randomUUID", "clipboard", "navigator.locks"),
    *("getUserMedia", "caches."),
)
TABLE = TableSnapshot(
    seq=7,
    game="kinapa",
    colours=("red", "blue"),
    headline=Sentence("kinapa.phase.asking", (("chair", 1), ("number", 4))),
    people=(
        PublicChair(0, 4, (Token("sheep"),)),
        PublicChair(1, 1, asked=True, choices=(ChoiceLabel(Sentence("kinapa.do.has"), "tap"),)),
    ),
    places=(PlaceView("slot:1", "back:blue"), PlaceView("slot:2", "object:7-8", ("animal:7",))),
    counting=CountWindow(7, 3),
)


@pytest.fixture
def pins() -> PagePin:
    return PagePin(lambda: 0)


@pytest.fixture
def audience() -> Audience:
    return Audience(static_files.find_pictures())


@pytest.fixture
def browser(audience: Audience, pins: PagePin) -> Callable[..., TestClient]:
    def opened(peer: str = "192.168.1.9", base: str = OURS) -> TestClient:
        app = build_web_app(audience, now=lambda: 0, port=PORT, pins=pins)
        return TestClient(app, base_url=base, client=(peer, 50_000))

    return opened


@contextmanager
def watching(client: TestClient, pin: str, lang: str = "en") -> Iterator[WebSocketTestSession]:
    with client.websocket_connect(LIVE, headers={"origin": OURS}) as session:
        session.send_text(json.dumps({"type": "watch", "pin": pin, "lang": lang}))
        yield session


# Pages ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepted", "code"),
    [
        ("de-CH,de;q=0.9,en;q=0.8", "de"),
        ("fr", "fr"),
        ("pl,es", "en"),
        ("en;q=0.1,fr;q=0.2", "fr"),
        ("", "en"),
    ],
)
def test_a_page_is_in_the_browsers_language(
    browser: Callable[..., TestClient], accepted: str, code: str
) -> None:
    for path in static_files.PAGES:
        answer = browser().get(path, headers={"accept-language": accepted})
        assert answer.status_code == 200
        assert f'<html lang="{code}">' in answer.text
        assert "{{" not in answer.text
        assert not re.search(r"\bui\.page", answer.text)


def test_whoever_asks_for_a_language_gets_it(browser: Callable[..., TestClient]) -> None:
    assert 'lang="fr"' in browser().get("/watch?lang=fr", headers={"accept-language": "de"}).text
    assert 'lang="de"' in browser().get("/watch?lang=../x", headers={"accept-language": "de"}).text


def test_every_page_has_its_policy_and_nothing_is_loaded_from_elsewhere(
    browser: Callable[..., TestClient],
) -> None:
    for path in (*static_files.PAGES, *static_files.load_static_files(), "/art/animal:7", "/nothing"):
        answer = browser().get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert f"connect-src 'self' ws://192.168.1.5:{PORT};" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers
        assert "server" not in answer.headers


def test_nothing_in_the_files_asks_elsewhere_or_needs_a_secure_context() -> None:
    for file in ASSETS.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]|@import|cookie|localStorage|innerHTML|eval\(", text), file
        for name in NEEDS_A_SECURE_CONTEXT:
            if (file.name, name) != ("awake.js", "wakeLock"):  # which says what to do where there is none
                assert name not in text, (file, name)
        assert not re.search(r"<[^>]*\s(style|on[a-z]+)=", text), f"{file}: the policy forbids it"


def test_a_browser_without_modules_or_scripts_is_told_so_on_every_page_for_people() -> None:
    for (path, code), page in static_files.load_pages().items():
        told = re.escape(escape(Language(code).tr("ui.page.old")))
        assert '<script nomodule src="/old.js"></script>' in page, path
        assert re.search(rf'id="old"[^>]* hidden>{told}', page), path
        assert re.search(rf"<noscript>.*{told}.*</noscript>", page), path


@pytest.mark.parametrize("file", sorted(ASSETS.glob("*.js")), ids=lambda file: file.name)
def test_the_scripts_run_in_the_first_browsers_with_modules(file: Path) -> None:
    """Chromium 61, Firefox 60, Safari 11 fall silently over what came later."""
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"\?\?|\?\.[\[(a-zA-Z]|(?<!\.)\.at\(|\.replaceAll|structuredClone|#[a-z]+\s*=", text)


def test_a_page_names_its_table_by_its_own_name_or_by_the_end_of_its_address(
    browser: Callable[..., TestClient], audience: Audience
) -> None:
    assert "· Table 5</title>" in browser().get("/").text
    audience.handle_message(TableHello("run", "Kitchen & <b>"))
    audience.handle_message(None)
    for path in static_files.PAGES:
        answer = browser().get(path)
        assert "· Kitchen &amp; &lt;b&gt;</title>" in answer.text, path
        assert not re.search(r"\{(?!name\}|seconds\}|6\})", answer.text), path
    assert browser().get("/", headers={"if-none-match": answer.headers["etag"]}).status_code == 200


def test_what_phones_and_watchers_load_is_less_than_100_kb() -> None:
    files = static_files.load_static_files().items()
    theirs = [one for name, one in files if not name.startswith(("/owner", "/overlay"))]
    assert sum(len(one.body) for one in theirs) < 100_000
    assert all(len(one) < 10_000 for one in static_files.load_pages().values())


def test_a_file_that_is_known_is_not_sent_again(browser: Callable[..., TestClient]) -> None:
    first = browser().get("/watch.js")
    again = browser().get("/watch.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/art/..%2f..%2fpyproject.toml",
        "/art/%2e%2e/tokens.json",
        "/../../etc/passwd",
        "/art/kinapa.deck",
        "/art/",
        "/watch.html",
        "/page/watch.js",
        "/x" * 200,
    ],
)
def test_no_path_leads_out_of_what_is_served(browser: Callable[..., TestClient], path: str) -> None:
    answer = browser().get(path)
    assert answer.status_code in {403, 404}
    assert b"root:" not in answer.content


def test_pictures_are_those_of_the_decks(browser: Callable[..., TestClient]) -> None:
    assert browser().get("/art/animal:7").headers["content-type"] == "image/jpeg"
    assert browser().get("/art/crown").headers["content-type"] == "image/png"
    for sign in (*(f"die:{face}" for face in range(1, 7)), "cup", "heart"):
        assert browser().get(f"/art/{sign}").headers["content-type"] == "image/svg+xml", "no deck has it"
    assert browser().get("/art/animal:99").status_code == 404


def test_only_get_is_answered(browser: Callable[..., TestClient]) -> None:
    assert {browser().request(way, "/").status_code for way in ("POST", "PUT", "DELETE")} == {405}


@pytest.mark.parametrize(
    ("peer", "base"),
    [
        ("93.184.216.34", OURS),
        ("192.168.1.9", f"http://table.example:{PORT}"),
        ("192.168.1.9", "http://192.168.1.5:80"),
    ],
)
def test_from_afar_or_by_another_name_nothing_is_answered(
    browser: Callable[..., TestClient], peer: str, base: str
) -> None:
    answer = browser(peer, base).get("/")
    assert answer.status_code == 403
    assert "<html" not in answer.text


def test_the_shapes_of_the_chairs_are_those_of_the_screen() -> None:
    text = (ASSETS / "draw.js").read_text(encoding="utf-8")
    drawn = {
        name: [tuple(map(float, corner.split(","))) for corner in points.split()]
        for name, points in re.findall(r'^  ([a-z]+): "([^"]+)",$', text, flags=re.MULTILINE)
    }
    assert drawn.keys() == OUTLINES.keys()
    for name, outline in OUTLINES.items():
        for corner, ours in zip(drawn[name], outline(), strict=True):
            assert corner == pytest.approx(ours, abs=0.006), name


# The live connection ----------------------------------------------------------------------------------------


def test_a_watcher_is_told_what_stands_in_its_own_language(
    browser: Callable[..., TestClient], audience: Audience, pins: PagePin
) -> None:
    audience.handle_message(TableHello("run"))
    audience.handle_message(TABLE)
    audience.handle_message(RulingMessage(7, TABLE.headline or Sentence("x")))
    with browser() as client, watching(client, pins.pin, "de") as german:
        table = json.loads(german.receive_text())
        assert (table["type"], table["seq"], table["game"]) == ("table", 7, "Kinapa")
        assert [person["name"] for person in table["people"]] == ["Rot", "Blau"]
        assert table["people"][1]["asked"]
        assert table["people"][0]["shape"] == "circle"
        assert table["places"][0]["card"] == {"art": "/art/back:blue", "label": "", "back": True, "turned": 0}
        assert table["places"][1]["on_top"][0]["art"] == "/art/animal:7"
        assert table["counting"] == {"number": 7, "beats": 3}


def test_without_the_pin_nothing_is_told(
    browser: Callable[..., TestClient], audience: Audience, pins: PagePin
) -> None:
    audience.handle_message(TableHello("run"))
    audience.handle_message(TABLE)
    wrong = f"{(int(pins.pin) + 1) % 1_000_000:06}"
    with browser() as client:
        for expected in (*["wrong"] * MAX_WRONG_PER_ADDRESS, "rest"):
            with watching(client, wrong) as session:
                assert json.loads(session.receive_text())["why"] == expected
                with pytest.raises(WebSocketDisconnect) as closed:
                    session.receive_text()
            assert closed.value.code == CLOSED_WRONG


@pytest.mark.parametrize("origin", ["http://evil.example", "null", ""])
def test_another_sites_script_cannot_watch(
    browser: Callable[..., TestClient], pins: PagePin, origin: str
) -> None:
    with browser() as client, pytest.raises(WebSocketDisconnect):
        client.websocket_connect(LIVE, headers={"origin": origin}).__enter__()


@pytest.mark.parametrize(
    "said",
    [
        "garbage",
        "{}",
        '{"type":"watch"}',
        '{"type":"watch","pin":"1","more":2}',
        '{"type":"press","phone":"p","offer":1}',
        "[" * 4_000,
    ],
)
def test_what_is_no_wish_to_watch_ends_the_connection(browser: Callable[..., TestClient], said: str) -> None:
    with browser() as client, client.websocket_connect(LIVE, headers={"origin": OURS}) as session:
        session.send_text(said)
        with pytest.raises(WebSocketDisconnect):
            session.receive_text()


def test_when_it_is_full_the_next_one_is_told_so(
    browser: Callable[..., TestClient], audience: Audience, pins: PagePin
) -> None:
    for _ in range(MAX_WATCHERS):
        audience.add_watcher("en")
    told: list[object] = []
    audience.remarks.send = lambda said: not told.append(said)
    with browser() as client, watching(client, pins.pin) as session:
        assert json.loads(session.receive_text())["why"] == "full"
        assert told == [BrowserProblem("crowd")], "and so is the table"
        with pytest.raises(WebSocketDisconnect) as closed:
            session.receive_text()
        assert closed.value.code == CLOSED_FULL


# Between table and browsers ---------------------------------------------------------------------------------


def kept(watcher: Any) -> list[Any]:
    found = []
    while not watcher.waiting.empty():
        found.append(json.loads(watcher.waiting.get_nowait()))
    return found


def test_lines_and_beats_are_told_once_and_not_to_whoever_comes_later(audience: Audience) -> None:
    first = audience.add_watcher("en")
    audience.handle_message(TableHello("run"))
    audience.handle_message(TABLE)
    audience.handle_message(RulingMessage(7, Sentence("kabuki.StopCalled", (("chair", 1),))))
    audience.handle_message(CountBeat(1, 3, 7))
    assert [one["type"] for one in kept(first)] == ["away", "table", "line", "count"]
    assert [one["type"] for one in kept(audience.add_watcher("en"))] == ["table"]


def test_a_table_that_goes_is_told_and_nothing_of_it_stands_any_more(audience: Audience) -> None:
    audience.handle_message(TableHello("run"))
    audience.handle_message(TABLE)
    watcher = audience.add_watcher("fr")
    kept(watcher)
    audience.handle_message(None)
    assert [one["type"] for one in kept(watcher)] == ["away"]
    assert [one["type"] for one in kept(audience.add_watcher("en"))] == ["away"]
    audience.handle_message(TableHello("another run"))
    audience.handle_message(TableSnapshot())
    assert [one["headline"] for one in kept(watcher)] == ["Aucune partie en cours."]


def test_a_browser_that_does_not_keep_up_is_let_go(audience: Audience) -> None:
    audience.handle_message(TableHello("run"))
    slow, quick = audience.add_watcher("en"), audience.add_watcher("en")
    for _ in range(MAX_QUEUED_MESSAGES + 1):
        audience.handle_message(TABLE)
        kept(quick)
    assert slow.slow.is_set()
    assert not quick.slow.is_set()


def test_every_game_is_told_in_words_at_every_step(played_views: list[TableSnapshot]) -> None:
    """No key and no gap reaches a browser, and every picture it is told of is there."""
    audience = Audience(static_files.find_pictures())
    audience.handle_message(TableHello("run"))
    watchers = [audience.add_watcher(code) for code in ("en", "de", "fr")]
    served = {f"/art/{name}" for name in static_files.find_pictures()}
    for view in played_views:
        audience.handle_message(view)
        for watcher in watchers:
            for table in kept(watcher):
                text = json.dumps(table, ensure_ascii=False)
                assert not re.search(r'"(ui|shared|kinapa|kabuki|kobayakawa|dnup)\.[a-zA-Z]', text), text
                assert set(re.findall(r'"(/art/[^"]+)"', text)) <= served


@pytest.fixture(scope="module")
def played_views() -> list[TableSnapshot]:
    """Every view of a whole game of each kind, as the table tells them."""
    import random

    from companion.core.actions import Setup
    from companion.games import RULES
    from companion.simulation.game_simulation import GameSimulation, random_styles
    from companion.table.remote.public_view import to_view_message

    found = []
    for rules in RULES.values():
        setup = Setup(tuple(range(4)), rules.options())
        simulation = GameSimulation(rules, setup, seed=5, styles=random_styles(4, random.Random(5)))
        simulation.run()
        referee = simulation.referee
        entries = len(referee.journal.entries)
        for seq in range(0, entries, max(1, entries // 60)):
            view = rules.view(referee.state_before(seq))
            found.append(to_view_message(view, seq=seq, colours=("red", "blue", "green", "yellow")))
        found.append(
            to_view_message(
                rules.view(referee.state), seq=entries, colours=("red", "blue", "green", "yellow")
            )
        )
    return found


@pytest.mark.parametrize(
    ("key", "language", "said"),
    [
        ("locked", "en", "Another program blocks saving: close it."),
        ("full", "en", "Storage full: not saving right now."),
        ("lost", "de", "Speicher weg: Gerade wird nicht gespeichert."),
    ],
)
def test_a_page_says_why_nothing_is_saved_in_the_words_of_the_screen(
    key: str, language: str, said: str
) -> None:
    view = TableSnapshot(
        seq=1, game="kinapa", unsaved=True, why_unsaved=Sentence(f"shared.alarm.storage.{key}")
    )
    told = to_json(view, Language(language), ())
    assert told is not None
    assert json.loads(told)["unsaved"] == said
