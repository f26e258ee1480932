"""`companion voice`: plays the voices that are here, records a voice pack or checks one."""

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, print_lines

MAX_SHOWN_MISTAKES = 10


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Try the voices, record a pack, or check one; 1 if a recording has a mistake or nothing can be heard.

    Raises `InputError` for what is no folder, and outside a terminal.
    """
    if args.what == "try":
        return _try_voices(args, settings)
    if args.folder is None:
        raise InputError(f"name the folder: companion voice {args.what} FOLDER")
    if args.folder.exists() and not args.folder.is_dir():
        raise InputError(f"{args.folder} is not a folder; name one for the recordings.")
    if args.what == "check":
        return _check_pack(args.folder)
    from companion.language.voice.voice_pack import sentences_to_record
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


def _try_voices(args: argparse.Namespace, settings: Settings) -> int:
    from contextlib import closing

    from companion.core.clock import GameClock
    from companion.language.language import Language
    from companion.language.voice.mixer import Mixer
    from companion.language.voice.voice_pack import installed_voices
    from companion.programs.sound_check import try_voices
    from companion.settings.files import save_settings, user_settings_file
    from companion.system.device_lock import require_own_table, require_sound_free

    require_own_table(settings.store_folder(), "voice try")
    require_sound_free()
    language = Language(args.language or settings.table.language)
    named = settings.sound.voice_pack if args.folder is None else str(args.folder)
    voices = list(installed_voices(language.code, named, print_lines))
    with closing(Mixer(settings.sound.device, volume=settings.sound.volume)) as output:
        if not output.available:
            print_lines(f"Nothing can be heard here ({output.silence_reason}). Voices in {language.code!r}:")
            print_lines(*(f"{number}. {voice.name}" for number, voice in enumerate(voices, 1)))
            return 1
        try:
            chosen = try_voices(language, voices, output, GameClock(), input, print_lines)
        except EOFError:
            raise InputError("nobody answers: run this in a terminal.") from None
    if chosen is None:
        print_lines("Nothing was changed.")
        return 0
    file = user_settings_file()
    save_settings(file, {"sound.voice_pack": chosen.setting})
    print_lines(f"Saved in {file}: {chosen.name}.")
    return 0


def _check_pack(folder: Path) -> int:
    from companion.language.voice.voice_pack import (
        missing_sentences,
        open_pack,
        pack_faults,
        sentences_to_record,
    )

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
