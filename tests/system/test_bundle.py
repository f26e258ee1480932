"""Another version from a bundle: only what was agreed to, only by the owner's key, and a way back."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.system import bundle as _bundle
from companion.system import safe_files, update_permissions
from companion.system.bundle import (
    CHECKSUM_FILE,
    OWNER_KEY_FILE,
    SIGNATURE_FILE,
    UpdateRefusedError,
    find_bundle,
    inspect_bundle,
)
from companion.system.update_install import (
    ASKING,
    INCOMING_FOLDER,
    INSTALLED_UNIT,
    MOUNTS_FILE,
    PROGRAM_FOLDER,
    RESULT_FILE,
    SYSTEMD,
    UpdateFailedError,
    UpdateProofs,
    install_bundle,
    install_requested,
    last_result,
    refusal_key,
    restore_previous,
    update_request,
)
from tests.outside_programs import needs, program

SUMS_OF = Path(__file__).parents[2] / "systemd/sums.sh"
pytestmark = needs("ssh-keygen")


class Machine:
    """A table's disk, with a stick in and installers that are only written down."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "machine"
        self.stick = self.root / "run/companion-stick/sda1"
        self.stick.mkdir(parents=True)
        (self.root / SYSTEMD).mkdir(parents=True)
        self.mounted("vfat")
        self.ran: list[tuple[str, ...]] = []
        self.held: set[str] = set()
        """What the installer found beside it."""
        self.codes: list[int] = []
        """What the next commands end with; 0 after that."""

    def run(self, command: Sequence[str]) -> int:
        self.ran.append(tuple(command))
        if "--offline" in command:
            self.held = {path.name for path in Path(command[-1]).rglob("*") if path.is_file()}
        return self.codes.pop(0) if self.codes else 0

    def mounted(self, *kinds: str) -> None:
        """What the kernel says of the stick, the last mount on it last."""
        (self.root / MOUNTS_FILE).parent.mkdir(parents=True, exist_ok=True)
        lines = [f"29 1 8:1 / /run/companion-stick/sda1 rw - {kind} /dev/sda1 rw\n" for kind in kinds]
        (self.root / MOUNTS_FILE).write_text("".join(lines))

    def type(self, pin: str) -> None:
        """Somebody types a PIN at the table."""
        (self.root / update_permissions.TYPED_PIN_FILE).parent.mkdir(parents=True, exist_ok=True)
        (self.root / update_permissions.TYPED_PIN_FILE).write_text(pin)

    def trust(self, key: Path) -> None:
        """The owner puts the public half into its place."""
        place = self.root / OWNER_KEY_FILE
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(key.with_suffix(".pub"), place)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def new_key(folder: Path, name: str = "maker") -> Path:
    key = folder / name
    words = ("-q", "-t", "ed25519", "-N", "", "-C", "maker@table", "-f", str(key))
    subprocess.run([program("ssh-keygen"), *words], check=True)
    return key


def packed(place: Path, version: str = "0.2.0", key: Path | None = None) -> Path:
    """A bundle of that version as bundle.sh writes one, with small files for wheels."""
    (place / "wheels").mkdir(parents=True)
    (place / "RELEASE").write_text("trixie\n")
    (place / "install.sh").write_text("#!/bin/sh\n")
    (place / f"wheels/table_companion-{version}-py3-none-any.whl").write_bytes(b"the program")
    (place / "wheels/msgspec-0.22.0-cp313-cp313-manylinux_2_28_aarch64.whl").write_bytes(b"a library")
    summed(place, key)
    return place


def summed(place: Path, key: Path | None = None) -> None:
    """Sums and signature as `make bundle` writes them."""
    made = subprocess.run(
        [str(SUMS_OF), str(place), str(key or "")], check=True, capture_output=True, text=True
    )
    assert made.stdout.split()[1] == hashlib.sha256((place / CHECKSUM_FILE).read_bytes()).hexdigest()


def sign(place: Path, key: Path, namespace: str = "table-companion") -> None:
    words = ("-q", "-Y", "sign", "-f", str(key), "-n", namespace, str(place / CHECKSUM_FILE))
    subprocess.run([program("ssh-keygen"), *words], check=True, capture_output=True)


def refused(machine: Machine, place: Path) -> str:
    with pytest.raises(UpdateRefusedError) as error:
        inspect_bundle(place, machine.root)
    assert str(error.value).count("\n") == 0
    return error.value.on_screen


# Whose it is ----------------------------------------------------------------------------------------------


