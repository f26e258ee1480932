"""The libraries of a bundle: written down as a lock where it is made, and looked for where it is installed.

usage: libraries.py lock WHEELS            every wheel of the folder with its version and hash, for pip
       libraries.py page WHEELS            the same for what page and uplink need in their own environment
       libraries.py page                   that of the environment that runs this, without hashes
       libraries.py sbom WHEELS            the same as a bill of materials (CycloneDX 1.5), with licences
       libraries.py check [LOCK]           whether what the program needs and the lock names is here and loads

It runs with any Python from 3.11 on and what comes with it: at both times nothing else is there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from email.message import Message
from email.parser import HeaderParser
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

PROGRAM, CLUB = "table-companion", "table-companion-club"
"""The club comes along, for an uplink that tells a club as well; what only its hub needs does not."""
MODULES: Mapping[str, str] = {
    "opencv-python": "cv2",
    "opencv-python-headless": "cv2",
    "pygame-ce": "pygame",
    PROGRAM: "companion",
}
"""Distribution → what is imported, where it is not called the same."""
STAND_INS: Mapping[str, str] = {"opencv-python": "opencv-python-headless", "pygame-ce": "pygame"}
"""What may be there in the place of another."""


PAGE_LOADS = ("msgspec", "platformdirs", "tomlkit")
"""What page and uplink import of the program's own libraries: no pictures, no numbers, no devices."""


def lock(wheels: Path, names: frozenset[str] | None = None) -> str:
    """Every wheel of the folder, or those of these names, by name and version, with its hash."""
    lines = []
    for wheel in sorted(wheels.glob("*.whl")):
        name, number = wheel.name.split("-")[:2]
        if names is not None and _plain(name) not in names:
            continue
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        lines.append(f"{_plain(name)}=={number} --hash=sha256:{digest}\n")
    return "".join(lines)


def of_the_page(needed: Callable[[str], list[str] | None]) -> frozenset[str]:
    """Program and club, the extras `page` and `home` and all that those need; `needed` tells requirements.

    Markers of other Pythons are followed, too: what is not there is left out (None).
    """
    extra = [one for one in needed(PROGRAM) or [] if re.search(r"extra\s*==\s*[\"'](?:page|home)[\"']", one)]
    found, waiting = {PROGRAM, CLUB}, [*extra, *PAGE_LOADS]
    while waiting:
        name = _plain(re.split(r"[^A-Za-z0-9._-]", waiting.pop(), maxsplit=1)[0])
        more = None if name in found else needed(name)
        if more is not None:
            found.add(name)
            waiting += [one for one in more if "extra ==" not in one]
    return frozenset(found)


def needed_by(wheels: Path) -> Callable[[str], list[str] | None]:
    """Tells what each wheel of the folder requires; None where there is none."""
    said = {
        _plain(about["Name"]): about.get_all("Requires-Dist", [])
        for about in map(_about, wheels.glob("*.whl"))
    }
    return said.get


def _about(wheel: Path) -> Message:
    """A wheel's own METADATA; it may carry others, further down."""
    inside = zipfile.ZipFile(wheel)
    (about,) = [name for name in inside.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
    return HeaderParser().parsestr(inside.read(about).decode("utf-8"))


def sbom(wheels: Path) -> str:
    """Every wheel of the folder with its hash and licence; without a date, so that it stays the same."""
    components = []
    for wheel in sorted(wheels.glob("*.whl")):
        said = _about(wheel)
        name, number = _plain(said["Name"]), said["Version"]
        licence = said["License-Expression"] or (said["License"] or "").partition("\n")[0]
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        components.append(
            {
                "type": "application" if name in {PROGRAM, CLUB} else "library",
                "name": name,
                "version": number,
                "purl": f"pkg:pypi/{name}@{number}",
                "hashes": [{"alg": "SHA-256", "content": digest}],
                **({"licenses": [{"license": {"name": licence}}]} if licence else {}),
            }
        )
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": components}
    return json.dumps(bill, indent=1) + "\n"


def locked(text: str) -> dict[str, str]:
    """Name → version of a lock."""
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", text, re.MULTILINE))


def problems(
    asked: list[str],
    pinned: Mapping[str, str],
    *,
    found: Callable[[str], str | None],
    load: Callable[[str], object] = import_module,
) -> Iterator[str]:
    """What is wrong with the libraries here: missing, of another version, or not to be loaded.

    `asked` are requirements such as "numpy>=1.24; python_version < '3.14'", of which those for other Pythons
    and of extras are left out; `found` tells the version of one.
    """
    from pip._vendor.packaging.requirements import Requirement  # noqa: PLC0415 - only checking needs it

    ours = [
        one for one in map(Requirement, asked) if one.marker is None or one.marker.evaluate({"extra": ""})
    ]
    wanted = {_plain(one.name): one.specifier for one in ours}
    for name in sorted({*wanted, *pinned}):
        stand_in = STAND_INS.get(name, name)
        here = stand_in if found(name) is None and found(stand_in) is not None else name
        number = found(here)
        if number is None:
            yield f"{name} is missing"
        elif name in pinned and number != pinned[name]:
            yield f"{name} is {number} here, not {pinned[name]}"
        elif name in wanted and not wanted[name].contains(number, prereleases=True):
            yield f"{name} is {number} here; {wanted[name]} is needed"
        elif name in wanted:  # what those need, they load
            try:
                load(MODULES.get(here, here.replace("-", "_")))
            except Exception as trouble:  # noqa: BLE001 - a library may fail in any way while it loads
                yield f"{here} {number} does not load ({type(trouble).__name__}: {trouble})"


def _plain(name: str) -> str:
    """The one way to write a distribution's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _needed_here(name: str) -> list[str] | None:
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return None


def _found(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def main(words: list[str]) -> int:
    match words:
        case ["lock", folder]:
            sys.stdout.write(lock(Path(folder)))
            return 0
        case ["page", folder]:
            sys.stdout.write(lock(Path(folder), of_the_page(needed_by(Path(folder)))))
            return 0
        case ["page"]:
            ours = sorted(of_the_page(_needed_here) - {PROGRAM, CLUB})
            sys.stdout.writelines(f"{name}=={version(name)}\n" for name in ours)
            return 0
        case ["sbom", folder]:
            sys.stdout.write(sbom(Path(folder)))
            return 0
        case ["check", *files] if len(files) < 2:
            os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
            pinned = locked("".join(Path(file).read_text(encoding="utf-8") for file in files))
            wrong = list(problems(requires(PROGRAM) or [], pinned, found=_found))
            for one in wrong:
                sys.stderr.write(f"libraries: {one}\n")
            return 1 if wrong else 0
        case _:
            sys.stderr.write(__doc__ or "")
            return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
