"""Text as the word pieces that a pretrained encoder reads, and the pieces that hold a character.

Needs the package `tokenizers`, which is imported when a tokenizer is opened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenjie.errors import FenjieError, FileError, in_one_line, needing
from fenjie.files import read_lines
from fenjie.text.split import windows
from fenjie.text.vocabulary import collate

NONE = -1
"""Stands where a character has fewer pieces than another one."""

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The special pieces of every vocabulary of word pieces in the form of BERT's."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class PiecedText(NamedTuple):
    """A text in word pieces, in windows that an encoder can read.

    Attributes:
        pieces: the ids of the pieces, window by window, each with what the encoder wants to see at
            its ends, `[pieces]`, int32.
        windows: the number of pieces of each window, `[windows]`, int32.
        piece: which of `pieces` hold each character, `[length, parts]`, int32; `NONE` where there
            are fewer.
    """

    pieces: NDArray[np.int32]
    windows: NDArray[np.int32]
    piece: NDArray[np.int32]


class WordPieceBatch(NamedTuple):
    """Texts in word pieces, their windows side by side.

    Attributes:
        pieces: `[windows, width]`, int64; 0 at padding.
        lengths: the number of pieces of each window, `[windows]`.
        piece: which of `pieces`, counted row by row, hold each character, `[batch, length, parts]`;
            `NONE` where there are fewer, and at padding.
    """

    pieces: NDArray[np.int64]
    lengths: NDArray[np.int64]
    piece: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[PiecedText]) -> WordPieceBatch:
        """Put texts side by side.

        Raises:
            FenjieError: there are none.
        """
        lengths = np.concatenate([text.windows for text in texts]).astype(np.int64)
        real = np.arange(lengths.max()) < lengths[:, None]
        pieces = np.zeros(real.shape, dtype=np.int64)
        pieces[real] = np.concatenate([text.pieces for text in texts])
        parts = max(text.piece.shape[1] for text in texts)
        place, offset = np.flatnonzero(real), 0
        rows = []
        for text in texts:
            row = np.full((len(text.piece), parts), NONE, dtype=np.int64)
            there = text.piece != NONE
            row[:, : there.shape[1]][there] = place[text.piece[there] + offset]
            rows.append(row)
            offset += len(text.pieces)
        return cls(pieces, lengths, collate(rows, NONE))


class PieceTokenizer:
    """Cuts texts into the pieces of an encoder. It never changes, and may serve several threads.

    A character that the tokenizer drops, such as a control character, is given the unknown piece.
    Names of special pieces (`[SEP]`) that stand in a text are text.
    """

    def __init__(
        self, tokenizer: str, max_positions: int, path: Path | str = "tokenizer.json"
    ) -> None:
        """Take a tokenizer.

        Args:
            tokenizer: the contents of a `tokenizer.json`.
            max_positions: the number of pieces that the encoder can read at once, the special
                ones included.
            path: stands in messages.

        Raises:
            FileError: it is no tokenizer.
            FenjieError: the package `tokenizers` is missing, or there is no room for text.
        """
        try:
            self._tokenizer = _library().Tokenizer.from_str(tokenizer)
        except FenjieError:
            raise
        except Exception as error:  # the library has no class of its own
            raise FileError(path, f"is no tokenizer: {in_one_line(error)}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        framed = self._tokenizer.encode("中")
        special = np.array(framed.special_tokens_mask, dtype=bool)
        ids, inner = np.array(framed.ids, dtype=np.int32), np.flatnonzero(~special)
        if not len(inner):
            raise FileError(path, "is no tokenizer for text: it reads nothing in '中'")
        self._before, self._behind = ids[: inner[0]], ids[inner[-1] + 1 :]
        self._content = max_positions - len(self._before) - len(self._behind)
        if self._content < 2:
            raise FenjieError(
                f"{path}: an encoder that reads {max_positions} pieces has no room for text"
            )
        self._unknown = self._unknown_piece(json.loads(tokenizer)["model"])

    @classmethod
    def open(cls, path: Path, max_positions: int) -> PieceTokenizer:
        """Read a `tokenizer.json`; see `__init__`.

        Raises:
            FileError: it cannot be read, or is no tokenizer.
            FenjieError: the package `tokenizers` is missing.
        """
        return cls("\n".join(line for _, line in read_lines(path)), max_positions, path)

    def __len__(self) -> int:
        """The number of ids."""
        return int(self._tokenizer.get_vocab_size())

    def _unknown_piece(self, model: Mapping[str, Any]) -> int:
        """The id of the unknown piece; of a tokenizer of bytes, which has none, its first one."""
        name = model.get("unk_token")
        found = model.get("unk_id") if name is None else self._tokenizer.token_to_id(name)
        return int(found) if found is not None else 0

    def __call__(self, text: str) -> PiecedText:
        """The pieces of a text of any length and any characters."""
        found = self._tokenizer.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False)
        ids = np.array(found.ids, dtype=np.int32)
        edges = np.array(found.offsets, dtype=np.int64).reshape(-1, 2)
        ids, piece = _aligned(ids, edges[:, 0], edges[:, 1], len(text), self._unknown)
        return self._in_windows(ids, piece)

    def _in_windows(self, ids: NDArray[np.int32], piece: NDArray[np.int32]) -> PiecedText:
        """Cut pieces into windows; a character takes its piece where it is farthest from an edge.

        Args:
            ids: the pieces, `[pieces]`.
            piece: which of them hold each character, `[length, parts]`.
        """
        cut = windows(len(ids), self._content, self._content // 4) or [(0, 0)]
        parts = [np.concatenate((self._before, ids[low:high], self._behind)) for low, high in cut]
        lengths = np.array([len(part) for part in parts], dtype=np.int32)
        middles = [(end + start + 1) // 2 for (_, end), (start, _) in pairwise(cut)]
        window = np.searchsorted(middles, piece, side="right")
        # What stands in the windows before, less the pieces before this one
        shift = np.cumsum(lengths) - lengths + len(self._before) - [low for low, _ in cut]
        placed = np.where(piece == NONE, NONE, piece + shift[window]).astype(np.int32)
        return PiecedText(np.concatenate(parts), lengths, placed)


def _aligned(
    ids: NDArray[np.int32],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    length: int,
    unknown: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give each character its pieces, the unknown one where it has none.

    Args:
        ids: the pieces, `[pieces]`.
        start: the first character of each.
        end: the offset after its last one.
        length: the number of characters.
        unknown: the piece put in for a character that is in no piece.

    Returns:
        The pieces with those put in, and which hold each character, `[length, parts]`.
    """
    places = np.arange(length)
    if len(ids) == length and (start == places).all() and (end == places + 1).all():
        return ids, places[:, None].astype(np.int32)
    owner = np.repeat(np.arange(len(ids)), end - start)
    first = np.cumsum(end - start) - (end - start)
    character = np.arange(len(owner)) + (start - first)[owner]
    missing = np.setdiff1d(places, character)
    behind = np.searchsorted(np.maximum.accumulate(start), missing, side="right")
    ids = np.insert(ids, behind, unknown)
    owner += np.searchsorted(behind, owner, side="right")
    owner = np.concatenate((owner, behind + np.arange(len(missing))))
    character = np.concatenate((character, missing))
    order = np.lexsort((owner, character))
    owner, character = owner[order], character[order]
    counts = np.bincount(character, minlength=length)
    part = np.arange(len(owner)) - (np.cumsum(counts) - counts)[character]
    piece = np.full((length, max(int(counts.max(initial=1)), 1)), NONE, dtype=np.int32)
    piece[character, part] = owner
    return ids, piece