def test_without_a_key_a_bundle_is_shown_with_the_digest_of_its_sums(machine: Machine) -> None:
    place = packed(machine.stick / "bundle")
    found = inspect_bundle(place, machine.root)
    assert (found.version, found.signed) == ("0.2.0", False)
    assert found.digest == hashlib.sha256((place / CHECKSUM_FILE).read_bytes()).hexdigest()


def test_with_a_key_what_it_signed_is_taken(machine: Machine, tmp_path: Path) -> None:
    key = new_key(tmp_path)
    machine.trust(key)
    found = inspect_bundle(packed(machine.stick / "bundle", key=key), machine.root)
    assert found.signed
    assert install_bundle(Path(found.folder), update_request(found), machine.root, machine.run) == "0.2.0"
    assert machine.ran == [
        (
            "bash",
            str(machine.root / INCOMING_FOLDER / "install.sh"),
            "--offline",
            str(machine.root / INCOMING_FOLDER),
        )
    ]
    assert {"install.sh", "RELEASE", "table_companion-0.2.0-py3-none-any.whl"} <= machine.held
    assert not (machine.root / INCOMING_FOLDER).exists()


def test_with_a_key_an_unsigned_bundle_is_refused(machine: Machine, tmp_path: Path) -> None:
    machine.trust(new_key(tmp_path))
    assert refused(machine, packed(machine.stick / "bundle")) == "update_unsigned"


def test_a_bundle_signed_by_another_is_refused(machine: Machine, tmp_path: Path) -> None:
    machine.trust(new_key(tmp_path))
    another = new_key(tmp_path, "another")
    assert refused(machine, packed(machine.stick / "bundle", key=another)) == "update_foreign"


def test_the_signature_of_another_bundle_is_refused(machine: Machine, tmp_path: Path) -> None:
    key = new_key(tmp_path)
    machine.trust(key)
    one = packed(machine.stick / "one", key=key)
    two = packed(machine.stick / "two", "0.3.0")
    shutil.copy(one / SIGNATURE_FILE, two)
    assert refused(machine, two) == "update_foreign"


def test_a_signature_made_for_something_else_is_refused(machine: Machine, tmp_path: Path) -> None:
    key = new_key(tmp_path)
    machine.trust(key)
    place = packed(machine.stick / "bundle")
    sign(place, key, "git")
    assert refused(machine, place) == "update_foreign"


@pytest.mark.parametrize("text", ["", "no key\n", "ssh-ed25519\n", "\xff\xfe", "{key}{key}", "* {key}"])
def test_a_key_that_is_none_is_no_reason_to_do_without(machine: Machine, tmp_path: Path, text: str) -> None:
    key = new_key(tmp_path)
    machine.trust(key)
    public = key.with_suffix(".pub").read_text()
    (machine.root / OWNER_KEY_FILE).write_bytes(text.format(key=public).encode("latin-1"))
    assert refused(machine, packed(machine.stick / "bundle", key=key)) == "update_key"


def test_a_key_that_is_a_link_to_nowhere_is_no_reason_to_do_without(machine: Machine) -> None:
    (machine.root / OWNER_KEY_FILE).parent.mkdir(parents=True)
    (machine.root / OWNER_KEY_FILE).symlink_to("gone.pub")
    assert refused(machine, packed(machine.stick / "bundle")) == "update_key"


