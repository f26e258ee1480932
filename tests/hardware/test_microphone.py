"""The microphone's process: what it is asked for, and what is said when it does not record."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from hardware.microphone import AlsaMicrophone, MicrophoneError


def program(place: Path, lines: str) -> str:
    """A stand-in for arecord or aplay."""
    place.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
    place.chmod(0o755)
    return str(place)


def test_it_records_sixteen_bits_of_the_named_card_into_the_file(tmp_path: Path) -> None:
    written = tmp_path / "asked"
    recorder = program(tmp_path / "rec", f'echo "$@" > {written}.part; mv {written}.part {written}; exec cat')
    microphone = AlsaMicrophone("hw:1", recorder=recorder)
    microphone.start_recording(tmp_path / "take.wav")
    running = microphone._running
    assert running is not None
    while not written.exists() and running.poll() is None:  # its process has begun then
        with suppress(subprocess.TimeoutExpired):
            running.wait(0.01)
    microphone.stop_recording()
    asked = written.read_text(encoding="utf-8").split()
    assert asked == f"-D hw:1 -q -t wav -f S16_LE -c 1 -r 48000 -d 30 {tmp_path / 'take.wav'}".split()


def test_without_the_program_one_sentence_names_the_fix(tmp_path: Path) -> None:
    microphone = AlsaMicrophone(recorder=str(tmp_path / "none"), player=str(tmp_path / "none"))
    for step in (microphone.start_recording, microphone.play_file):
        with pytest.raises(MicrophoneError, match="sudo apt install alsa-utils"):
            step(tmp_path / "take.wav")
    microphone.stop_recording()


def test_a_recorder_that_found_no_card_says_so(tmp_path: Path) -> None:
    microphone = AlsaMicrophone(recorder=program(tmp_path / "rec", "echo audio open error >&2; exit 1"))
    microphone.start_recording(tmp_path / "take.wav")
    assert microphone._running is not None
    microphone._running.wait()
    with pytest.raises(MicrophoneError, match="can't record: audio open error"):
        microphone.stop_recording()


def test_a_player_that_fails_says_why(tmp_path: Path) -> None:
    microphone = AlsaMicrophone(player=program(tmp_path / "play", "echo no such device >&2; exit 1"))
    with pytest.raises(MicrophoneError, match="can't play: no such device"):
        microphone.play_file(tmp_path / "take.wav")


def test_a_stream_hands_over_whole_samples_until_it_ends(tmp_path: Path) -> None:
    written = tmp_path / "asked"
    lines = f'echo "$@" > {written}; printf "\\001\\000\\377\\377\\005"; echo gone >&2'
    stream = AlsaMicrophone("hw:1", recorder=program(tmp_path / "rec", lines)).open_stream()
    heard: list[int] = []

    def listen() -> None:
        while True:
            heard.extend(stream.read().tolist())

    with pytest.raises(MicrophoneError, match="can't record: gone"):
        listen()
    assert heard == [1, -1]
    asked = written.read_text(encoding="utf-8").strip()
    assert asked == "-D hw:1 -q -t raw -f S16_LE -c 1 -r 48000 --period-time=5000"
    stream.close()


def test_a_stream_that_is_closed_ends_its_process(tmp_path: Path) -> None:
    stream = AlsaMicrophone(recorder=program(tmp_path / "rec", "exec cat /dev/zero")).open_stream()
    assert not stream.read().any()
    stream.close()
    assert stream._running.returncode is not None
    with pytest.raises(MicrophoneError, match="sudo apt install alsa-utils"):
        AlsaMicrophone(recorder=str(tmp_path / "none")).open_stream()
