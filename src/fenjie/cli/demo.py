"""`fenjie demo`: a page of Chinese of many kinds, segmented in colour."""

from __future__ import annotations

import os
import time
from importlib.resources import files

import typer


def demo() -> None:
    """Segment a page of news, chat, numbers, Latin and emoji, and show it in colour."""
    from fenjie.cli.segment import color, spaced
    from fenjie.runtime.ready import load

    page = files("fenjie.cli").joinpath("demo.txt").read_text(encoding="utf-8").splitlines()
    begin = time.perf_counter()
    tagger = load()
    loaded = time.perf_counter()
    sentences = tagger(page)
    done = time.perf_counter()
    plain = "NO_COLOR" in os.environ
    for sentence in sentences:
        typer.echo((spaced if plain else color)(sentence, ""), color=True)
    characters = sum(map(len, page))
    typer.echo(
        f"\n{characters:,} characters in {1000 * (done - loaded):.0f} ms with the model "
        f"{tagger.folder.name!r}, loaded in {1000 * (loaded - begin):.0f} ms; one thread"
    )
