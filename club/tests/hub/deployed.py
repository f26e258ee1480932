"""A broker with the sample files of a club's machine, and somebody who logs in there."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from companion.settings.model import ClubSettings
from companion_club.messages import make_topic
from tests.home.servers import Server, Unprivileged, free_port
from tests.home.uplinked_tables import LONGEST_S
from tests.outside_programs import program

PROGRAMS = ("mosquitto", "mosquitto_passwd", "openssl")
"""What a machine takes."""
MOST_SAID = 40
"""A test that hears more before it hears what it waits for hears the wrong thing."""


CLUBS = ("club", "commits", "home")
"""The clubs of this broker; the sample is for one."""


def of_clubs(sample: str) -> str:
    """The rights of the sample, for each of the clubs."""
    written = []
    for line in sample.splitlines():
        named = [line.replace("/thursday/", f"/{club}/") for club in CLUBS]
        written += named if "/thursday/" in line else [line]
    return "\n".join(written) + "\n"


class Machine:
    """A broker with the sample files, each where this test may write."""

    def __init__(self, checkout: Path, *, home: bool = False) -> None:
        """`home`: with the lines for Home Assistant, and its user."""
        self.port, self.tls = free_port(), free_port()
        self._place = Unprivileged("deployed")
        folder = self._place.folder
        samples = checkout / "club" / "systemd"
        made = [str(samples / "certificate.sh"), "127.0.0.1", str(folder)]
        subprocess.run(made, check=True, capture_output=True)
        rights = of_clubs((samples / "acl").read_text(encoding="utf-8"))
        if home:
            rights = re.sub(r"(?m)^#(?=pattern |user |topic )", "", rights)
        (folder / "acl").write_text(rights, encoding="utf-8")
        for user in ("companion-hub", "table-1", "table-2", "home-assistant"):
            made = [program("mosquitto_passwd"), "-b", *(["-c"] if user == "companion-hub" else [])]
            subprocess.run([*made, str(folder / "passwords"), user, f"of {user}"], check=True)
        text = (samples / "mosquitto.conf").read_text(encoding="utf-8")
        for sample, ours in {
            "listener 1883 ": f"listener {self.port} ",
            "listener 8883": f"listener {self.tls} 127.0.0.1",
            "/etc/mosquitto/companion": str(folder),
        }.items():
            assert sample in text
            text = text.replace(sample, ours)
        settings = folder / "mosquitto.conf"
        settings.write_text(f"{text}\nlog_dest stderr\nlog_type all\n", encoding="utf-8")
        for file in folder.iterdir():
            self._place.own(file)
        self.ca = folder / "ca.crt"
        self._server = Server(
            self._place.start(program("mosquitto"), "-c", settings),
            lambda line: line.rstrip().endswith(" running"),
        )

    def close(self) -> None:
        self._server.stop(signal.SIGTERM)
        self._place.remove()


class Somebody:
    """A client with a name and a password, over TLS."""

    def __init__(self, machine: Machine, user: str, password: str, *, client_id: str = "") -> None:
        self.connected: SimpleQueue[str] = SimpleQueue()
        self._answers: SimpleQueue[str] = SimpleQueue()
        client = Client(CallbackAPIVersion.VERSION2, client_id, protocol=MQTTProtocolVersion.MQTTv5)
        client.username_pw_set(user, password)
        client.tls_set(str(machine.ca))
        client.on_connect = lambda *heard: self.connected.put(heard[3].getName())
        client.on_publish = lambda *heard: self._answers.put(heard[3].getName())
        client.connect("127.0.0.1", machine.tls)
        client.loop_start()
        self._client = client

    def says(self, table: str, kind: str, *, club: str = "club") -> str:
        """What the broker answers."""
        self._client.publish(make_topic(club, table, kind), b"{}", qos=1)
        return self._answers.get(timeout=LONGEST_S)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()
        self._client.on_connect = self._client.on_publish = None


def of_the_hub(folder: Path, **more: Any) -> ClubSettings:
    """What the settings of the hub's machine say."""
    file = folder / "password"
    file.write_text("of companion-hub\n", encoding="utf-8")
    return ClubSettings(broker="127.0.0.1", user="companion-hub", password_file=str(file), **more)
