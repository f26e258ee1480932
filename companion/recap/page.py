"""A recap as one HTML file: pictures within, nothing from elsewhere, no program, readable by eye and by ear.

One steps through it by links (so by finger, by keys, by a screen reader); whoever prints it gets all of it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

MARKS: Mapping[str, str] = {"turning": "◆", "bluff": "★", "uncaught": "●", "wrong": "▲"}
STYLE = """
:root{color-scheme:light}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
body{margin:0 auto;max-width:62rem;padding:1rem;color:#1b1b1b;background:#fff}
body{font:1.125rem/1.5 system-ui,sans-serif}
h1{font-size:1.8rem;line-height:1.2;margin:.2em 0}
h2{font-size:1.35rem;line-height:1.3;margin:.2em 0}
a{color:#0b3d91}
a:focus-visible{outline:3px solid #b35900;outline-offset:2px}
nav{margin:.4rem 0 1.2rem}
nav ol{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.35rem}
nav a{display:block;min-width:2.6rem;padding:.35rem;text-align:center;text-decoration:none}
nav a{border:2px solid #0b3d91;border-radius:.4rem}
nav a:hover{background:#e6edf9}
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:.2rem 0;font-weight:bold}
dl{display:grid;grid-template-columns:max-content max-content;gap:.1rem 1.2rem;margin:0 0 1rem}
dd{margin:0;font-weight:bold;text-align:right}
section{padding:1rem 0;border-top:2px solid #767676;scroll-margin-top:.5rem}
section:target{background:#fff8e6}
.kind{font-weight:bold;margin:0}
.turning{color:#0b3d91}.bluff{color:#7a4300}.uncaught{color:#6b1d6b}.wrong{color:#a11212}
img{display:block;width:100%;height:auto;border:1px solid #767676}
.steps{display:flex;justify-content:space-between;gap:1rem;margin:.6rem 0 0}
.steps a{padding:.5rem .9rem;border:2px solid #0b3d91;border-radius:.4rem;text-decoration:none}
@media print{nav,.steps{display:none}section{break-inside:avoid}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
""".strip()


class Stop(NamedTuple):
    """One stop of the page, in its language."""

    kind: str
    kind_told: str
    clock: str
    told: str
    picture: bytes
    """A JPEG."""


class Facts(NamedTuple):
    """What stands above the time line."""

    title: str
    ending: str
    when: str
    numbers: Sequence[tuple[str, str]]


def page(language: str, facts: Facts, stops: Sequence[Stop], tr: Callable[..., str]) -> str:
    """The whole file; `tr` looks words up."""
    head = (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy"'
        " content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(facts.title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
    )
    numbers = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.numbers)
    when = f"<p>{escape(facts.when)}</p>\n" if facts.when else ""
    lead = (
        f"<header>\n<h1>{escape(facts.title)}</h1>\n<p><strong>{escape(facts.ending)}</strong></p>\n"
        f"{when}</header>\n<main>\n"
        f"<h2>{escape(tr('recap.numbers'))}</h2>\n<dl>{numbers}</dl>\n"
    )
    foot = f"</main>\n<footer><p>{escape(tr('recap.made'))}</p></footer>\n</body>\n</html>\n"
    if not stops:
        return f"{head}{lead}<p>{escape(tr('recap.none'))}</p>\n{foot}"
    links = "".join(
        f'<li><a class="{stop.kind}" href="#stop{number}" aria-label="{number}: {escape(stop.kind_told)}">'
        f'<span aria-hidden="true">{MARKS[stop.kind]}</span> {number}</a></li>'
        for number, stop in enumerate(stops, 1)
    )
    line = f'<nav aria-label="{escape(tr("recap.line"))}">\n{_legend(stops)}<ol>{links}</ol>\n</nav>\n'
    told = "".join(_section(number, stop, len(stops), tr) for number, stop in enumerate(stops, 1))
    return f"{head}{lead}<h2>{escape(tr('recap.line'))}</h2>\n{line}{told}{foot}"


def _legend(stops: Sequence[Stop]) -> str:
    """What the marks of this time line mean."""
    kinds = {stop.kind: stop.kind_told for stop in stops}
    told = "".join(
        f'<span class="{kind}"><span aria-hidden="true">{MARKS[kind]}</span> {escape(kinds[kind])}</span>'
        for kind in MARKS
        if kind in kinds
    )
    return f'<p class="legend">{told}</p>\n'


def _section(number: int, stop: Stop, count: int, tr: Callable[..., str]) -> str:
    image = b64encode(stop.picture).decode("ascii")
    alt = escape(tr("recap.alt", what=stop.told))
    before = (
        f'<a href="#stop{number - 1}">← {escape(tr("recap.previous"))}</a>' if number > 1 else "<span></span>"
    )
    after = (
        f'<a href="#stop{number + 1}">{escape(tr("recap.next"))} →</a>' if number < count else "<span></span>"
    )
    return (
        f'<section id="stop{number}" aria-labelledby="told{number}">\n'
        f'<p class="kind {stop.kind}"><span aria-hidden="true">{MARKS[stop.kind]}</span>'
        f" {number}/{count} · {escape(stop.kind_told)} · {escape(stop.clock)}</p>\n"
        f'<h2 id="told{number}">{escape(stop.told)}</h2>\n'
        f'<img src="data:image/jpeg;base64,{image}" alt="{alt}" width="960" height="540">\n'
        f'<p class="steps">{before}{after}</p>\n</section>\n'
    )
