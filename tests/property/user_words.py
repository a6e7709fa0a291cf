"""User words for tests of properties."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from fenjie.text.invisible import visible


def user_words(pieces: Sequence[str]) -> st.SearchStrategy[str]:
    """Words that a user may add, some made of pieces of the texts, without what nobody sees."""
    words = st.one_of(
        st.sampled_from(pieces),
        st.lists(st.sampled_from(pieces), min_size=1, max_size=3).map("".join),
        st.text(min_size=1, max_size=3),
        st.sampled_from("商品和服务１%a.👨🇨"),
    )
    return words.map(visible).filter(lambda word: bool(word) and not any(map(str.isspace, word)))
