"""jieba's functions over fenjie's models: `from fenjie import jieba`, and code for jieba runs.

The words are those of fenjie's model, not of jieba's dictionary; `docs/howto/coming-from.md` has
the differences.
"""

from __future__ import annotations

import logging

from fenjie.jieba.tokenizer import Tokenizer


def setLogLevel(log_level: int) -> None:  # noqa: N802
    """Set the level of jieba's logger, to which lines are told that a dictionary has in vain."""
    logging.getLogger("jieba").setLevel(log_level)


def enable_paddle() -> None:
    """Do nothing: `use_paddle`, for which code calls this first, is without effect too."""


dt = Tokenizer()
"""The tokenizer behind the functions of this module."""

cut, lcut = dt.cut, dt.lcut
cut_for_search, lcut_for_search = dt.cut_for_search, dt.lcut_for_search
tokenize = dt.tokenize
add_word, del_word, suggest_freq = dt.add_word, dt.del_word, dt.suggest_freq
get_FREQ = dt.get_FREQ  # noqa: N816
load_userdict, set_dictionary, initialize = dt.load_userdict, dt.set_dictionary, dt.initialize
enable_parallel, disable_parallel = dt.enable_parallel, dt.disable_parallel