def test_without_the_program_that_checks_signatures_nothing_is_taken(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key(tmp_path)
    machine.trust(key)
    place = packed(machine.stick / "bundle", key=key)
    monkeypatch.setattr(_bundle.shutil, "which", lambda name: None)
    assert refused(machine, place) == "update_key"


# What is in it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("name", ["install.sh", "RELEASE", "wheels/table_companion-0.2.0-py3-none-any.whl"])
def test_a_file_that_was_changed_is_never_run(
    machine: Machine, tmp_path: Path, name: str, signed: bool
) -> None:
    key = new_key(tmp_path) if signed else None
    if key is not None:
        machine.trust(key)
    place = packed(machine.stick / "bundle", key=key)
    found = inspect_bundle(place, machine.root)
    (place / name).write_text("something else")
    with pytest.raises(UpdateRefusedError, match="was changed"):
        install_bundle(place, update_request(found), machine.root, machine.run)
    assert machine.ran == []
    assert not (machine.root / INCOMING_FOLDER).exists()


@pytest.mark.parametrize(("number", "told"), [(errno.ENOSPC, "update_full"), (errno.EIO, "update_damaged")])
def test_a_full_disk_is_told_as_full(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, number: int, told: str
) -> None:
    def fails(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    place = packed(machine.stick / "bundle")
    asked = update_request(inspect_bundle(place, machine.root))
    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", fails)  # the list itself
        with pytest.raises(UpdateRefusedError) as listed:
            install_bundle(place, asked, machine.root, machine.run)
    opened = safe_files.open_regular_file
    monkeypatch.setattr(
        safe_files,
        "open_regular_file",
        lambda file, *of: (fails if file.name == "RELEASE" else opened)(file, *of),
    )
    with pytest.raises(UpdateRefusedError) as copied:
        install_bundle(place, asked, machine.root, machine.run)
    assert (listed.value.on_screen, copied.value.on_screen) == (told, told)


def test_a_link_where_the_copy_goes_is_removed_and_not_followed(machine: Machine, tmp_path: Path) -> None:
    place = packed(machine.stick / "bundle")
    (tmp_path / "elsewhere").mkdir()
    (machine.root / INCOMING_FOLDER).parent.mkdir(parents=True)
    (machine.root / INCOMING_FOLDER).symlink_to(tmp_path / "elsewhere")
    asked = update_request(inspect_bundle(place, machine.root))
    assert install_bundle(place, asked, machine.root, machine.run) == "0.2.0"
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("what", ["key", "version"])
def test_key_and_version_are_looked_at_again_after_the_wait(
    machine: Machine, tmp_path: Path, what: str
) -> None:
    machine.trust(key := new_key(tmp_path))
    found = inspect_bundle(packed(machine.stick / "bundle", key=key), machine.root)

    def held(_: str) -> bool:
        if what == "key":
            machine.trust(new_key(tmp_path, "another"))
        else:
            update_permissions.record_installation("0.9.0", machine.root)
        return True

    with pytest.raises(UpdateRefusedError) as refusal:
        install_requested(update_request(found), machine.root, machine.run, held)
    assert refusal.value.on_screen == "update_changed"
    assert not any("--offline" in command for command in machine.ran)


def test_what_is_not_listed_is_not_installed(machine: Machine) -> None:
    place = packed(machine.stick / "bundle")
    (place / "wheels/evil-1-py3-none-any.whl").write_bytes(b"more")
    found = inspect_bundle(place, machine.root)
    install_bundle(place, update_request(found), machine.root, machine.run)
    assert "evil-1-py3-none-any.whl" not in machine.held


@pytest.mark.parametrize(
    "line",
    [
        f"{'0' * 64}  ../../etc/passwd",
        f"{'0' * 64}  wheels/../../x",
        f"{'0' * 64}  /etc/passwd",
        "no sum",
        f"{'0' * 64}  RELEASE",
    ],
)
def test_sums_that_lead_out_of_the_bundle_or_say_things_twice_are_refused(
    machine: Machine, line: str
) -> None:
    place = packed(machine.stick / "bundle")
    with (place / CHECKSUM_FILE).open("a") as sums:
        sums.write(f"{line}\n")
    assert refused(machine, place) == "update_damaged"


@pytest.mark.parametrize("name", ["RELEASE/more", "wheels", "wheels/", "wheels//more", "wheels/./more"])
def test_a_list_that_names_a_place_as_file_and_folder_or_in_two_ways_is_damaged(
    name: str, machine: Machine
) -> None:
    place = packed(machine.stick / "companion-update")
    with (place / CHECKSUM_FILE).open("a") as sums:
        sums.write(f"{hashlib.sha256(b'').hexdigest()}  {name}\n")
    with pytest.raises(UpdateRefusedError, match="names a place twice or in another way"):
        inspect_bundle(place, machine.root)
    digest = hashlib.sha256((place / CHECKSUM_FILE).read_bytes()).hexdigest()
    with pytest.raises(UpdateRefusedError):
        _bundle.copy_bundle(place, digest, machine.root / "incoming", machine.root)


@pytest.mark.parametrize("name", ["a" * 300, "a" * 300 + "/b", "/".join(["a" * 100] * 50)])
def test_a_name_that_no_disk_takes_is_damage(machine: Machine, name: str) -> None:
    place = packed(machine.stick / "bundle")
    with (place / CHECKSUM_FILE).open("a") as file:
        file.write(f"{'0' * 64}  {name}\n")
    with pytest.raises(UpdateRefusedError, match="can't copy"):
        install_bundle(place, update_request(inspect_bundle(place, machine.root)), machine.root, machine.run)
    assert not (machine.root / INCOMING_FOLDER).exists()


def test_a_link_that_leads_to_itself_is_refused_as_any_other(machine: Machine) -> None:
    place = packed(machine.stick / "bundle")
    found = inspect_bundle(place, machine.root)
    (place / "install.sh").unlink()
    (place / "install.sh").symlink_to("install.sh")
    with pytest.raises(UpdateRefusedError, match="is a link"):
        install_bundle(place, update_request(found), machine.root, machine.run)


def test_a_stick_full_of_folders_does_not_keep_the_table_from_its_game(tmp_path: Path) -> None:
    """It looks every second, between two presses: sixty thousand folders took it 3.5 s each time."""
    for number in range(_bundle.MOST_ENTRIES + 1):
        (tmp_path / str(number)).mkdir()
        for name in (CHECKSUM_FILE, "RELEASE"):
            (tmp_path / str(number) / name).touch()
    assert len(_bundle.find_bundles(tmp_path)) == _bundle.MOST_ENTRIES


def test_a_pipe_in_a_files_place_keeps_nobody_waiting(machine: Machine) -> None:
    place = packed(machine.stick / "bundle")
    found = inspect_bundle(place, machine.root)
    (place / "install.sh").unlink()
    os.mkfifo(place / "install.sh")
    with pytest.raises(UpdateRefusedError, match="can't copy"):
        install_bundle(place, update_request(found), machine.root, machine.run)
    assert machine.ran == []


@pytest.mark.parametrize(
    "name",
    [
        "wheels/table_companion-0.9.0-py3-none-any.whl",
        "wheels/table_companion-0.0.1-1-py3-none-any.whl",
        "wheels/Table.Companion-0.0.1-py3-none-any.whl",
    ],
)
def test_two_programs_in_a_bundle_are_refused(machine: Machine, name: str) -> None:
    """The version that people see has to be that of the program which is installed."""
    place = packed(machine.stick / "bundle")
    (place / name).write_bytes(b"another")
    summed(place)
    assert refused(machine, place) == "update_damaged"


# Between the yes and the installer --------------------------------------------------------------------------


def test_the_key_that_is_taken_away_after_the_yes_ends_it(machine: Machine, tmp_path: Path) -> None:
    key = new_key(tmp_path)
    machine.trust(key)
    found = inspect_bundle(packed(machine.stick / "bundle", key=key), machine.root)
    (machine.root / OWNER_KEY_FILE).unlink()
    with pytest.raises(UpdateRefusedError, match="key is gone"):
        install_bundle(Path(found.folder), update_request(found), machine.root, machine.run)
    assert machine.ran == []


def test_the_key_that_arrives_after_the_yes_counts(machine: Machine, tmp_path: Path) -> None:
    found = inspect_bundle(packed(machine.stick / "bundle"), machine.root)
    machine.trust(new_key(tmp_path))
    with pytest.raises(UpdateRefusedError, match="isn't signed"):
        install_bundle(Path(found.folder), update_request(found), machine.root, machine.run)
    assert machine.ran == []


@pytest.mark.parametrize("signed", [False, True])
def test_another_bundle_in_its_place_is_not_the_one_that_was_agreed_to(
    machine: Machine, tmp_path: Path, signed: bool
) -> None:
    key = new_key(tmp_path) if signed else None
    if key is not None:
        machine.trust(key)
    place = packed(machine.stick / "bundle", key=key)
    asked = update_request(inspect_bundle(place, machine.root))
    shutil.rmtree(place)
    packed(place, "0.1.5", key=key)
    with pytest.raises(UpdateRefusedError, match="agreed to"):
        install_requested(asked, machine.root, machine.run)
    assert machine.ran == []
    said = last_result(machine.root)
    assert said is not None
    assert said.trouble == "update_changed"


def test_what_became_of_it_is_told_to_the_table(machine: Machine) -> None:
    asked = update_request(inspect_bundle(packed(machine.stick / "bundle"), machine.root))
    machine.type(update_permissions.make_pin(machine.root, no_ok=True))
    assert last_result(machine.root) is None
    machine.codes = [1]
    with pytest.raises(UpdateFailedError):
        install_requested(asked, machine.root, machine.run)
    failed = last_result(machine.root)
    assert install_requested(asked, machine.root, machine.run) == "0.2.0"
    done = last_result(machine.root)
    assert failed is not None
    assert done is not None
    assert (failed.trouble, done.trouble, done.version) == ("update_failed", "", "0.2.0")
    assert failed.mark != done.mark


def test_a_stick_that_is_pulled_out_after_the_yes_is_missed(machine: Machine) -> None:
    asked = update_request(inspect_bundle(packed(machine.stick / "bundle"), machine.root))
    shutil.rmtree(machine.stick)
    with pytest.raises(UpdateRefusedError, match="stick"):
        install_requested(asked, machine.root, machine.run)


def test_a_stick_without_a_bundle_has_none(tmp_path: Path) -> None:
    (tmp_path / "holiday").mkdir()
    assert find_bundle(tmp_path) is None
    assert find_bundle(tmp_path / "nowhere") is None


# Who may --------------------------------------------------------------------------------------------------


SIGNED = UpdateProofs(key=True, signed=True, older=False, pin_set=True, held=True)
UNSIGNED = UpdateProofs(key=False, signed=False, older=False, pin_set=True, held=True)


@pytest.mark.parametrize(
    ("proofs", "why"),
    [
        (SIGNED, ""),
        (replace(SIGNED, held=False), "update_button"),
        (replace(SIGNED, held=None), "update_pin"),
        (replace(SIGNED, held=None, pin=True), ""),
        (replace(SIGNED, held=None, pin_set=False), "update_sudo"),
        (replace(SIGNED, held=False, pin=True), "update_button"),
        (replace(SIGNED, older=True), "update_pin"),
        (replace(SIGNED, older=True, pin_set=False), "update_sudo"),
        (replace(SIGNED, older=True, pin=True), ""),
        (replace(SIGNED, older=True, by_root=True, pin_set=False, held=None), ""),
        (UNSIGNED, "update_pin"),
        (replace(UNSIGNED, pin=True), ""),
        (replace(UNSIGNED, pin=True, held=False), "update_button"),
        (replace(UNSIGNED, pin=True, held=None), ""),
        (replace(UNSIGNED, pin_set=False), "update_sudo"),
        (replace(UNSIGNED, by_root=True, pin_set=False, held=None), ""),
        (replace(UNSIGNED, key=True), "update_unsigned"),
        (replace(UNSIGNED, key=True, pin=True), "update_unsigned"),
        (replace(UNSIGNED, key=True, by_root=True), "update_unsigned"),
    ],
)
def test_what_speaks_for_a_bundle_decides(proofs: UpdateProofs, why: str) -> None:
    assert refusal_key(proofs) == why


def asking(machine: Machine, place: Path, *, held: bool | None = None) -> str:
    """Why it does not go in when the table asks for it; empty: it does."""
    asked = update_request(inspect_bundle(place, machine.root))
    machine.ran.clear()
    try:
        install_requested(asked, machine.root, machine.run, None if held is None else lambda _: bool(held))
    except UpdateRefusedError as error:
        assert not any("--offline" in command for command in machine.ran)
        return error.on_screen
    return ""


def test_a_word_of_the_tables_is_no_yes_where_there_is_an_ok_button(machine: Machine, tmp_path: Path) -> None:
    key = new_key(tmp_path)
    machine.trust(key)
    place = packed(machine.stick / "bundle", key=key)
    assert asking(machine, place) == "update_button", "root could not read it"
    assert asking(machine, place, held=False) == "update_button"
    stop, start = (("systemctl", verb, "companion") for verb in ("stop", "start"))
    assert machine.ran == [stop, start], "the pins are root's while it looks, and the table comes back"
    assert asking(machine, place, held=True) == ""
    assert machine.ran[0] == stop


def test_what_root_shows_before_it_waits_for_the_button_is_what_it_copied(
    machine: Machine, tmp_path: Path
) -> None:
    key, shown = new_key(tmp_path), []
    machine.trust(key)
    found = inspect_bundle(packed(machine.stick / "bundle", key=key), machine.root)

    def held(words: str) -> bool:
        shown.append(words)
        shutil.rmtree(machine.stick / "bundle")
        packed(machine.stick / "bundle", "0.3.0")
        return True

    assert install_requested(update_request(found), machine.root, machine.run, held) == "0.2.0"
    assert "0.2.0, signed" in shown[0]
    assert "table_companion-0.2.0-py3-none-any.whl" in machine.held


def test_while_root_asks_for_the_button_nothing_starts_the_table(machine: Machine, tmp_path: Path) -> None:
    """It would have the screen that says what OK is held for; a second request ends by starting it."""
    key = new_key(tmp_path)
    machine.trust(key)
    place = packed(machine.stick / "bundle", key=key)
    asked, found = update_request(inspect_bundle(place, machine.root)), list[list[str]]()
    folder = machine.root / RESULT_FILE.parent

    def held(_: str) -> bool:
        found.append([file.name for file in folder.glob(ASKING.format("*"))])
        return len(found) > 1

    with pytest.raises(UpdateRefusedError):
        install_requested(asked, machine.root, machine.run, held)
    assert list(folder.glob(ASKING.format("*"))) == []
    assert install_requested(asked, machine.root, machine.run, held) == "0.2.0"
    assert list(folder.glob(ASKING.format("*"))) == []
    assert found == [[ASKING.format(asked)]] * 2
    units = SUMS_OF.parent
    table, updater = (units / name for name in ("companion.service", INSTALLED_UNIT.name))
    assert f"ConditionPathExistsGlob=!/{RESULT_FILE.parent}/{ASKING.format('*')}\n" in table.read_text()
    lifted = f"ExecStopPost=-/usr/bin/rm -f /{RESULT_FILE.parent}/{ASKING.format('%i')}\n"
    assert f"{lifted}ExecStopPost=-/usr/bin/systemctl --no-block start" in updater.read_text()


def test_the_button_is_not_asked_for_what_does_not_go_in_anyway(machine: Machine) -> None:
    place = packed(machine.stick / "bundle")
    assert asking(machine, place, held=True) == "update_sudo"
    update_permissions.make_pin(machine.root)
    assert asking(machine, place, held=True) == "update_pin"
    assert machine.ran == []


def test_without_a_button_the_owners_pin_counts_and_nothing_else(machine: Machine) -> None:
    place = packed(machine.stick / "bundle")
    pin = update_permissions.make_pin(machine.root, no_ok=True)
    assert asking(machine, place) == "update_pin"
    machine.type(f"{(int(pin) + 1) % 10**8:08}")
    assert asking(machine, place) == "update_pin"
    machine.type(f"{pin}\n")
    assert asking(machine, place) == ""


def test_an_older_version_needs_the_pin_even_if_it_is_signed(machine: Machine, tmp_path: Path) -> None:
    key = new_key(tmp_path)
    machine.trust(key)
    update_permissions.record_installation("0.10.0", machine.root)
    update_permissions.record_installation("0.3.0", machine.root)
    place = packed(machine.stick / "bundle", "0.9.9", key=key)
    pin = update_permissions.make_pin(machine.root)
    assert asking(machine, place, held=True) == "update_pin"
    machine.type(pin)
    assert asking(machine, place, held=True) == ""
    assert asking(machine, packed(machine.stick / "same", "0.10.0", key=key), held=True) == ""


def test_the_highest_version_is_known_of_tables_that_never_wrote_one_down(machine: Machine) -> None:
    released(machine, "0.1.0-100", 100)
    assert update_permissions.is_older("0.1.0rc1", machine.root)
    assert not update_permissions.is_older("0.1.0", machine.root)
    update_permissions.record_installation("0.0.9", machine.root)
    assert update_permissions.highest_version(machine.root) == "0.1.0"


@pytest.mark.parametrize("text", ["", "newest", "1..2", "\xff"])
def test_where_the_highest_version_cannot_be_read_everything_is_older(machine: Machine, text: str) -> None:
    update_permissions.record_installation("0.2.0", machine.root)
    (machine.root / update_permissions.OWNER_FOLDER / update_permissions.HIGHEST_FILE).write_bytes(
        text.encode("latin-1")
    )
    assert update_permissions.is_older("99", machine.root)


def test_versions_are_in_the_order_of_pep_440() -> None:
    order = "1.dev1 1.0a1.dev2 1.0a1 1.0a2 1.0b1 1.0rc1 1.0 1.0+a 1.0+a.1 1.0+2 1.0.post1.dev1 1.0.post1"
    versions = [*order.split(), "1.0.1", "1.2", "1.10", "1!0.1"]
    keys = [_bundle.version_key(version) for version in versions]
    assert all(before < after for before, after in pairwise(keys))
    assert _bundle.version_key("1.0.0") == _bundle.version_key("1")


@pytest.mark.parametrize("version", ["", "1.", "v1", "1.0-1", "\u0661", "1" * 99, "1.0_old", "latest"])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(ValueError, match="no version"):
        _bundle.version_key(version)


def test_after_ten_wrong_pins_the_right_one_is_none_until_there_is_another(machine: Machine) -> None:
    pin = update_permissions.make_pin(machine.root)
    for _ in range(update_permissions.MAX_WRONG_PINS - 1):
        assert not update_permissions.check_pin(f"{(int(pin) + 1) % 10**8:08}", machine.root)
    assert update_permissions.check_pin(pin, machine.root)
    for _ in range(update_permissions.MAX_WRONG_PINS):
        assert not update_permissions.check_pin(f"{(int(pin) + 1) % 10**8:08}", machine.root)
    assert not update_permissions.check_pin(pin, machine.root)
    assert not update_permissions.is_pin_set(machine.root)
    assert update_permissions.check_pin(update_permissions.make_pin(machine.root), machine.root)


def test_the_pin_is_kept_as_a_hash_that_root_alone_reads(machine: Machine) -> None:
    pin = update_permissions.make_pin(machine.root)
    kept = machine.root / update_permissions.OWNER_FOLDER / update_permissions.PIN_FILE
    assert pin not in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert (
        machine.root / update_permissions.OWNER_FOLDER / update_permissions.WRONG_COUNT_FILE
    ).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", ["", "scrypt zz zz\n", "plain 00 00\n"])
def test_a_damaged_pin_or_count_is_no_pin(machine: Machine, damage: str) -> None:
    pin = update_permissions.make_pin(machine.root)
    (machine.root / update_permissions.OWNER_FOLDER / update_permissions.PIN_FILE).write_text(damage)
    assert not update_permissions.check_pin(pin, machine.root)
    pin = update_permissions.make_pin(machine.root)
    (machine.root / update_permissions.OWNER_FOLDER / update_permissions.WRONG_COUNT_FILE).write_text("-\n")
    assert not update_permissions.check_pin(pin, machine.root)


def test_a_pin_that_is_a_link_a_pipe_or_a_folder_is_not_read(machine: Machine) -> None:
    place = machine.root / update_permissions.TYPED_PIN_FILE
    machine.type("12345678")
    assert update_permissions.typed_pin(machine.root) == "12345678"
    place.rename(place.with_name("real"))
    assert update_permissions.typed_pin(machine.root) == ""
    place.symlink_to("real")
    assert update_permissions.typed_pin(machine.root) == ""
    place.unlink()
    os.mkfifo(place)
    assert update_permissions.typed_pin(machine.root) == ""
    place.unlink()
    place.mkdir()
    assert update_permissions.typed_pin(machine.root) == ""


def test_two_updates_at_once_are_one(machine: Machine) -> None:
    place = packed(machine.stick / "bundle")
    machine.type(update_permissions.make_pin(machine.root, no_ok=True))
    with update_permissions.update_lock(machine.root):
        assert asking(machine, place) == "update_failed"
    assert asking(machine, place) == ""


def test_what_root_installs_by_its_digest_no_stick_replaces_meanwhile(machine: Machine) -> None:
    """Both copy into one folder, out of which the installer reads for minutes."""
    place, guest = packed(machine.root / "home/bundle"), packed(machine.stick / "guest", "0.9.0")

    def run(command: Sequence[str]) -> int:
        assert asking(machine, guest) == "update_failed"
        return machine.run(command)

    assert (
        install_bundle(place, update_request(inspect_bundle(place, machine.root)), machine.root, run)
        == "0.2.0"
    )
    assert "table_companion-0.2.0-py3-none-any.whl" in machine.held


def test_the_installer_runs_in_no_folder_of_a_strangers(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m pip` takes a pip that lies where it is started; nothing of a stick's root has a sum."""
    place = packed(machine.stick / "bundle")
    (place / "install.sh").write_text(f"pwd >{tmp_path}/where\n")
    summed(place)
    monkeypatch.chdir(machine.stick)
    install_bundle(place, update_request(inspect_bundle(place, machine.root)), machine.root)
    assert (tmp_path / "where").read_text() == "/\n"


@pytest.mark.parametrize("kinds", [("ext4",), ("vfat", "ext4"), ("tmpfs",), ()])
def test_a_stick_with_another_file_system_is_none(machine: Machine, kinds: tuple[str, ...]) -> None:
    place = packed(machine.stick / "bundle")
    machine.type(update_permissions.make_pin(machine.root, no_ok=True))
    machine.mounted(*kinds)
    assert asking(machine, place) == "update_changed"
    machine.mounted("exfat")
    assert asking(machine, place) == ""


@pytest.mark.parametrize("name", [CHECKSUM_FILE, SIGNATURE_FILE, "install.sh", "wheels", "RELEASE"])
def test_a_link_on_a_stick_is_not_followed(machine: Machine, tmp_path: Path, name: str) -> None:
    key = new_key(tmp_path)
    machine.trust(key)
    place = packed(machine.stick / "bundle", key=key)
    found = inspect_bundle(place, machine.root)
    (place / name).rename(tmp_path / "elsewhere")
    (place / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UpdateRefusedError, match="is a link"):
        install_bundle(place, update_request(found), machine.root, machine.run)
    (machine.stick / "other").symlink_to(place)
    assert machine.stick / "other" not in _bundle.find_bundles(machine.stick)


def test_of_several_bundles_the_one_asked_for_goes_in(machine: Machine) -> None:
    first = packed(machine.stick / "a", "0.2.0")
    packed(machine.stick / "b", "0.3.0")
    machine.type(update_permissions.make_pin(machine.root, no_ok=True))
    assert (
        install_requested(update_request(inspect_bundle(first, machine.root)), machine.root, machine.run)
        == "0.2.0"
    )


@pytest.mark.parametrize("asked", ["", "signed-", "agreed-../../etc", "x" * 4000, "agreed-" + "0" * 64])
def test_what_the_table_asks_for_only_chooses_among_what_root_found(machine: Machine, asked: str) -> None:
    packed(machine.stick / "bundle")
    machine.type(update_permissions.make_pin(machine.root, no_ok=True))
    with pytest.raises(UpdateRefusedError):
        install_requested(asked, machine.root, machine.run)
    assert machine.ran == []


def test_a_table_from_before_is_marked_once_and_what_its_owner_says_of_the_button_stays(
    machine: Machine,
) -> None:
    notice, no_ok = (
        machine.root / update_permissions.OWNER_FOLDER / update_permissions.NOTICE_FILE,
        machine.root / update_permissions.OWNER_FOLDER / update_permissions.NO_OK_FILE,
    )
    released(machine, "0.1.0-100", 100)
    update_permissions.record_installation("0.1.0", machine.root, ok_button=False)
    assert not notice.exists(), "it is new"
    assert update_permissions.has_no_ok_button(machine.root)
    update_permissions.record_installation("0.1.0", machine.root, ok_button=True)
    assert not no_ok.exists()
    update_permissions.make_pin(machine.root, no_ok=True)
    update_permissions.record_installation("0.2.0", machine.root, ok_button=True)
    assert update_permissions.has_no_ok_button(machine.root)
    update_permissions.make_pin(machine.root)
    assert not update_permissions.has_no_ok_button(machine.root), "the next PIN takes it back"
    update_permissions.make_pin(machine.root, ok_button=False)
    assert update_permissions.has_no_ok_button(machine.root), "there are no pins"
    (machine.root / update_permissions.OWNER_FOLDER / update_permissions.HIGHEST_FILE).unlink()
    released(machine, "0.2.0-200", 200)
    update_permissions.record_installation("0.2.0", machine.root)
    assert notice.exists()


# The way back -----------------------------------------------------------------------------------------------


def released(machine: Machine, name: str, second: int) -> Path:
    """A version that the installer put there."""
    place = machine.root / PROGRAM_FOLDER / "releases" / name
    (place / "venv/bin").mkdir(parents=True)
    (place / "venv/bin/companion").touch()
    os.utime(place, (second, second))
    return place


def test_the_version_before_takes_its_place_again_and_the_newer_one_after_it(machine: Machine) -> None:
    old, new = released(machine, "0.1.0-100", 100), released(machine, "0.2.0-200", 200)
    current = machine.root / PROGRAM_FOLDER / "current"
    current.symlink_to(new)
    assert restore_previous(machine.root, machine.run) == "0.1.0"
    assert current.resolve() == old.resolve()
    assert machine.ran == [("systemctl", "try-restart", "companion")]
    assert restore_previous(machine.root, machine.run) == "0.2.0"
    assert current.resolve() == new.resolve()


def test_where_systemd_does_not_run_nothing_is_started(machine: Machine) -> None:
    (machine.root / SYSTEMD).rmdir()
    old, new = released(machine, "0.1.0-100", 100), released(machine, "0.2.0-200", 200)
    current = machine.root / PROGRAM_FOLDER / "current"
    current.symlink_to(new)
    assert restore_previous(machine.root, machine.run) == "0.1.0"
    assert (current.resolve(), machine.ran) == (old.resolve(), [])


def test_a_version_before_that_does_not_start_gives_way_again(machine: Machine) -> None:
    released(machine, "0.1.0-100", 100)
    new = released(machine, "0.2.0-200", 200)
    current = machine.root / PROGRAM_FOLDER / "current"
    current.symlink_to(new)
    machine.codes = [1]
    with pytest.raises(UpdateFailedError, match=r"0\.1\.0-100 doesn't start"):
        restore_previous(machine.root, machine.run)
    assert current.resolve() == new.resolve()
    assert machine.ran[-1] == ("systemctl", "restart", "companion")


def test_where_only_one_version_is_kept_there_is_no_way_back(machine: Machine) -> None:
    (machine.root / PROGRAM_FOLDER).mkdir(parents=True)
    (machine.root / PROGRAM_FOLDER / "current").symlink_to(released(machine, "0.2.0-200", 200))
    with pytest.raises(UpdateRefusedError, match="no version before"):
        restore_previous(machine.root, machine.run)
