"""Two tables with one name or one store, and a broker that refuses: each is told, and nothing is lost."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from club.tests.hub.deployed import of_clubs
from club.tests.uplink.club_tables import ClubListener, told_all, uplinked, version
from companion.home.serve import TakenOverError
from companion.network import uplink_messages as door
from companion_club.uplink.club_uplink import ClubUplink
from tests.home.played import played, simulated
from tests.home.servers import Broker, broker
from tests.home.uplinked_tables import Table, Uplinked, copied, heard_at, noted, offline
from tests.outside_programs import needs, program, starts


def test_of_two_uplinks_with_one_store_the_first_stops_and_says_why(
    own: Broker, listener: ClubListener, table: Table, tmp_path: Path, stack: ExitStack
) -> None:
    played(table.path)
    first = Uplinked(table, ClubUplink)
    heard = listener.until(told_all(1))
    copy = Table(tmp_path / "copy", own)
    stack.callback(copy.close)
    copied(table, copy)
    with uplinked(copy):
        ended = first.wait()
        assert isinstance(ended, TakenOverError)
        assert "copy of these games" in str(ended)
        assert noted(table)["trouble"] == "ui.club.taken_over"
        again = listener.until(told_all(1))
        versions = {version(one.read()) for one in (*heard, *again) if one.kind == "result"}
        assert len(versions) == 1, "the same game by two uplinks is the same version"


def test_copies_of_one_store_under_two_names_are_both_heard_and_throw_nobody_out(
    own: Broker, listener: ClubListener, table: Table, tmp_path: Path, stack: ExitStack
) -> None:
    played(table.path)
    with uplinked(table):
        first = listener.until(told_all(1))
        copy = Table(tmp_path / "copy", own, club__table="copy")
        stack.callback(copy.close)
        copied(table, copy)
        with uplinked(copy):
            second = listener.until(lambda said: told_all(1)(said) and "/copy/" in said.topic)
            table.play(seed=2)
            heard = listener.until(told_all(2))
    results = [one for one in (*first, *second, *heard) if one.kind == "result"]
    assert [one.topic.split("/")[3] for one in results] == ["table", "copy", "table"]
    assert version(results[0].read()) == version(results[1].read()), "the hub counts it once"
    assert not any(map(offline, heard))


def test_two_tables_with_one_name_are_told_and_the_second_waits_with_everything(
    own: Broker, listener: ClubListener, table: Table, tmp_path: Path, stack: ExitStack
) -> None:
    played(table.path)
    other = Table(tmp_path / "other", own)
    stack.callback(other.close)
    played(other.path, seed=2)
    with uplinked(table):
        listener.until(told_all(1))
        with uplinked(other):
            linked = heard_at(
                other, lambda said: isinstance(said, door.BrokerStatus) and said.trouble.endswith("clash")
            )
            assert linked == door.BrokerStatus(now=False, trouble="ui.club.clash")
        assert noted(other)["trouble"] == "ui.club.clash"
        assert noted(other)["waiting"] == "1"
    listener.until(offline)
    with uplinked(other):  # the name is free now
        heard = listener.until(told_all(1))
    assert [one.read().entries for one in heard if one.kind == "result"] == [len(simulated(2)[0])]


@needs("mosquitto")
def test_a_password_that_is_wrong_is_told_and_no_name_leaves(tmp_path: Path, stack: ExitStack) -> None:
    with broker("log_dest stderr\nlog_type information\n", anonymous=False) as strict:
        table = Table(tmp_path / "table", strict)
        stack.callback(table.close)
        with uplinked(table):
            linked = heard_at(
                table, lambda said: isinstance(said, door.BrokerStatus) and said.trouble.endswith("refused")
            )
            assert not linked.now
        assert noted(table)["trouble"] == "ui.club.refused"


@pytest.fixture
@starts("mosquitto", "mosquitto_passwd")
def strict(checkout: Path) -> Iterator[Broker]:
    """A broker with names, passwords and the rights of the sample."""
    folder = Path(tempfile.mkdtemp(prefix="club-acl-"))
    folder.chmod(0o755)
    passwords = folder / "passwords"
    passwords.touch()
    for user in ("table-1", "table-2", "companion-hub"):
        subprocess.run([program("mosquitto_passwd"), "-b", str(passwords), user, f"{user}'s"], check=True)
    passwords.chmod(0o644)
    sample = (checkout / "club" / "systemd" / "acl").read_text(encoding="utf-8")
    (folder / "acl").write_text(of_clubs(sample), encoding="utf-8")
    rights = f"password_file {passwords}\nacl_file {folder / 'acl'}\n"
    with broker(f"log_dest stderr\nlog_type information\n{rights}", anonymous=False) as running:
        yield running
    shutil.rmtree(folder)


@pytest.mark.parametrize(("topic", "trouble"), [("table-1", ""), ("table-2", "ui.club.not_allowed")])
def test_by_the_samples_rights_a_table_speaks_for_itself_and_for_no_other(
    strict: Broker, tmp_path: Path, stack: ExitStack, topic: str, trouble: str
) -> None:
    password = tmp_path / "password"
    password.write_text("table-1's\n", encoding="utf-8")
    own = {"club__user": "table-1", "club__password_file": str(password), "club__table": topic}
    table = Table(tmp_path / "table", strict, **own)
    stack.callback(table.close)
    played(table.path)
    hub = ClubListener(strict.port, "companion/v1/home/+/+", user="companion-hub")
    stack.callback(hub.close)
    with uplinked(table):
        if trouble:
            heard_at(table, lambda said: isinstance(said, door.BrokerStatus) and said.trouble == trouble)
        else:
            hub.until(told_all(1))
    assert noted(table)["waiting"] == ("1" if trouble else "0")


def test_a_password_put_right_is_taken_at_the_next_try(
    strict: Broker, tmp_path: Path, stack: ExitStack
) -> None:
    password = tmp_path / "password"
    password.write_text("mistyped\n", encoding="utf-8")
    own = {"club__user": "table-1", "club__password_file": str(password), "club__table": "table-1"}
    table = Table(tmp_path / "table", strict, **own)
    stack.callback(table.close)
    with uplinked(table):
        heard_at(
            table, lambda said: isinstance(said, door.BrokerStatus) and said.trouble == "ui.club.refused"
        )
        password.unlink()  # for a moment there is none: the uplink goes on
        password.write_text("table-1's\n", encoding="utf-8")
        heard_at(table, lambda said: isinstance(said, door.BrokerStatus) and said.now)
