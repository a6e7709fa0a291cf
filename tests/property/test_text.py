"""What holds for every text: offsets come back, sentences and windows tile, tags are inverse."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fenjie.text import schemes
from fenjie.text.normalise import Normalised, Normaliser, apply
from fenjie.text.schemes import Scheme
from fenjie.text.span import Sentence, Span
from fenjie.text.split import sentences, windows
from fenjie.text.vocabulary import Vocabulary

ODD = "㎏①ﬁｶﾞe\u0301\u0323각각ㄱㅏ臺乾干，。！？…”」\r\n\t \u3000\u200d👩🚀\ud800\udc00אب\x00１Ａ"
TEXTS = st.text(st.one_of(st.sampled_from(ODD), st.characters(codec=None)), max_size=40)
NORMALISERS = st.builds(Normaliser, *[st.booleans()] * 5)


def spans_of(bounds: Iterable[int], labels: str = "AB") -> tuple[Span, ...]:
    """Spans between every second pair of bounds."""
    edges = sorted(set(bounds))
    return tuple(
        Span(start, end, labels[start % len(labels)])
        for start, end in zip(edges[::2], edges[1::2], strict=False)
    )


def edges_of(normalised: Normalised) -> tuple[list[int], list[int]]:
    """The edges of the units in a normalised text and in its original."""
    if normalised.alignment is None:
        edges = list(range(len(normalised.text) + 1))
        return edges, edges
    after, before = normalised.alignment
    return after.tolist(), before.tolist()


@given(NORMALISERS, TEXTS)
def test_alignment(normaliser: Normaliser, text: str) -> None:
    normalised = normaliser(text)
    assert normalised.origin == text
    for edges, whole in zip(edges_of(normalised), (normalised.text, text), strict=True):
        assert edges[0] == 0 and edges[-1] == len(whole)
        assert all(one < other for one, other in pairwise(edges))


@given(st.builds(Normaliser, st.booleans(), st.booleans(), st.just(False), st.just(False)), TEXTS)
def test_units_mean_the_same(normaliser: Normaliser, text: str) -> None:
    normalised = normaliser(text)
    for after, before in zip(*map(pairwise, edges_of(normalised)), strict=True):
        unit = text[slice(*before)]
        assert normaliser(unit).text == normalised.text[slice(*after)]


@given(TEXTS)
def test_compatibility_is_nfkc(text: str) -> None:
    normalised = Normaliser(width=False, compatibility=True)(text)
    assert normalised.text == unicodedata.normalize("NFKC", text)


@given(NORMALISERS, TEXTS, st.data())
def test_spans_move_along(normaliser: Normaliser, text: str, data: st.DataObject) -> None:
    bounds = data.draw(st.lists(st.integers(0, len(text))))
    words = Sentence(text, tuple(Span(*pair) for pair in pairwise(sorted({0, len(text), *bounds}))))
    moved = apply(normaliser, words)
    assert moved.tiled
    normalised = normaliser(text)
    entities = normalised.spans_from_origin(spans_of(bounds))
    assert all(one.end <= other.start for one, other in pairwise(entities))
    if normalised.alignment is None:
        assert entities == spans_of(bounds)


@given(st.text(st.sampled_from(ODD + "!?\"')a "), max_size=60))
def test_sentences_tile(text: str) -> None:
    found = sentences(text)
    assert "".join(text[start:end] for start, end in found) == text
    assert all(start < end for start, end in found)
    for start, end in found[:-1]:
        assert any(end_mark in text[start:end] for end_mark in "。！？…；!?\n\r")


@given(st.integers(0, 200), st.integers(1, 40), st.data())
def test_windows_tile(length: int, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    intervals = windows(length, size, overlap)
    assert all(0 < end - start <= size for start, end in intervals)
    for (start, end), (next_start, next_end) in pairwise(intervals):
        assert start < next_start
        assert end < next_end
        assert end - next_start >= overlap
    if not length:
        assert intervals == []
        return
    assert (intervals[0][0], intervals[-1][1]) == (0, length)


@given(st.lists(st.integers(0, 30)), st.sampled_from(Scheme))
def test_tags_are_inverse(bounds: list[int], scheme: Scheme) -> None:
    spans = spans_of(bounds)
    tags = schemes.encode(spans, 30, scheme)
    assert len(tags) == 30
    assert schemes.decode(tags, scheme) == (spans, {})


TAGS = st.one_of(
    st.text(max_size=4),
    st.builds("{}{}{}".format, st.sampled_from("BIMESO"), st.sampled_from(["", "-"]),
              st.sampled_from(["", "A", "B"])),
)  # fmt: skip


@given(st.lists(TAGS, max_size=20), st.sampled_from(Scheme))
def test_any_tags_decode(tags: list[str], scheme: Scheme) -> None:
    spans, repairs = schemes.decode(tags, scheme)
    Sentence("字" * len(tags), spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    again = schemes.encode(spans, len(tags), scheme)
    assert schemes.decode(again, scheme) == (spans, {})
    if not repairs:
        assert again == [tag.removesuffix("-W") for tag in tags]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.text(st.characters(codec=None), min_size=1, max_size=3), unique=True))
def test_vocabularies_come_back(tmp_path: Path, units: list[str]) -> None:
    Vocabulary(units).save(tmp_path / "vocab.txt")
    assert Vocabulary.load(tmp_path / "vocab.txt").units == tuple(units)
