"""Home Assistant discovery, sensor states and events of a table.

For Home Assistant 2024.12 or newer, the first with device discovery: one retained message describes the whole
device, and is said again when Home Assistant says that it was started. Sensors read one retained topic; an
event is not retained, for a retained one would be ignored, and has its `event_type` in the JSON.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import msgspec

from companion.core.view import Sentence
from companion.home.topics import ROOT
from companion.network import uplink_messages as ms
from companion.network.messages import CountBeat, TableSnapshot
from companion.network.uplink_messages import JudgeCall

PREFIX = "homeassistant"
BIRTH_TOPIC = f"{PREFIX}/status"
"""Where Home Assistant says that it was started."""
STATE_TOPIC, EVENT_TOPIC = "home", "event"
"""The last part of the topics that sensors read, and that events are sent to."""
NO_VALUE = "none"
"""What a sensor says that has nothing to say: an empty state would be unknown."""
MAX_STATE_LENGTH = 255
"""Letters of a state."""


SENSORS: Mapping[str, str] = {
    "game": "mdi:cards",
    "headline": "mdi:message-text-outline",
    "asked": "mdi:account-question",
    "players": "mdi:account-group",
    "winner": "mdi:trophy",
}
BINARY_SENSORS: Mapping[str, str] = {
    "counting": "mdi:timer-sand",
    "paused": "mdi:pause",
    "judge": "mdi:hand-back-left",
}
EVENTS: Mapping[str, tuple[str, ...]] = {
    "count": ("count",),
    "play": ("game_begun", "game_over", "win_taken_back"),
    "judge": ("judge_called", "judge_not_needed"),
}
"""Each event entity, and what it can tell."""


class HomeMessage(NamedTuple):
    """One message."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False


class WordSource(Protocol):
    """A language; `companion.language.language.Language`."""

    def text(self, sentence: Sentence, names: Mapping[int, str] | None = None) -> str: ...

    def tr(self, key: str, **parts: str | int) -> str: ...

    def __contains__(self, key: object) -> bool: ...


class HomeState(msgspec.Struct, frozen=True):
    """What the sensors read."""

    game: str = NO_VALUE
    """In words."""
    asked: str = NO_VALUE
    """Colours of the chairs that are asked for something, clockwise, with commas."""
    headline: str = NO_VALUE
    players: int = 0
    counting: bool = False
    paused: bool = False
    judge: bool = False
    winner: str = NO_VALUE
    """As `asked`, of the last game that was over."""


