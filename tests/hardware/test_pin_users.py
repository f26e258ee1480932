"""Who holds a pin, by what the kernel calls its user, what config.txt loads, and which programs run."""

from pathlib import Path

import pytest

from companion.system.machine import Machine
from hardware.pin_users import describe_pin_user


def _machine(root: Path, *, config: str = "", open_file: str = "", command: str = "") -> Machine:
    (root / "boot/firmware").mkdir(parents=True)
    (root / "boot/firmware/config.txt").write_text(f"[all]\n{config}\n")
    if open_file:
        (root / "proc/903/fd").mkdir(parents=True)
        (root / "proc/903/fd/4").symlink_to(open_file)
        (root / "proc/903/comm").write_text("python3\n")
        (root / "proc/903/cmdline").write_text(command.replace(" ", "\0"))
    return Machine(root=root)


@pytest.mark.parametrize(
    ("consumer", "bcm", "config", "overlay"),
    [
        ("shutdown", 3, "dtoverlay=gpio-shutdown", "gpio-shutdown"),
        ("power_ctrl", 26, "dtoverlay=gpio-poweroff", "gpio-poweroff"),
        ("gpio-fan@0", 23, "dtoverlay=gpio-fan,gpiopin=23,temp=60000", "gpio-fan"),
        ("ir-receiver@11", 17, "dtoverlay=gpio-ir,gpio_pin=17", "gpio-ir"),
        ("dht11@4", 4, "dtoverlay=dht11", "dht11"),
        ("fe201600.serial", 4, "dtoverlay=uart3", "uart3"),
        ("fe205600.i2c", 2, "dtoverlay=i2c3,pins_2_3", "i2c3"),
        ("spi0 CS0", 22, "dtoverlay=spi0-1cs,cs0_pin=22", "spi0-1cs"),
        ("ADS7846", 17, "dtoverlay=tft35a:rotate=90", "tft35a"),
        ("spi0 CS1", 7, "dtoverlay=waveshare35a", "waveshare35a"),
        ("dc", 24, "dtoverlay=waveshare35a", "waveshare35a"),
    ],
)
def test_the_line_of_config_txt_that_gives_a_pin_away_is_named(
    tmp_path: Path, consumer: str, bcm: int, config: str, overlay: str
) -> None:
    found = describe_pin_user(consumer, bcm, _machine(tmp_path, config=config))
    assert found.line == f"dtoverlay={overlay}"
    assert f"take dtoverlay={overlay} out of /boot/firmware/config.txt" in found.fix


@pytest.mark.parametrize(
    ("consumer", "config", "board", "fix"),
    [
        (
            "mute",
            "dtoverlay=hifiberry-amp100",
            "dtoverlay=hifiberry-amp100",
            "to a pin that is free, such as BCM 25",
        ),
        ("reset", "", "Amp100", "to a pin that is free"),
        (
            "sdmode",
            "dtoverlay=max98357a",
            "dtoverlay=max98357a",
            "write dtoverlay=max98357a,no-sdmode for that",
        ),
    ],
)
def test_a_sound_board_keeps_its_pin_and_the_button_gets_another(
    tmp_path: Path, consumer: str, config: str, board: str, fix: str
) -> None:
    machine = _machine(tmp_path, config=config)
    (tmp_path / "proc/device-tree/hat").mkdir(parents=True)
    (tmp_path / "proc/device-tree/hat/product").write_text("Amp100\0")
    found = describe_pin_user(consumer, 4, machine)
    assert found.board == board
    assert fix in found.fix


@pytest.mark.parametrize(
    ("consumer", "config"),
    [
        ("spi0 CS0", "dtoverlay=vc4-kms-dsi-waveshare-panel,7_0_inchC"),
        ("spi0 CS0", "dtoverlay=gpio-fan,gpiopin=14"),
    ],
)
def test_spi_that_no_small_screen_asks_for_is_switched_off(
    tmp_path: Path, consumer: str, config: str
) -> None:
    found = describe_pin_user(consumer, 8, _machine(tmp_path, config=config))
    assert (found.name, found.line) == ("SPI", "")


@pytest.mark.parametrize(
    ("consumer", "config", "board"),
    [
        ("spi0 CS0", "", "Sense HAT"),
        ("fe804000.i2c", "dtparam=spi=on\ndtparam=i2c_arm=off", "Sense HAT"),
        ("fe804000.i2c", "dtparam=audio=on,i2c_arm=on", ""),
        ("onewire@4", "dtoverlay=w1-gpio", ""),
    ],
)
def test_a_board_on_the_header_has_the_pins_of_a_bus_that_no_line_asks_for(
    tmp_path: Path, consumer: str, config: str, board: str
) -> None:
    machine = _machine(tmp_path, config=config)
    (tmp_path / "proc/device-tree/hat").mkdir(parents=True)
    (tmp_path / "proc/device-tree/hat/product").write_text("Sense HAT\0")
    found = describe_pin_user(consumer, 2, machine)
    assert (found.board, found.is_kernel_feature) == (board, not board)
    assert ("take it off, or wire those buttons to other pins" in found.fix) == bool(board)


@pytest.mark.parametrize("open_file", ["/dev/gpiochip0", "anon_inode:gpio-line"])
def test_a_script_is_called_by_its_file(tmp_path: Path, open_file: str) -> None:
    machine = _machine(tmp_path, open_file=open_file, command="python3 -u /home/ana/test_button.py 17")
    found = describe_pin_user("lg", 17, machine)
    assert found.name == "test_button.py"
    assert str(found.process) == "process 903 (test_button.py)"
    assert found.fix == "end that program: kill 903"


@pytest.mark.parametrize("open_file", ["/dev/gpiochip0", ""])
def test_a_service_is_switched_off_and_not_only_ended(tmp_path: Path, open_file: str) -> None:
    """Also where it is root's, so that nobody else sees what it has open."""
    machine = _machine(tmp_path, open_file=open_file, command="/usr/bin/python3 /etc/argon/argononed.py")
    (tmp_path / "proc/903").mkdir(parents=True, exist_ok=True)
    (tmp_path / "proc/903/cgroup").write_text("0::/system.slice/argononed.service\n")
    found = describe_pin_user("lg", 4, machine)
    assert found.fix == "end that service for good: sudo systemctl disable --now argononed.service"


def test_a_table_that_was_forgotten_in_another_terminal_is_named(tmp_path: Path) -> None:
    machine = _machine(tmp_path, open_file="/dev/gpiochip0", command="python3 /home/ana/.venv/bin/companion")
    found = describe_pin_user("companion", 17, machine)
    assert str(found.process) == "process 903 (companion)"
    assert found.fix == "end that program: kill 903"


def test_a_script_with_pins_of_its_own_is_not_blamed_for_the_table_s(tmp_path: Path) -> None:
    machine = _machine(tmp_path, open_file="/dev/gpiochip0", command="python3 /home/ana/fan.py")
    found = describe_pin_user("companion", 17, machine)
    assert (found.process, "sudo systemctl stop companion" in found.fix) == (None, True)


def test_a_program_is_not_blamed_for_the_pin_of_a_driver(tmp_path: Path) -> None:
    machine = _machine(tmp_path, open_file="/dev/gpiochip0", command="python3 other.py")
    found = describe_pin_user("ir-receiver@11", 17, machine)
    assert found.process is None
    assert "take what asks for ir-receiver@11 out of" in found.fix
