"""`companion report`: saves an anonymised archive for a bug report."""

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.system.terminal import explain_write_errors, print_lines

MISSING_JOURNAL_FILE = "journal.txt"
"""In the place of a journal that cannot be had: why."""
MAX_EVIDENCE_PICTURES = 200
"""Pictures of evidence that go along, the newest first."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Save the archive, without names. Raises `InputError` for a file that exists already."""
    target: Path = args.file or Path("companion-report.zip")
    with explain_write_errors(target):
        try:
            target.touch(0o600, exist_ok=False)
        except FileExistsError:
            raise InputError(f"{target} already exists; name a new file.") from None
        try:
            parts = dict(_archive_files(args, settings))
            with target.open("wb") as stream, ZipFile(stream, "w", ZIP_DEFLATED) as archive:
                for name, content in parts.items():
                    archive.writestr(name, content)
        except BaseException:
            with suppress(OSError):
                target.unlink()
            raise
    for name, content in parts.items():
        print_lines(f"  {name} ({len(content)} bytes)")
    print_lines(f"Saved {target}, without names. Look through it before you send it.")
    return 0


def _archive_files(args: argparse.Namespace, settings: Settings) -> Iterator[tuple[str, bytes]]:
    """Each file of the archive. What cannot be had is said in its place: a report is made on bad days."""
    yield "versions.txt", _list_versions().encode()
    veil = _Anonymiser(settings)
    yield "settings.json", _to_json(veil.redact(_list_settings(settings)))
    yield "doctor.json", _to_json(veil.redact(_list_findings(settings)))
    for name, content in _journal_files(settings, args.game):
        yield name, veil.redact(content.decode()).encode() if name == MISSING_JOURNAL_FILE else content
    if args.frames:
        yield from _evidence_files(settings)


class _Anonymiser:
    """Takes out of what people wrote who they are: their home, their login, what they call their table."""

    def __init__(self, settings: Settings) -> None:
        home = Path.home()
        known = {home.name, settings.table.name} - {"", "root", Settings().table.name}
        words = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
        self._words = re.compile(rf"(?<!\w)(?:{words})(?!\w)" if words else r"(?!)")
        self._homes = re.compile(rf"{re.escape(str(home))}(?![^/\s])|/(?:home|Users)/[^/\s\"']+")

    def redact(self, value: Any) -> Any:
        """The value with every text in it veiled; keys are ours."""
        if isinstance(value, str):
            return self._words.sub("…", self._homes.sub("~", value))
        if isinstance(value, Mapping):
            return {key: self.redact(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.redact(inner) for inner in value]
        return value


def _evidence_files(settings: Settings) -> Iterator[tuple[str, bytes]]:
    """Pictures of rulings; of a game that is not over none, for it may show what lies hidden there now."""
    from companion.camera.evidence import list_shareable_pictures
    from companion.programs.store_responder import open_store

    folder = settings.store_folder()
    try:
        with open_store(settings) as store:
            kept = list_shareable_pictures(folder, store)
    except CompanionError as trouble:
        yield "evidence.txt", _Anonymiser(settings).redact(f"{trouble}\n").encode()
        return
    for picture in reversed(kept[-MAX_EVIDENCE_PICTURES:]):
        yield str(picture.path.relative_to(folder)), picture.path.read_bytes()


def _list_versions() -> str:
    import platform
    import sys
    from importlib.metadata import distributions

    from companion.system.machine import program_version

    lines = [f"table-companion {program_version()}", f"Python {sys.version}", platform.platform()]
    model = Path("/proc/device-tree/model")
    if model.exists():
        lines.append(model.read_text(encoding="utf-8", errors="replace").strip("\0"))
    found = {f"{one.metadata['Name']} {one.version}" for one in distributions()}
    return "\n".join((*lines, "", *sorted(found, key=str.casefold))) + "\n"


def _list_settings(settings: Settings) -> dict[str, object]:
    from companion.settings.files import effective_settings

    listed = {key: {"value": value, "origin": origin} for key, value, origin in effective_settings(settings)}
    names = listed.get("table.names")
    if names is not None:
        listed["table.names"] = {**names, "value": ["…" if name else "" for name in settings.table.names]}
    return dict(listed)


def _list_findings(settings: Settings) -> list[object]:
    import msgspec

    from companion.cli.checks.device_checks import Devices
    from companion.cli.checks.doctor import run_checks
    from companion.system.machine import Machine

    return [msgspec.to_builtins(finding) for finding in run_checks(Machine(), settings, Devices())]


def _journal_files(settings: Settings, wanted: int | None) -> Iterator[tuple[str, bytes]]:
    import msgspec

    from companion.cli.checks.journal_replay import final_state, replay_steps
    from companion.programs.store_responder import open_store, rules_of_journal
    from companion.referee.journal.json_lines import encode_journal

    try:
        with open_store(settings) as store:
            newest = next(store.iterate_games(), None)
            number = wanted if wanted is not None else (newest.game if newest else None)
            if number is None:
                yield MISSING_JOURNAL_FILE, b"There are no games yet.\n"
                return
            known = store.find_game(number)
            if known and known.outcome and known.outcome.is_open and not store.is_open(known):
                yield MISSING_JOURNAL_FILE, b"That game was won and may still be taken back.\n"
                return
            header, entries = store.read_game(number)
    except CompanionError as trouble:
        if wanted is not None:
            raise
        yield MISSING_JOURNAL_FILE, f"{trouble}\n".encode()
        return
    header, rules = msgspec.structs.replace(header, names=()), rules_of_journal(header)
    try:
        if rules.is_open(final_state(rules, header, entries)):
            yield f"game-{number}.jsonl", encode_journal(header, entries)
            return
        # Its journal would show what is hidden: the same steps as they may be shown now.
        shown = b"".join(msgspec.json.encode(step) + b"\n" for step in replay_steps(rules, header, entries))
    except CompanionError as trouble:
        yield MISSING_JOURNAL_FILE, f"{trouble}\n".encode()
        return
    yield f"game-{number}-steps.jsonl", shown


def _to_json(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()
