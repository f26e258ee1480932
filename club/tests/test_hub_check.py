"""What `companion doctor` says of hub and desk."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.cli.checks.doctor import run_checks
from companion.settings.model import Settings
from companion.system.machine import Machine
from companion_club.cli import INSTALL_HUB, LIBRARIES
from companion_club.cli.hub_check import check_hub


@pytest.mark.parametrize(
    ("libraries", "state", "fix"),
    [
        ((), "absent", ""),
        (LIBRARIES, "ok", ""),
        ([one for one in LIBRARIES if one != "argon2"], "fault", INSTALL_HUB),
    ],
)
def test_a_machine_of_a_club_has_every_library_and_a_table_need_have_none(
    libraries: tuple[str, ...], state: str, fix: str
) -> None:
    machine = Machine(module=lambda name: Path(name) if name in libraries else None)
    found = check_hub(machine, Settings())
    assert (found.state, found.fix) == (state, fix)


def test_the_doctor_finds_it_by_its_entry_point() -> None:
    assert "hub" in {finding.part for finding in run_checks(Machine(), Settings())}
