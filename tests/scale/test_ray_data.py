"""Data sets of Ray: columns, and workers that are killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

ray = pytest.importorskip("ray", reason="needs the extra `ray`")
pa = pytest.importorskip("pyarrow", reason="needs the extra `tables`")

import fenjie  # noqa: E402
import fenjie.scale  # noqa: E402
from fenjie.errors import FenjieError  # noqa: E402
from fenjie.runtime.segmenter import Segmenter  # noqa: E402
from fenjie.scale import ray_data  # noqa: E402
from fenjie.text.span import Sentence  # noqa: E402

TEXTS = ["商品和服务，他说的确实在理。", None, "", "今天 天气\t很好！北京", "价格３．５％😂 abc"]


def rows(count: int, first: int = 0) -> Any:
    numbers = range(first, first + count)
    texts = [TEXTS[number % len(TEXTS)] for number in numbers]
    return pa.table({"id": list(numbers), "text": pa.array(texts, pa.string())})


@pytest.mark.slow
def test_columns_are_added(ray_cluster: None, tiny_model: Path, tiny_ner: Path) -> None:
    data = ray.data.from_arrow([rows(7), rows(3, 7)])
    segment, tagger = fenjie.load(tiny_model), fenjie.load(tiny_ner)
    segment.words.add("品和", force=True)
    made = fenjie.scale.segment(data, segment).take_all()
    assert sorted(row["id"] for row in made) == list(range(10))
    for row in made:
        text = row["text"]
        assert row["words"] == (None if text is None else segment(text).words)
    made = fenjie.scale.tag(data, tiny_ner, into="found", workers=1).take_all()
    assert sorted(row["id"] for row in made) == list(range(10))
    keys = ("text", "label", "start", "end")
    for row in made:
        if row["text"] is None:
            assert row["found"] is None
        else:
            entities = [(e.text, e.label, e.start, e.end) for e in tagger(row["text"]).entities]
            assert [tuple(found[key] for key in keys) for found in row["found"]] == entities
    with pytest.raises(FenjieError, match="no column 'body'; found 'id', 'text'"):
        fenjie.scale.segment(data, segment, "body")
    with pytest.raises(FenjieError, match="column 'id' is no text; found int64"):
        fenjie.scale.segment(data, segment, "id")
    with pytest.raises(FenjieError, match="a model for the task 'ner'; expected 'segment'"):
        fenjie.scale.segment(data, tiny_ner)


class Mortal(Segmenter):
    """A segmenter whose process is killed at a text, once two processes work.

    Attributes:
        marks: the folder where each process leaves a file.
    """

    marks: Path

    @property
    def _changes(self) -> Any:
        return self.words, self.marks

    def __setstate__(self, changes: Any) -> None:
        """Take the user words and the folder."""
        self.words, self.marks = changes

    def stream(self, texts: Iterable[str], *, workers: int = 1) -> Iterator[Sentence]:
        """The sentences."""
        listed = list(texts)
        (self.marks / f"process-{os.getpid()}").touch()
        if KILLED in listed and not (self.marks / "killed").exists():
            end = time.monotonic() + 300
            while len(list(self.marks.glob("process-*"))) < 2 and time.monotonic() < end:
                time.sleep(0.1)
            (self.marks / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().stream(listed)


KILLED = "杀"


@pytest.mark.slow
def test_a_worker_that_is_killed(ray_cluster: None, tiny_model: Path, tmp_path: Path) -> None:
    from pyarrow import parquet

    count, size = 30, 20
    tables = [rows(size, first) for first in range(0, count * size, size)]
    texts = tables[1].column("text").to_pylist()
    texts[size // 2] = KILLED
    tables[1] = tables[1].set_column(1, "text", pa.array(texts))
    marks = tmp_path / "marks"
    marks.mkdir()
    segment = Mortal(fenjie.load(tiny_model).folder)
    segment.marks = marks
    made = fenjie.scale.segment(ray.data.from_arrow(tables), segment, workers=2)
    made.write_parquet(str(tmp_path / "out"))
    assert {"killed"} < {path.name for path in marks.iterdir()}
    assert len(list(marks.glob("process-*"))) >= 2
    found = parquet.read_table(tmp_path / "out").sort_by("id")
    assert found.drop_columns("words").equals(pa.concat_tables(tables))
    plain = fenjie.load(tiny_model)
    expected = {text: None if text is None else plain(text).words for text in [*TEXTS, KILLED]}
    assert all(row["words"] == expected[row["text"]] for row in found.to_pylist())


def test_texts_go_on_by_their_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_data, "CHARACTERS", 4)
    assert list(ray_data.stretches([])) == [(0, 0)]
    texts = ["ab", None, "cd", "", "efghij", "k"]
    assert list(ray_data.stretches(texts)) == [(0, 3), (3, 5), (5, 6)]


def test_an_actor_checks_its_blocks(tiny_linear: Path) -> None:
    segment = fenjie.load(tiny_linear)
    made = list(ray_data.Actor(segment, "text", "words")(rows(5)))
    assert len(made) == 1
    assert made[0].schema.names == ["id", "text", "words"]
    with pytest.raises(FenjieError, match="column 'id' is no text"):
        list(ray_data.Actor(segment, "id", "words")(rows(5)))
