"""What MkDocs does besides: pages that lie beside what they describe are pages of the site, too.

A link that leads out of `docs` leads to the same file on the site where it is a page; else it is only words.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

CHECKOUT = Path(__file__).parents[2]
PAGES = (
    "hardware/README.md",
    "club/README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "companion/referee/journal/README.md",
    "assets/lessons/README.md",
    "tests/programs/pi/README.md",
    "systemd/image/README.md",
)
BESIDE = ("hardware/wiring.svg",)
"""Pictures of those pages."""
BOOST = (
    ("fix/", 3.0),
    ("play/", 2.5),
    ("index.md", 2.0),
    ("build/", 2.0),
    ("know/", 1.5),
    ("hardware/", 1.0),
    ("rules.md", 1.0),
    ("settings.md", 1.0),
    ("commands.md", 1.0),
    ("", 0.3),
)
"""Pages that answer are found first: how much more a search makes of them; papers come last."""
NOT_SEARCHED = "decisions/0"
"""Why the code is as it is: whoever asks how to undo looks for no decision; its index leads to them."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    for path in (*PAGES, *BESIDE):
        urls = config["use_directory_urls"]
        files.append(File(path, str(CHECKOUT), config["site_dir"], urls))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links as they are on the site; `page` lies in `docs`, or where it lies in the checkout."""
    own = page.file.src_uri
    there = own if own in PAGES else f"docs/{own}"
    page.meta["search"] = (
        {"exclude": True}
        if own.startswith(NOT_SEARCHED)
        else {"boost": next(boost for folder, boost in BOOST if own.startswith(folder))}
    )

    def led(found: re.Match[str]) -> str:
        picture, words, link, anchor = found.groups()
        if "://" in link:
            return found[0]
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(there), link))
        known = meant.removeprefix("docs/")
        if files.get_file_from_path(known) is None:
            assert (CHECKOUT / meant).exists(), f"{there}: {link} is nowhere"
            return f"`{meant}`" if words == meant else words
        path = posixpath.relpath(known, posixpath.dirname(own) or ".")
        return f"{picture}[{words}]({path}{anchor or ''})"

    return LINK.sub(led, markdown)
