"""The lock names everything the program needs, in versions it may have, each file with its hash."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.version import Version


def locked(checkout: Path) -> dict[str, list[str]]:
    """Package → its version and hashes."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in (checkout / "systemd" / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if pinned := re.match(r"([a-z0-9-]+)==([^ ]+)", line):
            name = pinned[1]
            found[name] = [pinned[2]]
        elif hashed := re.match(r" +--hash=(sha256:[0-9a-f]{64})", line):
            found[name].append(hashed[1])
    return found


def test_the_lock_fits_what_the_project_asks_for(checkout: Path) -> None:
    asked = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    pins = locked(checkout)
    for each in map(Requirement, asked):
        if each.marker is not None and not each.marker.evaluate({"python_version": "3.13"}):
            continue  # what newer Pythons take instead
        assert Version(pins[each.name][0]) in each.specifier, each.name


def test_every_locked_version_has_the_hashes_of_its_files(checkout: Path) -> None:
    assert all(len(pinned) > 1 for pinned in locked(checkout).values())


def test_the_lock_names_no_index_and_no_machine(checkout: Path) -> None:
    text = (checkout / "systemd" / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert "index-url" not in text


# Of a bundle ----------------------------------------------------------------------------------------------


@pytest.fixture
def libraries(checkout: Path) -> ModuleType:
    """The installer's own script, which is no part of the program."""
    spec = importlib.util.spec_from_file_location("libraries", checkout / "systemd" / "libraries.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A folder with two small wheels."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for name, version in (("Deck_Box", "1.2"), ("lamps", "3.0")):
        about = f"{name}-{version}.dist-info"
        with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name.lower()}.py", f"__version__ = {version!r}\n")
            wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{about}/RECORD", "")
    return folder


def installing(wheels: Path, lock: str, checkout: Path) -> subprocess.CompletedProcess[str]:
    """pip as install.sh calls it, into a folder beside the wheels."""
    text = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if "--require-hashes" in line]
    flags = [word for word in line.split() if word.startswith("--") and word != "--find-links"]
    file = wheels.parent / "requirements.lock"
    file.write_text(lock, encoding="utf-8")
    words = [*flags, "--find-links", str(wheels), "-r", str(file), "--target", str(wheels.parent / "in")]
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    return subprocess.run([*pip, *words], capture_output=True, text=True, check=False)


def test_a_bundles_lock_names_exactly_its_wheels(libraries: ModuleType, wheels: Path) -> None:
    lock = libraries.lock(wheels)
    assert libraries.locked(lock) == {"deck-box": "1.2", "lamps": "3.0"}
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}$", lock, re.MULTILINE)) == 2


def test_the_pages_lock_is_its_own_libraries_with_all_that_they_need_and_no_others(
    libraries: ModuleType, wheels: Path
) -> None:
    needs = {
        "table_companion-1": ["numpy>=1", "Web.App>=2; extra == 'page'", "pins; extra == 'dev'"],
        "web_app-2": ["loop", 'old; python_version < "3"', "fast; extra == 'speed'"],
        "table_companion_club-1": ["table-companion[home] == 1.*", "database; extra == 'hub'"],
        "loop-1": [], "numpy-1": [], "pins-1": [], "fast-1": [],
        **{f"{name}-1": [] for name in libraries.PAGE_LOADS},
    }  # fmt: skip
    for which, requires in needs.items():
        name, version = which.split("-")
        with zipfile.ZipFile(wheels / f"{which}-py3-none-any.whl", "w") as wheel:
            lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {one}" for one in requires)]
            wheel.writestr(f"{which}.dist-info/METADATA", "\n".join(["Metadata-Version: 2.1", *lines, ""]))
    found = libraries.of_the_page(libraries.needed_by(wheels))
    assert found == {"table-companion", "table-companion-club", "web-app", "loop", *libraries.PAGE_LOADS}
    assert libraries.locked(libraries.lock(wheels, found)).keys() == found


def test_the_page_loads_without_the_programs_other_libraries() -> None:
    """In an environment of the page's own there is no numpy, no pygame, no OpenCV and no gpiozero."""
    without = (
        "import sys; sys.modules.update(dict.fromkeys(('numpy', 'pygame', 'cv2', 'gpiozero', 'reportlab')))"
    )
    asked = f"{without}; from companion.network.web.serve import serve_page"
    asked += "; from companion.network.web import static_files; static_files.load_pages()"
    asked += "; from companion.__main__ import main; main(['page', '--port', '70000'])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert "there is no port 70000" in done.stderr


