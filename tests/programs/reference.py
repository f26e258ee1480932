"""`make reference`: the settings as a page, from the code that reads them (`docs/settings.md`)."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import msgspec

from companion.settings import model

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
MARK = "## All settings\n"


def page() -> str:
    """The page with its reference as the code has it now."""
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    return head + MARK + "\n" + "\n".join(sections()) + "\n"


def sections() -> Iterator[str]:
    yield "Only what differs from the default has to be written down."
    for name, kind in get_type_hints(model.SettingsFile).items():
        if name == "rules":
            continue
        yield f"\n### `[{name}]`\n"
        yield "| key | value | default | what it is |"
        yield "|---|---|---|---|"
        yield from rows(kind, "")


def rows(kind: type, before: str) -> Iterator[str]:
    """One line a setting; a section within a section stands as `section.key`."""
    told = said_of(kind)
    for field in msgspec.structs.fields(kind):
        name = f"{before}{field.encode_name}"
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            yield from rows(field.type, f"{name}.")
            continue
        values, limits = values_of(field.type)
        words = told.get(field.name, "")
        if limits:
            words = f"{words.rstrip('.')} ({limits})." if words else limits
        yield f"| `{name}` | {values} | {shown(field)} | {words} |"


def said_of(kind: type) -> dict[str, str]:
    """What the source says below each field."""
    (owner,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(owner, ast.ClassDef)
    found = {}
    for one, after in zip(owner.body, owner.body[1:], strict=False):
        if isinstance(one, ast.AnnAssign) and isinstance(after, ast.Expr):
            words = ast.literal_eval(after.value)
            found[ast.unparse(one.target)] = re.sub(r"\s+", " ", str(words)).replace("|", "\\|")
    return found


def values_of(kind: object) -> tuple[str, str]:
    """What may stand there, and within which limits."""
    known = msgspec.inspect.type_info(kind)
    limits = ""
    if isinstance(known, msgspec.inspect.Metadata):
        schema = known.extra_json_schema or {}
        limits = str(schema.get("description", ""))
        known = known.type
    match known:
        case msgspec.inspect.BoolType():
            return "true, false", limits
        case msgspec.inspect.LiteralType():
            return ", ".join(f"`{one}`" for one in known.values), limits
        case msgspec.inspect.IntType():
            return (f"{known.ge} to {known.le}" if known.ge is not None else "a whole number"), limits
        case msgspec.inspect.StrType():
            return "text", limits
        case msgspec.inspect.TupleType():
            return f"{len(known.item_types)} whole numbers", limits
        case msgspec.inspect.DictType():
            return "a table", limits
    return "a list", limits


def shown(field: msgspec.structs.FieldInfo) -> str:
    default = field.default
    if default is msgspec.NODEFAULT:
        default = field.default_factory()  # type: ignore[operator]  # one of the two is there
    if isinstance(default, bool):
        return str(default).lower()
    if default in ("", (), {}):
        return ""
    return f"`{list(default) if isinstance(default, tuple) else default}`"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    sys.stderr.write(f"{PAGE.name}: written again\n")


if __name__ == "__main__":
    main()
