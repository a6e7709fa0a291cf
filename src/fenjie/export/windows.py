"""Attention in dilated, shifted windows in ONNX programs, on padded batches.

Whatever the places of a window need of a token stands side by side in one row. A round pads the
sequence to a multiple of `stride * size` and turns its axes, so that each window becomes a row of a
batch of its own. Sentences too short for a dilated round keep what they had.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import onnx
import torch

from fenjie.export.parts import Parts, array
from fenjie.export.selections import write_mean, write_selection, write_token_thresholds
from fenjie.nn.attention.thresholds import Threshold
from fenjie.nn.attention.window_partition import Round
from fenjie.nn.attention.windows import WindowAttention
from fenjie.nn.encoders.windowed import CharacterWindows, WindowRounds
from fenjie.nn.positions import encodings

UNSEEN = np.float32(-1e30)
"""What is added to the score of a key that is not there."""


def write_character_windows(parts: Parts, windows: CharacterWindows, x: str, mask: str) -> str:
    """What `fenjie.nn.encoders.windowed.CharacterWindows` gives.

    Args:
        parts: the program.
        windows: the module.
        x: `[batch, length, dim]`.
        mask: which places hold a character, bool `[batch, length]`.

    Returns:
        `[batch, length, dim]`; anything at padding.
    """
    return _CharacterRounds(parts, windows, mask).all(x)


class RoundsWriter(ABC):
    """Writes rounds. Methods take and give names of values; comments say their shapes."""

    def __init__(self, parts: Parts, windows: WindowRounds, real: str) -> None:
        """Take a program, its windows and which tokens are real, bool `[batch, tokens]`."""
        self.parts, self.add, self.windows, self.real = parts, parts.add, windows, real
        whole = self.add("Cast", real, to=onnx.TensorProto.FLOAT)
        self.whole = self.add("Unsqueeze", whole, [2])
        self.count = self.add("ReduceSum", self.whole, [1], keepdims=1)  # (batch, 1, 1)
        self.tokens = self.add("Shape", real, start=1, end=2)
        self.size = windows.config.size

    def all(self, x: str) -> str:
        """All rounds: `[batch, tokens, dim]` to the same."""
        for number in range(len(self.windows.schedule)):
            x = self.round(number, x)
        return x

    def round(self, number: int, x: str) -> str:
        """One round: `[batch, tokens, dim]` to the same."""
        add, windows = self.add, self.windows
        step, attention = windows.schedule[number], windows.attention(number)
        mixed = self._attention(number, attention, Frame(self, step), x)
        if windows.config.residual:
            norm = windows.norms[number]
            assert isinstance(norm, torch.nn.LayerNorm)
            mixed = self.parts.norm(add("Add", x, mixed), norm)
        if step.stride == 1:
            return mixed
        least = np.array(step.stride * (self.size - 1), dtype=np.float32)
        return add("Where", add("Greater", self.count, least), mixed, x)

    @abstractmethod
    def near(self, number: int, attention: WindowAttention, frame: Frame, position: str) -> str:
        """The part of the scores that comes from positions, `[windows, heads, size, size]`.

        Args:
            number: the number of the round.
            attention: its attention.
            frame: its windows.
            position: q + v, `[windows, size, dim]`.
        """

    def _attention(self, number: int, attention: WindowAttention, frame: Frame, x: str) -> str:
        """See `WindowAttention.forward`: `[batch, tokens, dim]` to the same."""
        add, parts, heads = self.add, self.parts, attention.heads
        dim = attention.project.in_features
        weight = array(attention.project.weight).copy()
        weight[:dim] *= attention.factor
        columns = [parts.times(x, weight), *([] if len(weight) == 3 * dim else [x]), self.whole]
        sizes = [dim, dim, dim, 1]
        selection, graph, thresholds = attention.selection, parts.graph, None
        if isinstance(selection, Threshold):
            mean = write_mean(graph, x, self.real)
            thresholds = write_token_thresholds(graph, selection, x, mean)
        if thresholds is not None:
            columns.append(thresholds)
            sizes.append(heads)
        placed = frame.split(add("Concat", *columns, axis=2))
        ends = np.cumsum(sizes).tolist()
        query, value, key, seen, *rest = (
            add("Slice", placed, [end - size], [end], [2])
            for size, end in zip(sizes, ends, strict=True)
        )
        factor = np.float32(attention.factor)
        content = add("Add", query, array(attention.content_bias).ravel() * factor)
        position = add("Add", query, array(attention.position_bias).ravel() * factor)
        scores = add("MatMul", self.heads(content, heads), self.heads(key, heads, turned=True))
        scores = add("Add", scores, self.near(number, attention, frame, position))
        # (windows, size, 1) -> (windows, 1, 1, size)
        seen = add("Unsqueeze", add("Transpose", seen, perm=[0, 2, 1]), [1])
        hidden = add("Mul", add("Sub", np.array(1, dtype=np.float32), seen), np.array(UNSEEN))
        scores = add("Add", scores, hidden)
        asked = add("Transpose", rest[0], perm=[0, 2, 1]) if rest else None
        weights = write_selection(graph, selection, scores, asked)
        mixed = add("MatMul", weights, self.heads(value, heads))
        mixed = add("Reshape", add("Transpose", mixed, perm=[0, 2, 1, 3]), [0, 0, dim])
        joined = frame.join(mixed)
        return joined if attention.merge is None else parts.linear(joined, attention.merge)

    def heads(self, x: str, heads: int, *, turned: bool = False) -> str:
        """`[windows, size, dim] -> [windows, heads, size, head_dim]`, or the last two turned."""
        perm = [0, 2, 3, 1] if turned else [0, 2, 1, 3]
        return self.add("Transpose", self.add("Reshape", x, [0, 0, heads, -1]), perm=perm)


class Frame:
    """From tokens to the windows of a round and back."""

    def __init__(self, writer: RoundsWriter, step: Round) -> None:
        self.add, self.size, self.stride = writer.add, writer.size, step.stride
        self.tokens, self.real = writer.tokens, writer.real
        period = self.size * step.stride
        self.front = (self.size - self.size // 2) * step.stride if step.shifted else 0
        past = self.add("Mod", self.add("Add", self.tokens, [self.front]), [period])
        self.back = self.add("Mod", self.add("Sub", [period], past), [period])

    def split(self, x: str) -> str:
        """`[batch, tokens, columns] -> [windows, size, columns]`; 0 where there is no token."""
        add = self.add
        pads = add("Concat", [0, self.front, 0, 0], self.back, [0], axis=0)
        x = add("Pad", x, pads)
        columns = add("Shape", x, start=2)
        if self.stride > 1:
            shape = add("Concat", [0, -1, self.size, self.stride], columns, axis=0)
            x = add("Transpose", add("Reshape", x, shape), perm=[0, 1, 3, 2, 4])
        return add("Reshape", x, add("Concat", [-1, self.size], columns, axis=0))

    def join(self, x: str) -> str:
        """`[windows, size, columns] -> [batch, tokens, columns]`."""
        add = self.add
        batch, columns = add("Shape", self.real, end=1), add("Shape", x, start=2)
        if self.stride > 1:
            inner = [self.stride, self.size]
            shape = add("Concat", batch, [-1], inner, columns, axis=0)
            x = add("Transpose", add("Reshape", x, shape), perm=[0, 1, 3, 2, 4])
        x = add("Reshape", x, add("Concat", batch, [-1], columns, axis=0))
        end = add("Add", self.tokens, [self.front])
        return add("Slice", x, [self.front], end, [1])


class _CharacterRounds(RoundsWriter):
    """R is a constant of each pair of places."""

    def near(self, number: int, attention: WindowAttention, frame: Frame, position: str) -> str:
        """Scores of all distances, of which each pair takes its own."""
        size, heads, dim = self.size, attention.heads, attention.project.in_features
        distance = torch.arange(1 - size, size).double() * frame.stride
        r = array(encodings(distance, dim)).reshape(-1, heads, dim // heads)
        # (windows, heads, size, head_dim) x (heads, head_dim, distances)
        made = self.add("MatMul", self.heads(position, heads), r.transpose(1, 2, 0))
        made = self.add("Reshape", made, [0, 0, -1])
        place = np.arange(size)
        column = place[:, None] - place + size - 1
        return self.add("Gather", made, place[:, None] * (2 * size - 1) + column, axis=2)