def test_the_uplink_loads_without_the_programs_other_libraries(tmp_path: Path) -> None:
    """It lives in the page's environment, and says whose turn it is in words."""
    asked = (
        "import sys; sys.modules.update(dict.fromkeys(('numpy', 'pygame', 'cv2', 'gpiozero', 'reportlab')))"
        "; from companion.network.uplink_messages import UplinkHello"
        "; from companion.language.language import Language"
        "; from companion.home.home_assistant import HomeAssistantDevice; import companion.home.broker"
        "; device = HomeAssistantDevice('c', 't', 's', UplinkHello('r', 'n', 'p'), Language('de'))"
        "; print(device.discovery_payload()['device']['model'])"
        f"; from companion.__main__ import main; main(['--set', 'storage.folder={tmp_path}', 'uplink'])"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert "Tisch für Kartenspiele" in done.stdout
    assert "there is no table in" in done.stderr


def test_what_the_lock_names_is_installed_without_a_network(
    libraries: ModuleType, wheels: Path, checkout: Path
) -> None:
    done = installing(wheels, libraries.lock(wheels), checkout)
    assert done.returncode == 0, done.stderr
    assert (wheels.parent / "in" / "lamps.py").exists()


def test_a_wheel_that_was_changed_on_the_way_is_not_installed(
    libraries: ModuleType, wheels: Path, checkout: Path
) -> None:
    lock = libraries.lock(wheels)
    with zipfile.ZipFile(wheels / "lamps-3.0-py3-none-any.whl", "a") as wheel:
        wheel.writestr("more.py", "")
    done = installing(wheels, lock, checkout)
    assert done.returncode != 0
    assert not (wheels.parent / "in" / "lamps.py").exists()


def test_a_bundle_is_made_with_its_lock_and_what_reads_it(checkout: Path) -> None:
    text = (checkout / "systemd" / "bundle.sh").read_text(encoding="utf-8")
    made, copied = text.index('lock "$OUT/wheels"'), text.index("systemd/libraries.py systemd/companion")
    assert text.index('rm -f "$OUT/wheels/$package"') < made < copied


def problems(libraries: ModuleType, here: dict[str, str], pinned: dict[str, str]) -> list[str]:
    """What is wrong where these versions are installed and version 2.0 of the decks' box does not load."""

    def load(module: str) -> None:
        if module == "deck_box" and here["deck-box"] == "2.0":
            raise ImportError("libCard.so is missing")

    return list(
        libraries.problems(["deck-box>=1.0", "opencv-python>=4.10,<6"], pinned, found=here.get, load=load)
    )


def test_each_library_is_looked_for_loaded_and_of_its_version(libraries: ModuleType) -> None:
    whole = {"deck-box": "1.2", "opencv-python": "5.0.0.93"}
    assert problems(libraries, whole, {"deck-box": "1.2"}) == []
    assert problems(libraries, whole, {"deck-box": "1.3"}) == ["deck-box is 1.2 here, not 1.3"]
    assert problems(libraries, {"deck-box": "1.2"}, {}) == ["opencv-python is missing"]
    assert problems(libraries, whole | {"deck-box": "0.9"}, {}) == ["deck-box is 0.9 here; >=1.0 is needed"]
    assert problems(libraries, whole | {"deck-box": "2.0"}, {}) == [
        "deck-box 2.0 does not load (ImportError: libCard.so is missing)"
    ]


def test_the_bill_of_materials_names_each_wheel_with_its_hash_and_licence(
    libraries: ModuleType, wheels: Path
) -> None:
    with zipfile.ZipFile(wheels / "light-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("light-1.0.dist-info/METADATA", "Name: Light\nVersion: 1.0\nLicense-Expression: MIT\n")
        wheel.writestr("light/_vendor/oil-2.dist-info/METADATA", "Name: oil\nVersion: 2\n")
    bill = json.loads(libraries.sbom(wheels))
    assert bill["bomFormat"] == "CycloneDX"
    named = {one["name"]: one for one in bill["components"]}
    assert set(named) == {"deck-box", "lamps", "light"}
    digest = hashlib.sha256((wheels / "light-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    assert named["light"]["hashes"] == [{"alg": "SHA-256", "content": digest}]
    assert named["light"]["licenses"] == [{"license": {"name": "MIT"}}]
    assert "licenses" not in named["lamps"]


def test_what_another_python_or_an_extra_asks_for_is_not_missing(libraries: ModuleType) -> None:
    asked = ["tomlkit>=0.13", "pygame-ce>=2.5; python_version >= '4'", "reportlab>=4; extra == 'print'"]
    found = {"tomlkit": "0.15.2"}.get
    assert list(libraries.problems(asked, {}, found=found, load=lambda name: None)) == []
    asked[1] = "pygame-ce>=2.5; python_version < '4'"
    assert list(libraries.problems(asked, {}, found=found, load=lambda name: None)) == [
        "pygame-ce is missing"
    ]


def test_the_headless_opencv_stands_in_for_the_other(libraries: ModuleType) -> None:
    headless = {"deck-box": "1.2", "opencv-python-headless": "5.0.0.93"}
    assert problems(libraries, headless, {"opencv-python-headless": "5.0.0.93"}) == []