class HomeAssistantDevice:
    """The device as Home Assistant has it."""

    subscriptions = (BIRTH_TOPIC,)

    def __init__(self, name: str, table: str, store: str, welcome: ms.UplinkHello, words: WordSource) -> None:
        """`name` and `table` are those of the topics."""
        self._id = f"companion_{store}"
        self._topic = f"{ROOT}/{name}/{table}"
        self._welcome = welcome
        self._words = words
        self._state = HomeState()
        self._playing = ms.CurrentGame()

    def initial_messages(self) -> list[HomeMessage]:
        """The device and how it stands: for a new connection, and for a Home Assistant that was started."""
        return [
            HomeMessage(self.config_topic, msgspec.json.encode(self.discovery_payload()), 1, retain=True),
            self._state_message(),
        ]

    @property
    def config_topic(self) -> str:
        return f"{PREFIX}/device/{self._id}/config"

    def on_view(self, view: TableSnapshot) -> list[HomeMessage]:
        """The public table changed."""
        words, colours = self._words, view.colours
        people = [person.chair for person in view.people]
        asked = [person.chair for person in view.people if person.asked]
        outcome = view.outcome
        state = HomeState(
            game=self._game(view.game),
            asked=self._colours(asked, colours),
            headline=NO_VALUE if view.headline is None else words.text(view.headline)[:MAX_STATE_LENGTH],
            players=len(people),
            counting=view.counting is not None,
            paused=view.paused,
            judge=self._state.judge,
            winner=self._state.winner if outcome is None else self._colours(outcome.winners, colours),
        )
        return self._state_messages(state)

    def on_playing(self, playing: ms.CurrentGame) -> list[HomeMessage]:
        """A stored game began, is over, or goes on after all."""
        before, self._playing = self._playing, playing
        same = playing.number == before.number
        if not playing.number or (same and playing.over == before.over):
            return []
        if playing.over:
            return [self._event("game_over", game=playing.game)] if same else []
        return [self._event("win_taken_back" if same else "game_begun", game=playing.game)]

    def on_count(self, count: CountBeat) -> list[HomeMessage]:
        """A count is sent once, at its first beat: lamps follow it by themselves, a beat a second."""
        if count.beat != 1:
            return []
        return [self._event("count", beats=count.beats, number=count.number, start_ms=0)]

    def on_judge_call(self, call: JudgeCall | None) -> list[HomeMessage]:
        """A judge is wanted, or no more."""
        wanted = call is not None and not call.taken_back
        if wanted == self._state.judge:
            return []
        event = self._event("judge_called" if wanted else "judge_not_needed")
        return [*self._state_messages(msgspec.structs.replace(self._state, judge=wanted)), event]

    def discovery_payload(self) -> dict[str, Any]:
        """The discovery message of the whole device."""
        return {
            "device": {
                "identifiers": [self._id],
                "name": self._welcome.name,
                "manufacturer": "table companion",
                "model": self._words.tr("ui.home_assistant.model"),
                "sw_version": self._welcome.program,
            },
            "origin": {"name": "table companion", "sw_version": self._welcome.program},
            "availability": [
                {
                    "topic": f"{self._topic}/status",
                    "value_template": "{{ 'online' if value_json.online else 'offline' }}",
                }
            ],
            "components": {
                **{name: self._sensor(name, icon) for name, icon in SENSORS.items()},
                **{name: self._binary(name, kind) for name, kind in BINARY_SENSORS.items()},
                **{f"event_{name}": self._events(name, types) for name, types in EVENTS.items()},
            },
        }

    def _sensor(self, name: str, icon: str) -> dict[str, Any]:
        more = {"state_class": "measurement"} if name == "players" else {}
        return {
            **self._component("sensor", name, icon),
            **self._reads(f"{{{{ value_json.{name} }}}}"),
            **more,
        }

    def _binary(self, name: str, icon: str) -> dict[str, Any]:
        template = f"{{{{ 'ON' if value_json.{name} else 'OFF' }}}}"
        return {**self._component("binary_sensor", name, icon), **self._reads(template)}

    def _events(self, name: str, types: tuple[str, ...]) -> dict[str, Any]:
        # Each entity hears of its own events alone; another type would be logged as an error.
        own = f"{self._topic}/{EVENT_TOPIC}/{name}"
        return {
            **self._component("event", f"event_{name}", "mdi:bell-outline"),
            "state_topic": own,
            "event_types": list(types),
        }

    def _component(self, platform: str, name: str, icon: str) -> dict[str, Any]:
        return {
            "platform": platform,
            "unique_id": f"{self._id}_{name}",
            "name": self._words.tr(f"ui.home_assistant.{name}"),
            "icon": icon,
        }

    def _reads(self, template: str) -> dict[str, str]:
        return {"state_topic": f"{self._topic}/{STATE_TOPIC}", "value_template": template}

    def _event(self, kind: str, **more: str | int) -> HomeMessage:
        (name,) = (name for name, types in EVENTS.items() if kind in types)
        return HomeMessage(
            f"{self._topic}/{EVENT_TOPIC}/{name}", msgspec.json.encode({"event_type": kind, **more})
        )

    def _state_messages(self, state: HomeState) -> list[HomeMessage]:
        if state == self._state:
            return []
        self._state = state
        return [self._state_message()]

    def _state_message(self) -> HomeMessage:
        return HomeMessage(f"{self._topic}/{STATE_TOPIC}", msgspec.json.encode(self._state), retain=True)

    def _game(self, game: str) -> str:
        key = f"{game}.name"
        return NO_VALUE if not game else self._words.tr(key) if key in self._words else game

    def _colours(self, chairs: Any, colours: tuple[str, ...]) -> str:
        named = [self._words.tr(f"ui.colour.{colours[chair]}") for chair in chairs if chair < len(colours)]
        return ", ".join(named) or NO_VALUE
