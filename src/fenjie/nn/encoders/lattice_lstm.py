"""Lattice LSTM: an LSTM over characters whose cells take in the cells of the words that end there.

Yue Zhang and Jie Yang. 2018. Chinese NER Using Lattice LSTM. ACL. Equation numbers are theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from fenjie.nn.encoders.lattice_steps import Items
from fenjie.nn.encoders.padded_lattice_lstm import padded_lattice_lstm
from fenjie.nn.encoders.recurrent_rows import Rows, arrays, by_direction, to_sigmoid, unordered
from fenjie.nn.lattice import Lattice


class LatticeLstm(nn.Module):
    """Both directions of a lattice LSTM; the backward one reads the lattice turned around.

    The inputs of characters and words are projected before the loop, in one product each. The loop
    goes over the characters of all sentences at once, in both directions, and at each over all
    words that end there. Gates stand in the order output, input, forget, candidate (of words
    input, forget, candidate).

    Attributes:
        characters: W^c and W^l for x^c, with their biases (eq. 11 and 14): `[2 * 5 * hidden, dim]`.
        words: W^w for x^w (eq. 13), of each direction.
        state: W^c and W^w for h (eq. 11 and 13): `[2, hidden, 7 * hidden]`.
        gate: W^l for c^w (eq. 14): `[2, hidden, hidden]`.
    """

    def __init__(self, dim: int, word_dim: int, hidden: int) -> None:
        """Start as the released code does: orthogonal for inputs, identities for states."""
        super().__init__()
        self.hidden = hidden
        self.characters = nn.Linear(dim, 2 * 5 * hidden)
        self.words = nn.Linear(word_dim, 2 * 3 * hidden)
        for made in (self.characters, self.words):
            for rows in made.weight.data.split(hidden):
                nn.init.orthogonal_(rows)
            nn.init.zeros_(made.bias)
        self.state = nn.Parameter(torch.eye(hidden).repeat(2, 1, 7))
        self.gate = nn.Parameter(torch.eye(hidden).repeat(2, 1, 1))

    def forward(self, characters: Tensor, words: Tensor, lattice: Lattice) -> Tensor:
        """The hidden states of both directions.

        Args:
            characters: x^c of all characters one after another, `[characters, dim]`.
            words: x^w of all words likewise, `[words, word_dim]`.
            lattice: where they stand. Words have two characters and more, and no two words of a
                sentence the same ones.

        Returns:
            `[characters, 2 * hidden]`.

        Raises:
            FenjieError: there are other words.
        """
        if lattice.padded:
            return padded_lattice_lstm(self, characters, words, lattice)
        rows = Rows.of(lattice.lengths)
        result: Tensor = _LatticeLstm.apply(  # type: ignore[no-untyped-call]
            # Autocast may have made them bfloat16, which the loop does not compute with.
            self.characters(characters).view(-1, 5 * self.hidden).to(self.state.dtype),
            self.words(words).view(-1, 3 * self.hidden).to(self.state.dtype),
            self.state,
            self.gate,
            rows,
            Items.of(lattice, rows),
        )
        return result.view(-1, 2 * self.hidden)


class _LatticeLstm(torch.autograd.Function):
    """The loop, and its gradient, which is a loop back through the same steps."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        ctx.run = run = _Run(*inputs)
        run.forward()
        return unordered(run.h, run.rows.row)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        return (*ctx.run.backward(gradient), None, None)


