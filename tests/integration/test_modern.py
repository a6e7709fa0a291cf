"""The 300 modern sentences: well formed, and counted rightly on their page."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

from fenjie.corpus import read

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "modern"
FILE = FOLDER / "sentences.jsonl"
LABELS = ("PER", "LOC", "ORG")
ENTRIES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


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
    kinds = list(dict.fromkeys(entry["kind"] for entry in ENTRIES))
    for kind in [*kinds, "all"]:
        chosen = [entry for entry in ENTRIES if kind in (entry["kind"], "all")]
        labels = Counter(span[2] for entry in chosen for span in entry["spans"])
        characters = sum(len(entry["text"]) for entry in chosen)
        cells = [kind, len(chosen), characters, *(labels[label] for label in LABELS)]
        assert f"| {' | '.join(map(str, cells))} |" in page
