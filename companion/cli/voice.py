"""`companion voice`: records a voice pack or checks one."""

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, print_lines

MAX_SHOWN_MISTAKES = 10


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Record a voice pack, or check one; 1 if a recording has a mistake.

    Raises `InputError` for what is no folder, and outside a terminal.
    """
    if args.folder.exists() and not args.folder.is_dir():
        raise InputError(f"{args.folder} is not a folder; name one for the recordings.")
    if args.what == "check":
        return _check_pack(args.folder)
    from companion.language.voice.recording_check import sentences_to_record
    from companion.programs.record_voice import RecordingSession, open_or_create_pack
    from hardware.microphone import AlsaMicrophone

    try:
        pack = open_or_create_pack(args.folder, input, language=args.language, usual=settings.table.language)
    except EOFError:
        raise InputError("nobody answers: run this in a terminal.") from None
    RecordingSession(pack, AlsaMicrophone(args.device), input, print_lines).record_all(
        sentences_to_record(pack.contents.language)
    )
    return 0


def _check_pack(folder: Path) -> int:
    from companion.language.voice.recording_check import missing_sentences, pack_faults, sentences_to_record
    from companion.language.voice.voice_pack import open_pack

    pack = open_pack(folder)
    about = pack.contents
    sentences = sentences_to_record(about.language)
    found = list(pack_faults(pack))
    for line in found:
        print_lines(line)
    lacking = missing_sentences(pack, sentences)
    for one in lacking[:MAX_SHOWN_MISTAKES]:
        print_lines(f"missing: {one.text} ({one.name})")
    if lacking[MAX_SHOWN_MISTAKES:]:
        print_lines(f"missing: {len(lacking) - MAX_SHOWN_MISTAKES} more")
    whose = f" by {about.speaker}" if about.speaker else ""
    recorded = len(sentences) - len(lacking)
    held = f"{recorded} of {count_with_noun(len(sentences), 'sentence')} in {about.language}"
    print_lines(
        f"{held}{whose}, licence: {about.licence or 'not stated'}; {count_with_noun(len(found), 'mistake')}."
    )
    return 1 if found else 0
