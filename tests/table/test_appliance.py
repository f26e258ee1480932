"""The machine under the table: asked whether it may be switched off, and only told what it can do."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from companion.core.actions import SECOND
from companion.games import RULES
from companion.referee.backup import BackupReport
from companion.settings.model import Settings, StorageSettings
from companion.system import update_permissions
from companion.system.appliance import MachineStatus
from companion.system.bundle import CHECKSUM_FILE, OWNER_KEY_FILE
from companion.system.stick_update import StickUpdate
from companion.system.update_install import INSTALLED_UNIT, RESULT_FILE
from companion.table import power_and_usb as _appliance
from companion.table.power_and_usb import POWER_OFF_AFTER, WARNING_AFTER, Power, TableAppliance, find_stick

SERVICE = {"NOTIFY_SOCKET": "/run/systemd/notify"}


class Logind:
    """Answers as logind does."""

    def __init__(self, *, may: str = "yes", code: int = 0) -> None:
        self.asked: list[str] = []
        self._may = may
        self._code = code

    def __call__(self, command: Sequence[str]) -> Any:
        verb = command[6]
        self.asked.append(verb)
        said = f's "{self._may}"\n' if verb == "CanPowerOff" else "Interactive authentication required.\n"
        code = 0 if verb == "CanPowerOff" else self._code

        class Answered:
            stdout = io.StringIO(said)
            returncode = code

            def poll(self) -> int:
                return code

        return Answered()


@pytest.fixture(autouse=True)
def _busctl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_appliance.shutil, "which", lambda name: f"/usr/bin/{name}")


def appliance(tmp_path: Path, logind: Logind, stick: Path | None = None) -> TableAppliance:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    made = TableAppliance(
        settings.store_folder(),
        settings.table.name,
        lamps=4,
        games=RULES,
        power=Power(SERVICE, logind),
        stick=lambda: stick,
    )
    made.tick(0, held=False)
    return made


def hold(made: TableAppliance, until: int) -> None:
    for now in range(0, until + 1, SECOND // 10):
        made.tick(now, held=True)


def key(made: TableAppliance, now: int) -> str | None:
    told = made.message_for_players(now)
    return None if told is None else told.key


def test_a_program_that_somebody_started_switches_nothing_off() -> None:
    logind = Logind()
    power = Power({}, logind)
    power.tick()
    assert not power.is_available
    assert logind.asked == []


@pytest.mark.parametrize(("answer", "able"), [("yes", True), ("challenge", False), ("no", False)])
def test_the_service_asks_whether_it_may(answer: str, able: bool) -> None:
    power = Power(SERVICE, Logind(may=answer))
    power.tick()
    assert power.is_available is able


def test_holding_the_button_is_announced_and_lights_the_lamps_before_it_switches_off(tmp_path: Path) -> None:
    logind = Logind()
    made = appliance(tmp_path, logind)
    hold(made, WARNING_AFTER)
    assert key(made, WARNING_AFTER) == "ui.off.keep_holding"
    assert made.lit_lamps() == frozenset({0})
    assert logind.asked == ["CanPowerOff"]
    hold(made, POWER_OFF_AFTER)
    assert logind.asked == ["CanPowerOff", "PowerOff"]
    assert key(made, POWER_OFF_AFTER) == "ui.off.now"
    assert made.lit_lamps() == frozenset(range(4))


def test_a_button_let_go_leaves_everything_as_it_was(tmp_path: Path) -> None:
    logind = Logind()
    made = appliance(tmp_path, logind)
    hold(made, POWER_OFF_AFTER - SECOND // 10)
    made.tick(POWER_OFF_AFTER, held=False)
    assert (key(made, POWER_OFF_AFTER), made.lit_lamps()) == (None, None)
    assert "PowerOff" not in logind.asked


def test_where_the_program_may_not_switch_off_holding_does_nothing(tmp_path: Path) -> None:
    logind = Logind(may="challenge")
    made = appliance(tmp_path, logind)
    hold(made, 2 * POWER_OFF_AFTER)
    assert (key(made, POWER_OFF_AFTER), made.lit_lamps()) == (None, None)
    assert made.read_status() == MachineStatus()


def test_a_machine_that_does_not_switch_off_is_told(tmp_path: Path) -> None:
    made = appliance(tmp_path, Logind(code=1))
    hold(made, POWER_OFF_AFTER)
    made.tick(POWER_OFF_AFTER + 1, held=False)
    assert key(made, POWER_OFF_AFTER + 1) == "shared.trouble.power"
    assert made.lit_lamps() is None


def test_games_are_copied_to_the_stick_that_is_in(tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    made = appliance(tmp_path / "state", Logind(), stick)
    assert made.read_status().stick
    made.copy_to_stick()
    assert made._copying is not None
    assert key(made, 1) == "ui.copy.running"
    made._copying.join()
    made.tick(2, held=False)
    told = made.message_for_players(2)
    assert told is not None
    assert (told.key, dict(told.parts)) == ("ui.copy.done", {"games": 0, "decks": 0})
    assert made.message_for_players(50 * SECOND) == told, (
        "copying is slow: who walked away meanwhile reads it too"
    )
    assert made.message_for_players(3 * 60 * SECOND) is None


def test_a_copy_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> BackupReport:
        raise _appliance.CompanionError("no room")

    monkeypatch.setattr(_appliance, "back_up", fails)
    made = appliance(tmp_path / "state", Logind(), tmp_path)
    made.copy_to_stick()
    assert made._copying is not None
    made._copying.join()
    made.tick(2, held=False)
    assert key(made, 2) == "shared.trouble.other"


def test_without_a_stick_nothing_is_copied(tmp_path: Path) -> None:
    made = appliance(tmp_path, Logind())
    made.copy_to_stick()
    assert not made.read_status().copying


def test_a_folder_that_is_no_disk_of_its_own_is_no_stick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "media/ana/STICK"
    place.mkdir(parents=True)
    assert find_stick(tmp_path) is None
    monkeypatch.setattr(type(place), "is_mount", lambda _: True)
    assert find_stick(tmp_path) == place


# Another version on the stick -----------------------------------------------------------------------------


class Systemd:
    """Starts what it is asked to start, and ends when it is let."""

    stdout = None

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.returncode: int | None = None

    def __call__(self, command: Sequence[str]) -> Any:
        self.asked.append(tuple(command))
        return self

    def poll(self) -> int | None:
        return self.returncode


def with_bundle(
    tmp_path: Path, systemd: Systemd, *, service: bool = True, pin: bool = True
) -> TableAppliance:
    """A table with a stick in, on which a bundle lies; its machine is below `root`."""
    root = tmp_path / "root"
    bundle = root / "stick/bundle"
    bundle.mkdir(parents=True)
    sums = "".join(
        f"{'0' * 64}  {name}\n"
        for name in ("RELEASE", "install.sh", "wheels/table_companion-0.2.0-py3-none-any.whl")
    )
    (bundle / CHECKSUM_FILE).write_text(sums)
    (bundle / "RELEASE").write_text("trixie\n")
    (root / update_permissions.TYPED_PIN_FILE).parent.mkdir(parents=True)
    if pin:
        update_permissions.make_pin(root)
    if service:
        (root / INSTALLED_UNIT).parent.mkdir(parents=True)
        (root / INSTALLED_UNIT).touch()
    return again(tmp_path, systemd)


def again(tmp_path: Path, systemd: Systemd) -> TableAppliance:
    """The table after it was started anew."""
    root = tmp_path / "root"
    made = TableAppliance(
        tmp_path,
        "table",
        lamps=4,
        games=RULES,
        power=Power(SERVICE, Logind()),
        stick=lambda: root / "stick",
        update=StickUpdate(tmp_path, systemd, SERVICE, root),
    )
    made.tick(0, held=False)
    if made._update._looking is not None:
        made._update._looking.join()
    made.tick(2 * SECOND, held=False)
    return made


def test_a_bundle_is_shown_and_installed_only_after_a_yes_to_what_is_shown(tmp_path: Path) -> None:
    systemd = Systemd()
    made = with_bundle(tmp_path, systemd)
    shown = made.read_status().update
    assert shown is not None
    assert (shown.version, shown.signed, shown.refused) == ("0.2.0", False, None)
    for now in range(3, 600):
        made.tick(now * SECOND, held=False)
    made.install_update("another digest")
    assert systemd.asked == [], "a yes never comes by itself"
    assert (shown.pin, shown.hold, shown.older) == (8, True, False)
    made.install_update(shown.digest, "12345678")
    left = tmp_path / "root" / update_permissions.TYPED_PIN_FILE
    assert (left.read_text(), left.stat().st_mode & 0o777) == ("12345678", 0o600)
    digest = shown.digest.replace(" ", "")
    unit = f"companion-update@agreed-{digest}.service"
    assert systemd.asked == [("systemctl", "--no-ask-password", "start", unit)]
    assert key(made, 600 * SECOND) == "ui.update.running"
    made.install_update(shown.digest)
    assert len(systemd.asked) == 1


def test_an_update_that_fails_is_told_once(tmp_path: Path) -> None:
    systemd = Systemd()
    made = with_bundle(tmp_path, systemd)
    shown = made.read_status().update
    assert shown is not None
    made.install_update(shown.digest)
    systemd.returncode = 1
    made.tick(4 * SECOND, held=False)
    assert not (tmp_path / "root" / update_permissions.TYPED_PIN_FILE).exists()
    assert key(made, 4 * SECOND) == "shared.trouble.update_failed"
    made.tick(200 * SECOND, held=False)
    assert key(made, 200 * SECOND) is None


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("agreed-1\n0.2.0\n\n", "ui.update.done"),
        ("agreed-1\n\nupdate_changed\n", "shared.trouble.update_changed"),
    ],
)
def test_what_became_of_it_is_told_once_by_the_table_that_was_started_after_it(
    tmp_path: Path, told: str, said: str
) -> None:
    made = with_bundle(tmp_path, Systemd())
    assert key(made, 2 * SECOND) is None
    (tmp_path / "root" / RESULT_FILE).parent.mkdir(parents=True)
    (tmp_path / "root" / RESULT_FILE).write_text(told)
    made = again(tmp_path, Systemd())
    assert key(made, 2 * SECOND) == said
    assert key(again(tmp_path, Systemd()), 2 * SECOND) is None


def test_a_bundle_that_this_table_does_not_take_says_why_and_cannot_be_installed(tmp_path: Path) -> None:
    systemd = Systemd()
    (tmp_path / "root/etc/companion").mkdir(parents=True)
    (tmp_path / "root" / OWNER_KEY_FILE).write_text("ssh-ed25519 AAAA maker\n")
    made = with_bundle(tmp_path, systemd)
    shown = made.read_status().update
    assert shown is not None
    assert shown.refused is not None
    assert shown.refused.key == "shared.trouble.update_unsigned"
    made.install_update(shown.digest)
    assert systemd.asked == []


def test_what_the_owner_alone_may_install_is_not_offered_at_the_table(tmp_path: Path) -> None:
    systemd = Systemd()
    made = with_bundle(tmp_path, systemd, pin=False)
    shown = made.read_status().update
    assert shown is not None
    assert shown.refused is not None
    assert shown.refused.key == "shared.trouble.update_sudo"
    made.install_update("")
    assert systemd.asked == []


def test_a_version_older_than_the_highest_says_so_and_wants_the_pin(tmp_path: Path) -> None:
    update_permissions.record_installation("0.2.1", tmp_path / "root")
    shown = with_bundle(tmp_path, Systemd()).read_status().update
    assert shown is not None
    assert (shown.older, shown.pin) == (True, 8)


def test_a_table_from_before_says_once_what_an_update_needs_now(tmp_path: Path) -> None:
    for name in ("0.1.0-100", "0.2.0-200"):
        (tmp_path / "root" / update_permissions.RELEASES_FOLDER / name).mkdir(parents=True)
    update_permissions.record_installation("0.2.0", tmp_path / "root")
    assert key(with_bundle(tmp_path, Systemd()), 2 * SECOND) == "ui.update.owner"
    assert key(again(tmp_path, Systemd()), 2 * SECOND) is None


def test_a_program_that_is_no_service_offers_no_update(tmp_path: Path) -> None:
    assert with_bundle(tmp_path, Systemd(), service=False).read_status().update is None
