"""Who may read the page: each sentence of the guard."""

from __future__ import annotations

import pytest

from companion.network.web.guard import (
    LOCKOUT_TIME,
    MAX_WRONG_PER_ADDRESS,
    MAX_WRONG_TOTAL,
    PagePin,
    is_literal_host,
    is_local_address,
    is_same_origin,
)


class Now:
    def __init__(self) -> None:
        self.at = 0

    def __call__(self) -> int:
        return self.at


@pytest.mark.parametrize(
    ("address", "is_near"),
    [
        ("127.0.0.1", True),
        ("192.168.178.20", True),
        ("10.1.2.3", True),
        ("172.16.0.1", True),
        ("172.32.0.1", False),
        ("169.254.1.1", True),
        ("8.8.8.8", False),
        ("::1", False),
        ("0x7f000001", False),
        ("", False),
    ],
)
def test_only_the_houses_own_network_is_near(address: str, is_near: bool) -> None:
    assert is_local_address(address) is is_near


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("192.168.1.5:8420", True),
        ("localhost:8420", True),
        ("127.0.0.1:8420", True),
        ("192.168.1.5", False),
        ("192.168.1.5:80", False),
        ("table.example:8420", False),
        ("93.184.216.34:8420", False),
        ("192.168.1.5.nip.io:8420", False),
        ("", False),
    ],
)
def test_a_host_is_a_near_address_and_our_port_so_that_no_name_can_be_rebound(
    host: str, is_ours: bool
) -> None:
    assert is_literal_host(host, 8420) is is_ours


def test_another_sites_script_has_another_origin_and_no_browser_has_none() -> None:
    assert is_same_origin("http://192.168.1.5:8420", "192.168.1.5:8420")
    assert not is_same_origin("http://evil.example", "192.168.1.5:8420")
    assert not is_same_origin("https://192.168.1.5:8420", "192.168.1.5:8420")
    assert is_same_origin("https://192.168.1.5:8420", "192.168.1.5:8420", "https")
    assert not is_same_origin("http://192.168.1.5:8420", "192.168.1.5:8420", "https")
    assert not is_same_origin("null", "192.168.1.5:8420")
    assert not is_same_origin(None, "192.168.1.5:8420")


def wrong(pins: PagePin) -> str:
    return f"{(int(pins.pin) + 1) % 1_000_000:06}"


def test_a_pin_has_six_digits_and_each_opening_has_its_own() -> None:
    found = {PagePin(Now()).pin for _ in range(50)}
    assert all(len(pin) == 6 and pin.isdigit() for pin in found)
    assert len(found) > 1


def test_whoever_guesses_wrong_five_times_waits_a_minute_and_others_do_not() -> None:
    now = Now()
    pins = PagePin(now)
    assert [pins.pin_refusal("10.0.0.1", wrong(pins)) for _ in range(MAX_WRONG_PER_ADDRESS)] == [
        "wrong"
    ] * MAX_WRONG_PER_ADDRESS
    assert pins.pin_refusal("10.0.0.1", pins.pin) == "rest"
    assert pins.pin_refusal("10.0.0.2", pins.pin) == ""
    now.at = LOCKOUT_TIME
    assert pins.pin_refusal("10.0.0.1", pins.pin) == ""


def test_thirty_wrong_pins_of_everybody_change_it() -> None:
    pins = PagePin(Now())
    first = pins.pin
    for number in range(MAX_WRONG_TOTAL):
        assert pins.pin == first
        assert pins.pin_refusal(f"10.0.1.{number}", wrong(pins)) == "wrong"
    assert pins.pin != first


def test_a_thousand_guesses_find_nothing_to_hold_on_to() -> None:
    """One address gets five tries a minute; what it asks beside is not even compared."""
    now = Now()
    pins = PagePin(now)
    told: list[str] = []
    pins.on_guessing = lambda: told.append("guessed")
    answers = [pins.pin_refusal("10.0.0.1", f"{guess:06}") for guess in range(1_000)]
    assert answers.count("rest") >= 1_000 - MAX_WRONG_PER_ADDRESS - 1
    assert told == ["guessed"], "and the table hears of it once"


def test_what_was_tried_longer_than_a_minute_ago_is_forgotten() -> None:
    now = Now()
    pins = PagePin(now)
    for number in range(MAX_WRONG_TOTAL - 1):
        pins.pin_refusal(f"10.0.1.{number}", wrong(pins))
    now.at = 2 * LOCKOUT_TIME
    pins.pin_refusal("10.0.0.1", pins.pin)
    assert pins._throttle._wrong == {}


@pytest.mark.parametrize("pin", ["", "12345", "1234567", "äöüäöü", "\0" * 6])
def test_what_is_no_pin_is_wrong(pin: str) -> None:
    assert PagePin(Now()).pin_refusal("10.0.0.1", pin) == "wrong"
