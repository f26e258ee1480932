"""A table that has no store: it tells recorded games, and tells them again when it is asked."""

from __future__ import annotations

from threading import Lock
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from club.tests.hub.evening import Recorded, status
from companion.core.clock import wall_time
from companion_club.messages import JudgeCall, ResendRequest, decode_payload, encode_payload, make_topic


class RecordedTable:
    """One MQTT client that says what an uplink says. paho sends again what was not acknowledged."""

    def __init__(self, slug: str, store: str, port: int, club: str = "club") -> None:
        self.slug, self.store, self._club = slug, store, club
        self.told: dict[str, Recorded] = {}
        """The games that it has played, by their keys."""
        self._held = Lock()
        client = Client(CallbackAPIVersion.VERSION2, client_id=store, protocol=MQTTProtocolVersion.MQTTv5)
        client.reconnect_delay_set(1, 4)
        client.max_inflight_messages_set(20)
        client.on_connect = self._on_connect
        client.on_message = self._on_message
        client.will_set(make_topic(club, slug, "status"), status(store, online=False), qos=1, retain=True)
        kept = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        kept.SessionExpiryInterval = 3600
        client.connect_async("127.0.0.1", port, keepalive=30, clean_start=False, properties=kept)
        self.client = client

    def start(self) -> None:
        self.client.loop_start()

    def play(self, key: str, game: Recorded) -> str:
        """A game is over; its id."""
        with self._held:
            self.told[key] = game
        told = self._tell(key, game, 0)
        self.tell_status()
        return told

    def call(self, call: str) -> None:
        """A judge is wanted."""
        self._say("call", encode_payload(JudgeCall(call, wall_time())))

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    def _tell(self, key: str, game: Recorded, first: int) -> str:
        result = game.result(self.store, key)
        self._say("result", encode_payload(result), retain=True)
        for piece in game.pieces(result.game_id):
            if piece.first + len(piece.lines) > first:
                self._say("entries", encode_payload(piece))
        return result.game_id

    def tell_status(self) -> None:
        """How it is, and how much it has told."""
        with self._held:
            games = list(self.told.values())
        entries = sum(len(game.lines) - 1 for game in games)
        self._say("status", status(self.store, results=len(games), entries=entries), retain=True)

    def _say(self, kind: str, payload: bytes, *, retain: bool = False) -> None:
        self.client.publish(make_topic(self._club, self.slug, kind), payload, qos=1, retain=retain)

    def _on_connect(self, client: Client, _user: Any, _flags: Any, reason: Any, _more: Any) -> None:
        if not reason.is_failure:
            client.subscribe(make_topic(self._club, self.slug, "ask"), qos=1)
            self.tell_status()

    def _on_message(self, _client: Client, _user: Any, message: MQTTMessage) -> None:
        ask: ResendRequest = decode_payload("ask", bytes(message.payload))
        with self._held:
            games = list(self.told.items())
        for key, game in games:
            if ask.game_id in ("", game.result(self.store, key).game_id):
                self._tell(key, game, ask.first)
        self.tell_status()