def word_pieces(path: Path, settings: Mapping[str, Any]) -> str:
    """The `tokenizer.json` of a `vocab.txt` in the form of BERT's.

    Args:
        path: the vocabulary, a piece a line.
        settings: the contents of `tokenizer_config.json`, as far as there is one.

    Raises:
        FileError: the file cannot be read, or is no such vocabulary.
        FenjieError: the package `tokenizers` is missing.
    """
    library = _library()
    ids = {piece: number for number, (_, piece) in enumerate(read_lines(path))}
    missing = [name for name in SPECIAL[:4] if name not in ids]
    if missing:
        expected = "the vocabulary of a BERT, a piece a line"
        raise FileError(path, f"holds no {missing[0]}", expected=expected)
    made = library.Tokenizer(library.models.WordPiece(ids, unk_token="[UNK]"))
    made.normalizer = library.normalizers.BertNormalizer(
        lowercase=settings.get("do_lower_case", True),
        strip_accents=settings.get("strip_accents"),
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
    )
    made.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    made.post_processor = library.processors.BertProcessing(
        ("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"])
    )
    made.add_special_tokens([name for name in SPECIAL if name in ids])
    text: str = made.to_str()
    return text


def _library() -> Any:
    """The package `tokenizers`.

    Raises:
        FenjieError: it is not installed.
    """
    with needing("a model with a pretrained encoder needs", "bert-runtime"):
        import tokenizers
    return tokenizers
