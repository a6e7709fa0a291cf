"""Every count of the benchmark data's description holds for what the readers read."""

from __future__ import annotations

from pathlib import Path

import pytest

from fenjie.corpus import guess, read
from fenjie.corpus.benchmarks import FILES, check
from fenjie.files import read_lines

pytestmark = pytest.mark.data


@pytest.mark.slow
def test_every_count(data: Path) -> None:
    results = list(check(data))
    assert [result.problem for result in results if result.problem] == []
    counts = [count for result in results for count in result.counts]
    assert [count for count in counts if count[1] != count[2]] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path)
def test_the_format_is_guessed(data: Path, file) -> None:  # type: ignore[no-untyped-def]
    lines = (line for _, line in read_lines(data / file.path))
    assert guess([line for line, _ in zip(lines, range(300), strict=False)]) == file.format


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_both_forms_of_weibo_agree(data: Path, part: str) -> None:
    original = read(data / f"ner/weibo/weiboNER_2nd_conll.{part}")
    columns = read(data / f"ner/weibo/{part}.all.bmes")
    assert original.repairs == columns.repairs
    for one, other in zip(original, columns, strict=True):
        assert [span.label for span in one.spans] == [span.label for span in other.spans]
        if "\ufffd" not in one.text:  # an emoji is two broken characters in the original
            assert one == other


@pytest.mark.parametrize(
    ("lexicon", "words"), [("pku/pku_training_words", 55_303), ("msr/msr_training_words", 88_119)]
)
def test_word_lists(data: Path, lexicon: str, words: int) -> None:
    found = [line for _, line in read_lines(data / f"cws/{lexicon}.utf8")]
    assert len(set(found)) == len(found) == words


def test_a_file_with_lone_carriage_returns(data: Path) -> None:
    files = sorted((data / "lexicons/thuocl").glob("*diming*"))
    assert files
    assert sum(1 for _ in read_lines(files[0])) > 10_000
