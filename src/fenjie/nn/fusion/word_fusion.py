"""Cross attention from characters to the words that contain them (ATSSA, eq. 13 to 15).

Biao Hu et al. 2022. Adaptive Threshold Selective Self-Attention for Chinese NER. COLING.

Scores and weights belong to pairs (character, word that contains it), one after another: their
number is the sum of the words' lengths, so time and memory grow with the text.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from fenjie.lexicon.keys import LONGEST
from fenjie.nn.lattice import Lattice
from fenjie.nn.positions import encoded_distances


class Pairs(NamedTuple):
    """The characters of all words of a batch (eq. 13), `[pairs]` each.

    Attributes:
        character: the index of the character among all characters of the batch.
        word: the index of the word among all words of the batch.
        from_head: its distance from the word's first character: i - head (eq. 14).
        to_tail: its distance from the word's last one: tail - i.
    """

    character: Tensor
    word: Tensor
    from_head: Tensor
    to_tail: Tensor

    @classmethod
    def of(cls, lattice: Lattice) -> Pairs:
        """The pairs of a lattice, word by word."""
        start, end = lattice.start[lattice.word_mask], lattice.end[lattice.word_mask]
        first = lattice.lengths.cumsum(0) - lattice.lengths
        sizes = end - start + 1
        word = torch.arange(len(sizes), device=sizes.device).repeat_interleave(sizes)
        from_head = torch.arange(len(word), device=sizes.device) - (sizes.cumsum(0) - sizes)[word]
        begins = start + first.repeat_interleave(lattice.words)
        return cls(begins[word] + from_head, word, from_head, sizes[word] - 1 - from_head)


class WordFusion(nn.Module):
    """For each character a mixture of the words that contain it; 0 where there are none.

    The score is that of eq. 5, where R is linear in the encodings of two distances (eq. 15). The
    caller maps the mixture linearly, so there is no output projection here.
    """

    def __init__(self, dim: int, heads: int) -> None:
        """Make the projections; `dim` is even and a multiple of `heads`."""
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False)
        self.value = nn.Linear(dim, dim, bias=False)
        self.position = nn.Linear(2 * dim, dim, bias=False)  # W_r of eq. 15
        self.content_bias = nn.Parameter(torch.empty(heads, dim // heads))  # u of eq. 5
        self.position_bias = nn.Parameter(torch.empty(heads, dim // heads))  # v of eq. 5
        for weight in self.parameters():
            nn.init.xavier_uniform_(weight)

    def forward(self, characters: Tensor, words: Tensor, pairs: Pairs | Lattice) -> Tensor:
        """Mix the words of each character.

        Args:
            characters: the vectors of all characters, `[characters, dim]`.
            words: those of all words, `[words, dim]`.
            pairs: which word contains which character; of a padded batch the lattice.

        Returns:
            `[characters, dim]`.
        """
        if isinstance(pairs, Lattice):
            return self._padded(characters, words, pairs)
        if not len(pairs.word):
            return torch.zeros_like(characters)
        # (characters or words, D) -> (characters or words, H, D/H)
        split = (self.heads, -1)
        query = self.query(characters).unflatten(-1, split)
        key = self.key(words).unflatten(-1, split)
        value = self.value(words).unflatten(-1, split)
        content = (query + self.content_bias).index_select(0, pairs.character)
        # (pairs, H)
        scores = (content * key.index_select(0, pairs.word)).sum(-1)
        scores = scores + self._positions(query + self.position_bias, pairs)
        weights = _softmax(scores, pairs.character, len(characters))
        mixed = weights[..., None] * value.index_select(0, pairs.word)
        sums: Tensor = mixed.new_zeros(len(characters), characters.shape[-1])
        return sums.index_add(0, pairs.character, mixed.flatten(-2))

    def _padded(self, characters: Tensor, words: Tensor, lattice: Lattice) -> Tensor:
        """Each character scores all words: `[batch, length, dim]` and `[batch, words, dim]`."""
        split = (self.heads, characters.shape[-1] // self.heads)
        # (B, N, W): how far a character is after a word's first one, and before its last one
        place = torch.arange(characters.shape[1], device=words.device)[:, None]
        after, before = place - lattice.start[:, None], lattice.end[:, None] - place
        inside = (torch.minimum(after, before) >= 0) & lattice.word_mask[:, None]
        # (B, H, N, D/H) x (B, H, D/H, W)
        query = self.query(characters)
        content = (query + self.content_bias.flatten()).unflatten(-1, split).transpose(1, 2)
        scores = content @ self.key(words).unflatten(-1, split).permute(0, 2, 3, 1)
        # (B, H, N, D/H) x (H, D/H, distances), looked up for each pair
        position = (query + self.position_bias.flatten()).unflatten(-1, split).transpose(1, 2)
        tables = self.position_keys(LONGEST).unflatten(-1, split).permute(0, 2, 3, 1)
        for table, distance in zip(tables, (after, before), strict=True):
            known = distance.clamp(0, LONGEST - 1)[:, None].expand(-1, self.heads, -1, -1)
            scores = scores + (position @ table).gather(3, known)
        weights = torch.where(inside[:, None], scores, -1e30).softmax(dim=-1)
        mixed = weights @ self.value(words).unflatten(-1, split).transpose(1, 2)
        found = inside.any(-1, keepdim=True).to(mixed.dtype)
        result: Tensor = mixed.transpose(1, 2).flatten(-2) * found
        return result

    def _positions(self, query: Tensor, pairs: Pairs) -> Tensor:
        """The products of queries `[characters, heads, size]` with R: `[pairs, heads]`.

        R is a sum of two vectors, and few distances occur. So each character multiplies those of
        every distance once, and a pair looks its two products up.
        """
        # (2, distances, D): W_r's part for i - head, and that for i - tail
        keys = self.position_keys(int(pairs.from_head.max()) + 1)
        keys = keys.unflatten(-1, (self.heads, -1)).flatten(0, 1)
        # (H, characters, size) x (H, size, 2 distances) -> (characters, 2 distances, H)
        products = torch.bmm(query.transpose(0, 1), keys.permute(1, 2, 0)).permute(1, 2, 0)
        count = products.shape[1]
        row = pairs.character * count
        table = products.reshape(-1, self.heads)
        by_head = table.index_select(0, row + pairs.from_head)
        return by_head + table.index_select(0, row + count // 2 + pairs.to_tail)

    def position_keys(self, longest: int) -> Tensor:
        """Eq. 15 apart: W_r's first half times p_0, p_1, …, its second times p_0, p_-1, ….

        `[2, longest, dim]`
        """
        weight = self.position.weight
        ends = (longest - 1, 1 - longest)
        encoded = [encoded_distances(0, end, weight.shape[0], weight) for end in ends]
        return torch.stack(encoded) @ torch.stack(weight.chunk(2, dim=1)).mT


def _softmax(scores: Tensor, group: Tensor, groups: int) -> Tensor:
    """The softmax of each column among the rows of one group: `[rows, columns]`."""
    rows = group[:, None].expand_as(scores)
    highest = scores.new_full((groups, scores.shape[1]), -torch.inf)
    highest.scatter_reduce_(0, rows, scores.detach(), "amax")
    exponents = torch.exp(scores - highest.index_select(0, group))
    sums = torch.zeros_like(highest).index_add(0, group, exponents)
    return exponents / sums.index_select(0, group)
