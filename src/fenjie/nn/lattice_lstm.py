"""Lattice LSTM: an LSTM over characters whose cells take in the cells of the words that end there.

Yue Zhang and Jie Yang. 2018. Chinese NER Using Lattice LSTM. ACL. Equation numbers are theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from fenjie.nn.lattice import Lattice
from fenjie.nn.lattice_steps import LatticeSteps


class LatticeLstm(nn.Module):
    """Both directions of a lattice LSTM; the backward one reads the lattice turned around.

    What characters and words bring in is projected before the loop, in one product each. The loop
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
        """Start as the released code does: orthogonal for what comes in, identities for states.

        Args:
            dim: size of the vector of a character.
            word_dim: size of the vector of a word.
            hidden: size of the hidden vectors of each direction.
        """
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
            characters: x^c of all characters one behind the other, `[characters, dim]`.
            words: x^w of all words likewise, `[words, word_dim]`.
            lattice: where they stand. Words have two characters and more, and no two words of a
                sentence the same ones.

        Returns:
            `[characters, 2 * hidden]`.

        Raises:
            FenjieError: there are other words.
        """
        result: Tensor = _LatticeLstm.apply(  # type: ignore[no-untyped-call]
            self.characters(characters).view(-1, 5 * self.hidden),
            self.words(words).view(-1, 3 * self.hidden),
            self.state,
            self.gate,
            LatticeSteps.of(lattice),
        )
        return result.view(-1, 2 * self.hidden)


class _LatticeLstm(torch.autograd.Function):
    """The loop, and its gradient, which is a loop back through the same steps."""

    @staticmethod
    def forward(
        ctx: Any,
        characters: Tensor,
        words: Tensor,
        state: Tensor,
        gate: Tensor,
        steps: LatticeSteps,
    ) -> Tensor:
        run = _Run(characters, words, state, gate, steps)
        run.forward()
        ctx.run = run
        return unordered(run.h, steps.row)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        run: _Run = ctx.run
        return (*run.backward(gradient.contiguous()), None)


class _Run:
    """A pass over a batch, with what its gradient needs.

    Small operations cost numpy a fraction of what they cost torch; so on the CPU the loops compute
    with numpy, on the memory of the same tensors. A sigmoid is a tanh of half its argument; the
    halves are taken before the loop.
    """

    def __init__(
        self, characters: Tensor, words: Tensor, state: Tensor, gate: Tensor, steps: LatticeSteps
    ) -> None:
        self.steps, self.size = steps, gate.shape[-1]
        self.state, self.gate = state.detach(), gate.detach()
        size, rows = self.size, characters[steps.row]
        # Halves for sigmoids, wholes for candidates
        self.halves = rows.new_full((7 * size,), 0.5)
        self.halves[3 * size : 4 * size] = self.halves[6 * size :] = 1
        # What comes in, which the loop makes to gates: of characters, [rows, 4H], of words,
        # [items, 3H], and those of eq. 14, [items, H]
        self.gates = rows[:, : 4 * size] * self.halves[: 4 * size]
        self.word_gates = words[steps.item] * self.halves[4 * size :]
        self.links = rows[:, 4 * size :][steps.tail] / 2
        # Of rows: cells, their tanh, hidden states, and h W for the gates to come
        self.c, self.tanh, self.h = (rows.new_empty(len(rows), size) for _ in range(3))
        self.ahead = rows.new_empty(len(rows), 7 * size)
        # Of items: cells, and their shares of the cell that they end at (eq. 16)
        self.word_c, self.share = (rows.new_empty(len(words), size) for _ in range(2))
        # Of rows at which items end: the share of the candidate
        self.own = rows.new_empty(len(steps.joined), size)

    def forward(self) -> None:
        """Eq. 11 to 16, step by step."""
        size, steps = self.size, self.steps
        xp, values = _arrays(
            self.gates, self.c, self.tanh, self.h, self.ahead, self.state * self.halves,
            self.word_gates, self.links, self.word_c, self.share, self.own, self.gate / 2,
            steps.head, steps.joined, steps.owner,
        )  # fmt: skip
        gates, c, tanh, h, ahead, state = values[:6]
        word_gates, links, word_c, share, own, gate, head, joined, owner = values[6:]
        ahead_words = ahead[:, 4 * size :]
        for at in steps.steps:
            rows, shape = slice(at.first, at.stop), (2, at.live, -1)
            z, now = gates[rows], c[rows]
            if at.first:
                before = ahead[at.before : at.first].reshape(2, -1, 7 * size)
                z_of = z.reshape(shape)
                z_of += before[:, : at.live, : 4 * size]
            xp.tanh(z, out=z)
            _to_sigmoid(z[:, : 3 * size])
            i, f, g = (z[:, n * size : (n + 1) * size] for n in (1, 2, 3))
            xp.multiply(i, g, out=now)
            if at.first:
                last = c[at.before : at.first].reshape(2, -1, size)[:, : at.live]
                now_of = now.reshape(shape)
                now_of += f.reshape(shape) * last
            if at.item < at.end:
                items, split = slice(at.item, at.end), at.middle - at.item
                # Eq. 13
                w, cell = word_gates[items], word_c[items]
                w += ahead_words[head[items]]
                xp.tanh(w, out=w)
                _to_sigmoid(w[:, : 2 * size])
                xp.multiply(w[:, size : 2 * size], c[head[items]], out=cell)
                cell += w[:, :size] * w[:, 2 * size :]
                # Eq. 14
                link = links[items]
                link[:split] += cell[:split] @ gate[0]
                link[split:] += cell[split:] @ gate[1]
                xp.tanh(link, out=link)
                _to_sigmoid(link)
                # Eq. 15 and 16, in the rows at which items end. Gates are in (0, 1): their
                # exponentials need no care.
                weight, alone = share[items], own[at.joined : at.joined_end]
                which = owner[items] - at.joined
                place = joined[at.joined : at.joined_end] - at.first
                xp.exp(link, out=weight)
                xp.exp(i[place], out=alone)
                total = alone + _sums(xp, weight, which)
                alone /= total
                weight /= total[which]
                now[place] = alone * g[place] + _sums(xp, weight * cell, which)
            xp.tanh(now, out=tanh[rows])
            xp.multiply(z[:, :size], tanh[rows], out=h[rows])
            if at.stop < len(gates):
                xp.matmul(h[rows].reshape(shape), state, out=ahead[rows].reshape(shape))

    def backward(self, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The gradients of `characters`, `words`, `state` and `gate`."""
        size, steps = self.size, self.steps
        d_h, d_c, d_z = gradient[steps.row], torch.zeros_like(self.c), torch.empty_like(self.gates)
        d_w, d_link = torch.empty_like(self.word_gates), torch.empty_like(self.links)
        d_ahead = torch.zeros_like(self.ahead)
        xp, values = _arrays(
            d_h, d_c, d_z, d_ahead, *self._of_rows(), self.state.transpose(1, 2).contiguous(),
            d_w, d_link, *self._of_items(), self.gate.transpose(1, 2).contiguous(),
            steps.head, steps.tail,
        )  # fmt: skip
        dh, dc, dz, dahead, of_o, of_c, of_gates, keep, state = values[:9]
        dw, dlink, of_link, share, of_words, keep_words, gate, head, tail = values[9:]
        to_words = dahead[:, 4 * size :]
        for at in reversed(steps.steps):
            rows, shape = slice(at.first, at.stop), (2, at.live, -1)
            above, here, z = dh[rows], dc[rows], dz[rows]
            if at.stop < len(dh):
                above_of = above.reshape(shape)
                above_of += xp.matmul(dahead[rows].reshape(shape), state)
            here += above * of_c[rows]
            xp.multiply(above, of_o[rows], out=z[:, :size])
            z[:, size:] = (here[:, None] * of_gates[rows]).reshape(-1, 3 * size)
            if at.first:
                before = dahead[at.before : at.first].reshape(2, -1, 7 * size)
                before[:, : at.live, : 4 * size] = z.reshape(shape)
                last = dc[at.before : at.first].reshape(2, -1, size)[:, : at.live]
                last += (here * keep[rows]).reshape(shape)
            if at.item < at.end:
                items, split = slice(at.item, at.end), at.middle - at.item
                of_tail, link, w = dc[tail[items]], dlink[items], dw[items]
                xp.multiply(of_tail, of_link[items], out=link)
                cell = of_tail * share[items]
                cell[:split] += link[:split] @ gate[0]
                cell[split:] += link[split:] @ gate[1]
                w[...] = (cell[:, None] * of_words[items]).reshape(-1, 3 * size)
                # All heads differ: of the words of a sentence that end here, no two begin alike.
                to_words[head[items]] += w
                dc[head[items]] += cell * keep_words[items]
        d_characters = torch.cat((d_z, torch.zeros_like(d_c)), dim=1)
        d_characters[:, 4 * size :].index_add_(0, steps.tail, d_link)
        d_state = _by_direction(self.h, d_ahead, steps.row)
        d_gate = _by_direction(self.word_c, d_link, steps.item)
        return (
            unordered(d_characters, steps.row),
            unordered(d_w, steps.item),
            d_state,
            d_gate,
        )

    def _of_rows(self) -> tuple[Tensor, ...]:
        """What the gradients of rows are multiplied by, for all steps at once.

        Returns:
            That from h to the output gate, and to the cell; from the cell to the other three gates
            `[rows, 3, hidden]`, and to the cell before.
        """
        o, i, f, g = self.gates.split(self.size, dim=1)
        before = self.c[self.steps.before]
        before[: self.steps.steps[0].stop] = 0
        to_i, to_f, to_g, keep = g.clone(), before, i.clone(), f.clone()
        joined = self.steps.joined
        to_i[joined] = self.own * (g[joined] - self.c[joined])
        to_f[joined] = keep[joined] = 0
        to_g[joined] = self.own
        gates = (to_i * (i - i * i), to_f * (f - f * f), to_g * (1 - g * g))
        squared = self.tanh * self.tanh
        return self.tanh * (o - o * o), o * (1 - squared), torch.stack(gates, dim=1), keep

    def _of_items(self) -> tuple[Tensor, ...]:
        """The same of items.

        Returns:
            That from the cell that an item ends at to its gate (eq. 14), and to its own cell; from
            its cell to its gates `[items, 3, hidden]`, and to the cell that it begins with.
        """
        i, f, g = self.word_gates.split(self.size, dim=1)
        head, tail = self.c[self.steps.head], self.c[self.steps.tail]
        gates = (g * (i - i * i), head * (f - f * f), i * (1 - g * g))
        link = self.share * (self.word_c - tail) * (self.links - self.links * self.links)
        return link, self.share, torch.stack(gates, dim=1), f.contiguous()


