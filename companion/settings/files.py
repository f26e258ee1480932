"""Search, merging and writing of the settings files.

Order, the first that says something wins: command line, environment `COMPANION_…`, the machine's file
(`$CONFIGURATION_DIRECTORY` or `/etc/companion`), the user's file, defaults. Only `save_settings` writes.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from companion.core.errors import CompanionError
from companion.settings.check import (
    Games,
    SettingsError,
    SettingsLayer,
    fields_by_name,
    fields_of,
    find_conflicts,
    installed_words,
    iterate_settings,
    parse_toml_layer,
    parse_value,
    read_layer,
    suggest_key,
)
from companion.settings.model import Settings, SettingsFile, known_games
from companion.system import safe_files
from companion.system.file_owner import is_there
from companion.system.machine import Machine
from companion.system.safe_files import SizeLimit, atomic_write
from companion.system.toml_lines import KeyPath


def user_settings_file() -> Path:
    """The user's own settings file, there or not."""
    from platformdirs import user_config_path  # noqa: PLC0415

    return user_config_path("companion") / "settings.toml"


def settings_files(environ: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """The files that count without `--settings`, the strongest first."""
    machine = [Path(place) for place in environ.get("CONFIGURATION_DIRECTORY", "").split(":") if place]
    folders = dict.fromkeys((*machine, Path("/etc/companion")))
    return (*(folder / "settings.toml" for folder in folders), user_settings_file())


def find_unread_file(machine: Machine) -> str:
    """A settings file that nobody reads, as one with the ending that Notepad adds; empty: there is none.

    Where no file counts, one of another name, or in the folder of the program or the home, is meant, too.
    """
    files = [str(path).lstrip("/") for path in settings_files(machine.environ)]
    places = [f"{path}.txt" for path in files]
    if not any(map(machine.find, files)):
        homes = (machine.folder, Path.home())
        places += [path.replace("/settings.toml", "/*.toml") for path in files]
        places += [f"{home}/settings.toml".lstrip("/") for home in homes]
    return next((str(found) for place in places for found in machine.find(place)), "")


UNREAD_REMEDY = "rename it to settings.toml, in a folder that companion settings --files lists"


def load_settings(
    *,
    file: Path | None = None,
    overrides: Mapping[str, str] | None = None,
    environ: Mapping[str, str] = os.environ,
    games: Games | None = None,
) -> Settings:
    """The settings in force; `file`: read instead of the machine's and the user's files.

    Raises `SettingsError`, which lists every mistake with file and line.
    """
    named = file or (Path(environ["COMPANION_SETTINGS"]) if environ.get("COMPANION_SETTINGS") else None)
    found = (named,) if named else tuple(path for path in settings_files(environ) if is_there(path))
    return _merge_layers(found, overrides or {}, environ, games)


def _merge_layers(
    files: Sequence[Path], overrides: Mapping[str, str], environ: Mapping[str, str], games: Games | None
) -> Settings:
    layers = [_from_command_line(overrides, games), _from_environment(environ, games)]
    layers.extend(read_file(path, games) for path in files)
    problems = [problem for layer in layers for problem in layer.problems]
    problems = problems or find_conflicts(
        layers, _games_in([key[0] for layer in layers for key in layer.values], games)
    )
    if problems:
        raise SettingsError("\n".join(problems))
    values: dict[KeyPath, Any] = {}
    origins: dict[str, str] = {}
    for layer in reversed(layers):
        for key, value in layer.values.items():
            values[key] = value
            origins[".".join(key)] = layer.origin(key)
    return msgspec.convert({**_nest_keys(values), "origins": origins}, Settings)


def load_settings_or_defaults(
    *, file: Path | None = None, overrides: Mapping[str, str], environ: Mapping[str, str] = os.environ
) -> Settings:
    """As `load_settings`, but where a file has a mistake no file counts, and the settings say so.

    Raises `SettingsError` for a mistake on the command line or in the environment, and for a file that was
    named there.
    """
    try:
        return load_settings(file=file, overrides=overrides, environ=environ)
    except SettingsError as trouble:
        if file is not None or environ.get("COMPANION_SETTINGS"):
            raise
        plain = _merge_layers((), overrides, environ, None)
        return msgspec.structs.replace(plain, mistake=str(trouble))


def read_file(path: Path, games: Games | None = None) -> SettingsLayer:
    """One settings file as a layer, its problems named with their lines."""
    text = _text(path)
    return read_layer(text, str(path), SettingsFile, _games_for(text, games))


def _text(path: Path) -> str:
    try:
        return safe_files.read_text(path, SizeLimit.SETTINGS)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SettingsError(
            f"{path}, line {line}: a letter isn't in UTF-8; save the file as UTF-8 in your editor."
        ) from None
    except PermissionError as error:
        raise SettingsError(
            f"can't read the settings file {path} ({error.strerror}): sudo chmod a+r {path}"
        ) from None
    except OSError as error:
        raise SettingsError(
            f"can't read the settings file {path} ({error.strerror}); check its name and permissions."
        ) from None


def save_settings(path: Path, changes: Mapping[str, Any], *, games: Games | None = None) -> None:
    """Write `changes` (dotted key → value, None: back to the default) into the file `path`, all or nothing.

    Raises `SettingsError` if a value is not allowed, `CompanionError` if the file cannot be written.
    """
    import tomlkit  # noqa: PLC0415 (only needed to write)

    old = _text(path) if is_there(path) else ""
    parse_toml_layer(old, str(path))
    document = tomlkit.parse(old)
    for key, value in changes.items():
        *sections, name = key.split(".")
        place: Any = document
        for section in sections:
            if section not in place:
                place[section] = tomlkit.table(is_super_table=section != sections[-1])
            place = place[section]
        if value is None:
            place.pop(name, None)
        else:
            place[name] = value
    new = tomlkit.dumps(document)
    problems = read_layer(new, str(path), SettingsFile, _games_for(new, games)).problems
    if problems:
        raise SettingsError("\n".join(problems))
    try:
        with atomic_write(path) as file:
            file.write(new.encode())
    except OSError as error:
        raise CompanionError(
            f"can't write the settings to {path} ({error.strerror}); "
            "free space or change the folder's permissions."
        ) from None


def settings_schema(games: Games | None = None) -> dict[str, Any]:
    """The JSON Schema of the settings file, house rules of every game included."""
    known = known_games() if games is None else games
    (top, *options), components = msgspec.json.schema_components(
        (SettingsFile, *known.values()), ref_template="#/$defs/{name}"
    )
    for section in fields_of(SettingsFile):
        for name, kind in fields_by_name(section.type).items() if _is_section(section.type) else ():
            if words := installed_words(kind):
                components[section.type.__name__]["properties"][name]["enum"] = [*words]
    sections = components[SettingsFile.__name__]
    sections["properties"]["rules"] = {
        "type": "object",
        "properties": dict(zip(known, options, strict=True)),
        "additionalProperties": False,
        "default": {},
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **top, "$defs": components}


def effective_settings(settings: Settings, games: Games | None = None) -> Iterator[tuple[str, Any, str]]:
    """Every setting as (dotted key, value in force, origin), in the order of the file.

    A house rule with one possible value is read where somebody wrote it, but there is nothing to set.
    """
    known = known_games() if games is None else games
    plain = msgspec.to_builtins(settings)
    for key, kind, default in iterate_settings(SettingsFile, known):
        if get_origin(kind) is Literal and len(get_args(kind)) == 1:
            continue
        if key[0] == "rules":
            value = settings.rules.get(key[1], {}).get(key[2], default)
        else:
            value = plain
            for name in key:
                value = value.get(name)
                if value is None:
                    break
        named = (
            {(*key, name): one for name, one in value.items()} if isinstance(value, dict) else {key: value}
        )
        for path, one in named.items():
            if one is not None:
                dotted = ".".join(path)
                yield dotted, one, settings.origins.get(dotted, "default")


def _from_command_line(overrides: Mapping[str, str], games: Games | None) -> SettingsLayer:
    known = {
        ".".join(key): (key, kind)
        for key, kind, _ in iterate_settings(SettingsFile, _games_in(overrides, games))
    }
    given: dict[KeyPath, Any] = {}
    problems = []
    for dotted, text in overrides.items():
        if dotted in known:
            key, kind = known[dotted]
            given[key] = parse_value(text, kind)
        else:
            problems.append(f"The command line sets {dotted!r}, {suggest_key(dotted, known)}")
    layer = read_layer(_nest_keys(given), "command line", SettingsFile, _games_in(overrides, games))
    return layer.with_problems(problems)


def _from_environment(environ: Mapping[str, str], games: Games | None) -> SettingsLayer:
    ours = {name: text for name, text in environ.items() if name.startswith("COMPANION_")}
    ours.pop("COMPANION_SETTINGS", None)
    options = _games_in((name[10:].lower() for name in ours), games)
    known = {
        "COMPANION_" + "_".join(key).upper(): (key, kind)
        for key, kind, _ in iterate_settings(SettingsFile, options)
    }
    given: dict[KeyPath, Any] = {}
    names: dict[KeyPath, str] = {}
    problems = []
    for name, text in ours.items():
        if name in known:
            key, kind = known[name]
            given[key], names[key] = parse_value(text, kind), f"environment {name}"
        else:
            problems.append(f"The environment sets {name}, {suggest_key(name, known)}")
    layer = read_layer(_nest_keys(given), "environment", SettingsFile, options, names=names)
    return layer.with_problems(problems)


def _games_for(text: str, games: Games | None) -> Games:
    return _games_in(["rules"] if "rules" in text else [], games)


def _games_in(keys: Mapping[str, str] | Iterator[str] | Sequence[str], games: Games | None) -> Games:
    if games is not None:
        return games
    return known_games() if any(key.startswith("rules") for key in keys) else {}


def _nest_keys(values: Mapping[KeyPath, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in values.items():
        place = tree
        for name in key[:-1]:
            place = place.setdefault(name, {})
        place[key[-1]] = value
    return tree


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def settings_from_stdin() -> Settings:
    """The settings that a table hands to a process it started, by its standard input."""
    return msgspec.json.decode(sys.stdin.buffer.read(), type=Settings)
