"""What Home Assistant is told: by its documented schema, with its templates, through a real broker."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import jinja2
import jsonschema
import pytest

from companion.core.actions import Outcome
from companion.core.view import Sentence
from companion.home.home_assistant import BIRTH_TOPIC, EVENTS, HomeAssistantDevice
from companion.language.language import Language
from companion.network import uplink_messages as ms
from companion.network.messages import CountBeat, CountWindow, PublicChair, TableSnapshot
from companion.network.uplink_messages import JudgeCall
from tests.home.played import GAME
from tests.home.servers import Broker
from tests.home.uplinked_tables import Listener, Said, Table, offline, uplinked

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "home_assistant.json").read_text(encoding="utf-8"))
STORE = "5" * 32
VIEW = TableSnapshot(
    seq=4,
    game=GAME,
    colours=("red", "blue", "green"),
    headline=Sentence("ui.paused"),
    people=(PublicChair(0, 1), PublicChair(1, 1, asked=True), PublicChair(2, 1, asked=True)),
    counting=CountWindow(1, 3),
)


def home(language: str = "en") -> HomeAssistantDevice:
    return HomeAssistantDevice(
        "home", "table", STORE, ms.UplinkHello("r", "Kitchen", "0.1.0"), Language(language)
    )


def rendered(template: str, payload: bytes) -> str:
    """A template as Home Assistant renders it."""
    return jinja2.Environment(autoescape=False).from_string(template).render(value_json=json.loads(payload))


def states(config: dict[str, Any], payload: bytes) -> dict[str, str]:
    """Every sensor's state of one message."""
    return {
        name: rendered(one["value_template"], payload)
        for name, one in config["components"].items()
        if "value_template" in one
    }


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_device_is_described_as_home_assistant_documents_it(language: str) -> None:
    config = home(language).discovery_payload()
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    validator.validate(config)
    ids = [one["unique_id"] for one in config["components"].values()]
    assert len(set(ids)) == len(ids)
    assert not [one["name"] for one in config["components"].values() if one["name"].startswith("ui.")]


@pytest.mark.parametrize(
    "wrong", [{"device": {}}, {"origin": None}, {"components": {"x": {"platform": "sensr"}}}]
)
def test_the_schema_finds_what_home_assistant_would_refuse(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate({**home().discovery_payload(), **wrong})


def test_the_sensors_say_what_everybody_sees() -> None:
    one = home()
    (said,) = one.on_view(VIEW)
    assert said.retain
    assert states(one.discovery_payload(), said.payload) == {
        "game": "Kobayakawa",
        "headline": Language("en").tr("ui.paused"),
        "asked": "Blue, Green",
        "players": "3",
        "winner": "none",
        "counting": "ON",
        "paused": "OFF",
        "judge": "OFF",
    }
    assert one.on_view(VIEW) == [], "the same is not said twice"
    (said,) = one.on_view(TableSnapshot(seq=5, game=GAME, colours=VIEW.colours, outcome=Outcome("won", (1,))))
    assert states(one.discovery_payload(), said.payload)["winner"] == "Blue"
    (said,) = one.on_view(TableSnapshot())
    assert states(one.discovery_payload(), said.payload)["winner"] == "Blue", "the last winner stays"


def test_a_count_is_told_once_at_its_first_beat() -> None:
    one = home()
    said = [message for beat in (1, 2, 3) for message in one.on_count(CountBeat(beat, 3, 7))]
    assert [json.loads(message.payload) for message in said] == [
        {"event_type": "count", "beats": 3, "number": 7, "start_ms": 0}
    ]
    assert not said[0].retain, "a retained event is ignored"


def test_a_game_begins_ends_and_goes_on_after_all() -> None:
    one = home()
    told = [
        ms.CurrentGame(),
        ms.CurrentGame(1, GAME, 3),
        ms.CurrentGame(1, GAME, 9, True),
        ms.CurrentGame(1, GAME, 10),
    ]
    events = [json.loads(said.payload)["event_type"] for playing in told for said in one.on_playing(playing)]
    assert events == ["game_begun", "game_over", "win_taken_back"]
    assert home().on_playing(ms.CurrentGame(1, GAME, 9, True)) == [], "a game that was over before is no news"


def test_a_call_for_a_judge_is_a_state_and_an_event() -> None:
    one = home()
    call = JudgeCall("c", "2026-11-25T20:00:00+00:00")
    state, event = one.on_judge_call(call)
    assert states(one.discovery_payload(), state.payload)["judge"] == "ON"
    assert json.loads(event.payload) == {"event_type": "judge_called"}
    assert one.on_judge_call(call) == []
    assert json.loads(one.on_judge_call(None)[1].payload) == {"event_type": "judge_not_needed"}


def test_every_event_has_an_entity_that_knows_it() -> None:
    config = home().discovery_payload()["components"]
    for name, types in EVENTS.items():
        entity = config[f"event_{name}"]
        assert entity["event_types"] == list(types)
        assert entity["state_topic"].endswith(f"/event/{name}")


def test_the_lamps_of_the_docs_use_what_is_published(checkout: Path) -> None:
    """The automation in docs/home-assistant.md: its entity, its event and its attributes exist."""
    text = (checkout / "docs" / "home-assistant.md").read_text(encoding="utf-8")
    for wanted in ("event_type", "'count'", "beats"):
        assert wanted in text
    for template in (one for one in text.split("`") if one.startswith("{{") and one.endswith("}}")):
        jinja2.Environment(autoescape=False).from_string(template)


def is_config(said: Said) -> bool:
    return said.topic.startswith("homeassistant/device/") and said.topic.endswith("/config")


def test_it_is_found_without_a_hub_and_again_when_home_assistant_starts(
    own: Broker, tmp_path: Path, stack: ExitStack
) -> None:
    table = Table(tmp_path / "table", own, club__home_assistant="true", table__language="de")
    stack.callback(table.close)
    listener = Listener(own.port)
    stack.callback(listener.close)
    with uplinked(table):
        heard = listener.until(is_config)
        config = json.loads(heard[-1].payload)
        jsonschema.Draft202012Validator(SCHEMA).validate(config)
        status = next(one for one in heard if one.kind == "status")
        template = config["availability"][0]["value_template"]
        assert config["availability"][0]["topic"] == status.topic
        assert rendered(template, status.payload) == "online"
        table.door.broadcast(VIEW)
        state = config["components"]["asked"]["state_topic"]
        shown = listener.until(lambda said: said.topic == state and b'"players":3' in said.payload)[-1]
        assert states(config, shown.payload)["asked"] == "Blau, Grün"
        table.door.broadcast(CountBeat(1, 3, 7))
        event = config["components"]["event_count"]["state_topic"]
        assert json.loads(listener.until(lambda said: said.topic == event)[-1].payload)["beats"] == 3
        listener.publish(BIRTH_TOPIC, b"online")
        listener.until(is_config)
    gone = listener.until(offline)[-1]
    assert rendered(template, gone.payload) == "offline"
    late = Listener(own.port, name="late")
    stack.callback(late.close)
    kept = late.until(is_config)
    assert event not in {one.topic for one in kept}, "an event is not retained"


def test_switched_off_the_device_is_taken_out_again(own: Broker, tmp_path: Path, stack: ExitStack) -> None:
    table = Table(tmp_path / "table", own, club__home_assistant="true")
    stack.callback(table.close)
    listener = Listener(own.port)
    stack.callback(listener.close)
    with uplinked(table):
        listener.until(is_config)
    without = Table(tmp_path / "table", own)
    stack.callback(without.close)
    with uplinked(without):
        assert listener.until(lambda said: is_config(said) and not said.payload)
