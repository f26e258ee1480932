"""`companion voice`: record a voice pack, sentence by sentence, or check one."""

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.terminal import say

SHOWN = 10


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Record a voice pack, or check one; 1 if a recording has a mistake.

    Raises `InputError` for what is no folder, and outside a terminal.
    """
    if args.folder.exists() and not args.folder.is_dir():
        raise InputError(f"{args.folder} is not a folder; name one for the recordings.")
    if args.what == "check":
        return _check(args.folder)
    from companion.run.record_voice import Walk, pack_in
    from companion.ui.takes import wanted
    from hardware.microphone import AlsaMicrophone

    try:
        pack = pack_in(args.folder, input, language=args.language, usual=settings.table.language)
    except EOFError:
        raise InputError("nobody answers: run this in a terminal.") from None
    Walk(pack, AlsaMicrophone(args.device), input, say).through(wanted(pack.contents.language))
    return 0


def _check(folder: Path) -> int:
    from companion.ui.takes import faulty, missing, wanted
    from companion.ui.voice_pack import opened

    pack = opened(folder)
    about = pack.contents
    sentences = wanted(about.language)
    found = list(faulty(pack))
    for line in found:
        say(line)
    lacking = missing(pack, sentences)
    for one in lacking[:SHOWN]:
        say(f"missing: {one.text} ({one.name})")
    if lacking[SHOWN:]:
        say(f"missing: {len(lacking) - SHOWN} more")
    whose = f" by {about.speaker}" if about.speaker else ""
    held = f"{len(sentences) - len(lacking)} of {counted(len(sentences), 'sentence')} in {about.language}"
    say(f"{held}{whose}, licence: {about.licence or 'not stated'}; {counted(len(found), 'mistake')}.")
    return 1 if found else 0
