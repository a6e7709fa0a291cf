"""The modern sentences: well formed, and counted rightly on their page."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

from fenjie.corpus import read

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "modern"
FILE = FOLDER / "sentences.jsonl"
LABELS = ("PER", "LOC", "ORG")


def entries_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


ENTRIES, WORKS = entries_of(FILE), entries_of(FOLDER / "works.jsonl")


def test_there_are_300_different_sentences() -> None:
    assert len(ENTRIES) == 300
    assert len({entry["id"] for entry in ENTRIES}) == 300
    assert len({entry["text"] for entry in ENTRIES}) == 300
    assert all(entry["id"].startswith(entry["kind"] + "-") for entry in ENTRIES)


def test_spans_are_names_in_their_text() -> None:
    for entry in ENTRIES:
        text, spans = entry["text"], entry["spans"]
        assert text == text.strip() and "\n" not in text, entry["id"]
        assert all(after[0] >= before[1] for before, after in pairwise(spans)), entry["id"]
        for start, end, label in spans:
            assert 0 <= start < end <= len(text), entry["id"]
            assert text[start:end] == text[start:end].strip(" #@，。、《》“”\u3000"), entry["id"]
            assert label in LABELS, entry["id"]


def test_a_name_has_one_label() -> None:
    labels: dict[str, set[str]] = {}
    for entry in ENTRIES:
        for start, end, label in entry["spans"]:
            labels.setdefault(entry["text"][start:end], set()).add(label)
    assert {name: found for name, found in labels.items() if len(found) > 1} == {}


def test_sentences_of_kind_none_have_no_spans() -> None:
    assert all(bool(entry["spans"]) == (entry["kind"] != "none") for entry in ENTRIES)


def test_fenjie_reads_the_file() -> None:
    sentences = read(FILE).sentences
    assert [sentence.text for sentence in sentences] == [entry["text"] for entry in ENTRIES]
    assert sum(len(sentence.spans) for sentence in sentences) == sum(
        len(entry["spans"]) for entry in ENTRIES
    )


def test_the_page_states_the_counts() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    for entries, labels in ((ENTRIES, LABELS), (WORKS, ("BOOK", "MOVIE", "SONG"))):
        for kind in [*dict.fromkeys(entry["kind"] for entry in entries), "all"]:
            chosen = [entry for entry in entries if kind in (entry["kind"], "all")]
            found = Counter(span[2] for entry in chosen for span in entry["spans"])
            characters = sum(len(entry["text"]) for entry in chosen)
            cells = [kind, len(chosen), characters, *(found[label] for label in labels)]
            assert f"| {' | '.join(map(str, cells))} |" in page


def test_works_are_marked_as_the_page_says() -> None:
    assert len(WORKS) == len({entry["text"] for entry in WORKS}) == 80
    for entry in WORKS:
        assert bool(entry["spans"]) == (entry["kind"] != "none"), entry["id"]
        for start, end, label in entry["spans"]:
            title = entry["text"][start:end]
            assert label in ("BOOK", "MOVIE", "SONG") and title.strip(" ，。、") == title, entry[
                "id"
            ]
            assert entry["text"][start - 1 : start] != "《", entry["id"]