def unordered(values: Tensor, order: Tensor) -> Tensor:
    """Put each row of `values` to the place that `order` names."""
    result = torch.empty_like(values)
    result[order] = values
    return result


def _by_direction(left: Tensor, right: Tensor, order: Tensor) -> Tensor:
    """`left^T right` over the rows of each direction, `[2, ., .]`."""
    backwards = order % 2 == 1
    products = (left[chosen].t() @ right[chosen] for chosen in (~backwards, backwards))
    return torch.stack(tuple(products))


def _arrays(*tensors: Tensor) -> tuple[Any, list[Any]]:
    """The library for the loops, and what it computes on."""
    if tensors[0].device.type == "cpu":
        return np, [tensor.numpy() for tensor in tensors]
    return torch, list(tensors)


def _to_sigmoid(half: Any) -> None:
    """Make sigmoids of the tanh of half their arguments."""
    half *= 0.5
    half += 0.5


def _sums(xp: Any, values: Any, owner: Any) -> Any:
    """Sum up the rows of each owner; owners are 0, 1, … in order."""
    if xp is np:
        return np.add.reduceat(values, np.flatnonzero(np.diff(owner, prepend=-1)), axis=0)
    sums = values.new_zeros(int(owner[-1]) + 1, values.shape[1])
    return sums.index_add_(0, owner, values)