class _Run:
    """A pass over a batch, and its gradient.

    A sigmoid is a tanh of half its argument; the halves are taken before the loop.
    """

    def __init__(
        self,
        characters: Tensor,
        words: Tensor,
        state: Tensor,
        gate: Tensor,
        rows: Rows,
        items: Items,
    ) -> None:
        self.rows, self.items, self.size = rows, items, gate.shape[-1]
        self.state, self.gate = state.detach(), gate.detach()
        size, inputs = self.size, characters[rows.row]
        # Halves for sigmoids, wholes for candidates
        self.halves = inputs.new_full((7 * size,), 0.5)
        self.halves[3 * size : 4 * size] = self.halves[6 * size :] = 1
        # The inputs, from which the loop makes gates: of characters, [rows, 4H], of words,
        # [items, 3H], and those of eq. 14, [items, H]
        self.gates = inputs[:, : 4 * size] * self.halves[: 4 * size]
        self.word_gates = words[items.item] * self.halves[4 * size :]
        self.links = inputs[:, 4 * size :][items.tail] / 2
        # Of rows: cells, their tanh, hidden states, and h W for the gates to come
        self.c, self.tanh, self.h = (inputs.new_empty(len(inputs), size) for _ in range(3))
        self.ahead = inputs.new_empty(len(inputs), 7 * size)
        # Of items: cells, and their shares of the cell that they end at (eq. 16)
        self.word_c, self.share = (inputs.new_empty(len(words), size) for _ in range(2))
        # Of rows at which items end: the share of the candidate
        self.own = inputs.new_empty(len(items.rows), size)

    def forward(self) -> None:
        """Eq. 11 to 16, step by step."""
        size, rows, items = self.size, self.rows, self.items
        xp, values = arrays(
            self.gates, self.c, self.tanh, self.h, self.ahead, self.state * self.halves,
            self.word_gates, self.links, self.word_c, self.share, self.own, self.gate / 2,
            items.head, items.rows, items.owner, items.starts,
        )  # fmt: skip
        gates, c, tanh, h, ahead, state = values[:6]
        word_gates, links, word_c, share, own, gate = values[6:12]
        head, joined, owner, starts = values[12:]
        ahead_words = ahead[:, 4 * size :]
        for at, ends in zip(rows.steps, items.ends, strict=True):
            here, shape = slice(at.first, at.stop), (2, at.live, -1)
            z, now = gates[here], c[here]
            if at.first:
                before = ahead[at.before : at.first].reshape(2, -1, 7 * size)
                z_of = z.reshape(shape)
                z_of += before[:, : at.live, : 4 * size]
            xp.tanh(z, out=z)
            to_sigmoid(z[:, : 3 * size])
            i, f, g = (z[:, n * size : (n + 1) * size] for n in (1, 2, 3))
            xp.multiply(i, g, out=now)
            if at.first:
                last = c[at.before : at.first].reshape(2, -1, size)[:, : at.live]
                now_of = now.reshape(shape)
                now_of += f.reshape(shape) * last
            if ends.first < ends.stop:
                these, split = slice(ends.first, ends.stop), ends.middle - ends.first
                # Eq. 13
                w, cell = word_gates[these], word_c[these]
                w += ahead_words[head[these]]
                xp.tanh(w, out=w)
                to_sigmoid(w[:, : 2 * size])
                xp.multiply(w[:, size : 2 * size], c[head[these]], out=cell)
                cell += w[:, :size] * w[:, 2 * size :]
                # Eq. 14
                link = links[these]
                link[:split] += cell[:split] @ gate[0]
                link[split:] += cell[split:] @ gate[1]
                xp.tanh(link, out=link)
                to_sigmoid(link)
                # Eq. 15 and 16, in the rows at which items end. Gates are in (0, 1): their
                # exponentials need no care.
                weight, alone = share[these], own[ends.row : ends.row_stop]
                which = owner[these] - ends.row
                begins = starts[ends.row : ends.row_stop] - ends.first
                local = joined[ends.row : ends.row_stop] - at.first
                xp.exp(link, out=weight)
                xp.exp(i[local], out=alone)
                total = alone + _sums(xp, weight, which, begins)
                alone /= total
                weight /= total[which]
                now[local] = alone * g[local] + _sums(xp, weight * cell, which, begins)
            xp.tanh(now, out=tanh[here])
            xp.multiply(z[:, :size], tanh[here], out=h[here])
            if at.stop < len(gates):
                xp.matmul(h[here].reshape(shape), state, out=ahead[here].reshape(shape))

    def backward(self, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The gradients of `characters`, `words`, `state` and `gate`."""
        size, rows, items = self.size, self.rows, self.items
        d_h, d_c, d_z = gradient[rows.row], torch.zeros_like(self.c), torch.empty_like(self.gates)
        d_w, d_link = torch.empty_like(self.word_gates), torch.empty_like(self.links)
        d_ahead = torch.zeros_like(self.ahead)
        xp, values = arrays(
            d_h, d_c, d_z, d_ahead, *self._of_rows(), self.state.transpose(1, 2).contiguous(),
            d_w, d_link, *self._of_items(), self.gate.transpose(1, 2).contiguous(),
            items.head, items.tail,
        )  # fmt: skip
        dh, dc, dz, dahead, of_o, of_c, of_gates, keep, state = values[:9]
        dw, dlink, of_link, share, of_words, keep_words, gate, head, tail = values[9:]
        to_words = dahead[:, 4 * size :]
        for at, ends in zip(reversed(rows.steps), reversed(items.ends), strict=True):
            here, shape = slice(at.first, at.stop), (2, at.live, -1)
            above, now, z = dh[here], dc[here], dz[here]
            if at.stop < len(dh):
                above_of = above.reshape(shape)
                above_of += xp.matmul(dahead[here].reshape(shape), state)
            now += above * of_c[here]
            xp.multiply(above, of_o[here], out=z[:, :size])
            z[:, size:] = (now[:, None] * of_gates[here]).reshape(-1, 3 * size)
            if at.first:
                before = dahead[at.before : at.first].reshape(2, -1, 7 * size)
                before[:, : at.live, : 4 * size] = z.reshape(shape)
                last = dc[at.before : at.first].reshape(2, -1, size)[:, : at.live]
                last += (now * keep[here]).reshape(shape)
            if ends.first < ends.stop:
                these, split = slice(ends.first, ends.stop), ends.middle - ends.first
                of_tail, link, w = dc[tail[these]], dlink[these], dw[these]
                xp.multiply(of_tail, of_link[these], out=link)
                cell = of_tail * share[these]
                cell[:split] += link[:split] @ gate[0]
                cell[split:] += link[split:] @ gate[1]
                w[...] = (cell[:, None] * of_words[these]).reshape(-1, 3 * size)
                # All heads differ: of the words of a sentence that end here, no two begin alike.
                to_words[head[these]] += w
                dc[head[these]] += cell * keep_words[these]
        d_characters = torch.cat((d_z, torch.zeros_like(d_c)), dim=1)
        d_characters[:, 4 * size :].index_add_(0, items.tail, d_link)
        return (
            unordered(d_characters, rows.row),
            unordered(d_w, items.item),
            by_direction(self.h, d_ahead, rows.row),
            by_direction(self.word_c, d_link, items.item),
        )

    def _of_rows(self) -> tuple[Tensor, ...]:
        """The factors of the gradients of rows, for all steps at once.

        From h to the output gate, and to the cell; from the cell to the other three gates,
        `[rows, 3, hidden]`, and to the cell before.
        """
        o, i, f, g = self.gates.split(self.size, dim=1)
        before = self.c[self.rows.before]
        before[: 2 * len(self.rows.rank)] = 0
        to_i, to_f, to_g, keep = g.clone(), before, i.clone(), f.clone()
        joined = self.items.rows
        to_i[joined] = self.own * (g[joined] - self.c[joined])
        to_f[joined] = keep[joined] = 0
        to_g[joined] = self.own
        gates = (to_i * (i - i * i), to_f * (f - f * f), to_g * (1 - g * g))
        squared = self.tanh * self.tanh
        return self.tanh * (o - o * o), o * (1 - squared), torch.stack(gates, dim=1), keep

    def _of_items(self) -> tuple[Tensor, ...]:
        """The same of items.

        From the cell that an item ends at to its gate (eq. 14), and to its own cell; from its cell
        to its gates, `[items, 3, hidden]`, and to the cell that it begins with.
        """
        i, f, g = self.word_gates.split(self.size, dim=1)
        head, tail = self.c[self.items.head], self.c[self.items.tail]
        gates = (g * (i - i * i), head * (f - f * f), i * (1 - g * g))
        link = self.share * (self.word_c - tail) * (self.links - self.links * self.links)
        return link, self.share, torch.stack(gates, dim=1), f.contiguous()


def _sums(xp: Any, values: Any, owner: Any, begins: Any) -> Any:
    """Sum up the rows of each owner: they stand together, the first one where it begins."""
    if xp is np:
        return np.add.reduceat(values, begins, axis=0)
    return values.new_zeros(len(begins), values.shape[1]).index_add_(0, owner, values)
