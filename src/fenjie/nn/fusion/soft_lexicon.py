"""The words around each character, pooled by the character's position in them: B, M, E or S.

Ruotian Ma, Minlong Peng, Qi Zhang, Zhongyu Wei and Xuanjing Huang. 2020. Simplify the Usage of
Lexicon in Chinese NER. ACL.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.lattice import Lattice

BEGIN, MIDDLE, END, SINGLE = range(4)
"""The sets of words of a character: those that it begins, is inside of, ends, or is."""

SETS = 4


class WordSets(nn.Module):
    """The four sets of words of each character as four vectors (section 3.2, eq. 4 to 7).

    A set's vector is the sum of its words' vectors, each weighted by `4 z(w) / Z`: z is how often
    the word was seen, Z the sum of z over the words of all four sets. An empty set holds one word
    of its own, NONE, whose vector is learnt; it counts as seen once.

    Characters and words meet in pairs, as many as the words have characters; cost and memory are
    linear in them.
    """

    def __init__(self, dim: int) -> None:
        """Make the vector of NONE, which has the size of a word's."""
        super().__init__()
        self.none = nn.Parameter(torch.empty(dim))
        nn.init.uniform_(self.none, -((3 / dim) ** 0.5), (3 / dim) ** 0.5)

    def forward(self, words: Tensor, lattice: Lattice) -> Tensor:
        """The vectors of the sets B, M, E and S side by side.

        Args:
            words: the vectors of all words of the batch one after another, `[words, dim]`.
            lattice: where they stand, and how often each was seen (`counts`).

        Returns:
            `[characters, 4 * dim]`.
        """
        if lattice.padded:
            return self._padded(words, lattice)
        bag, word, seen = pairs(lattice)
        seen = seen.to(words.dtype)
        characters = int(lattice.lengths.sum())
        # How often the words of each set were seen, NONE included: (C, 4)
        total = seen.new_zeros(characters * SETS).index_add_(0, bag, seen).view(-1, SETS)
        empty = total == 0
        factor = SETS / (total + empty).sum(1)
        order = bag.argsort(stable=True)
        bag, word, seen = bag[order], word[order], seen[order]
        every = torch.arange(characters * SETS, device=bag.device)
        sums = F.embedding_bag(
            word,
            words if len(words) else words.new_zeros(1, words.shape[1]),
            torch.searchsorted(bag, every),
            mode="sum",
            per_sample_weights=seen * factor[bag // SETS],
        )
        # (C, 4, D)
        pooled = sums.view(characters, SETS, -1) + (empty * factor[:, None])[..., None] * self.none
        return pooled.flatten(1)

    def _padded(self, words: Tensor, lattice: Lattice) -> Tensor:
        """`[batch, words, dim] -> [batch, length, 4 * dim]`."""
        assert lattice.counts is not None
        place = torch.arange(lattice.ids.shape[1], device=words.device)[:, None]
        start, end = lattice.start[:, None], lattice.end[:, None]
        # (B, N, W)
        begins, ends, before, after = start == place, end == place, start < place, end > place
        # (B, 4, N, W): B, M, E, S
        pairs = ((begins, after), (before, after), (before, ends), (begins, ends))
        inside = torch.stack([one & other for one, other in pairs], dim=1)
        counts = lattice.counts.clamp(min=1)[:, None, None].to(words.dtype)
        seen = torch.where(inside & lattice.word_mask[:, None, None], counts, 0.0)
        total = seen.sum(-1, keepdim=True)
        empty = torch.where(total == 0, 1.0, 0.0).to(words.dtype)
        factor = SETS / (total + empty).sum(1, keepdim=True)
        pooled = (seen @ words[:, None] + empty * self.none) * factor
        return pooled.transpose(1, 2).flatten(2)


def pairs(lattice: Lattice) -> tuple[Tensor, Tensor, Tensor]:
    """Each word with each of its characters.

    Returns:
        The set that the word is in, as 4 times the index of the character among all of the batch,
        plus the set's number, `[pairs]`; the index of the word among all of the batch; and how
        often it was seen.
    """
    real = lattice.word_mask
    first = lattice.lengths.cumsum(0) - lattice.lengths
    start = (lattice.start + first[:, None])[real]
    size = (lattice.end - lattice.start)[real] + 1
    word = torch.arange(len(size), device=size.device).repeat_interleave(size)
    inside = torch.arange(len(word), device=size.device) - (size.cumsum(0) - size)[word]
    begins, ends = inside == 0, inside == size[word] - 1
    kind = torch.full_like(word, MIDDLE)
    kind[begins], kind[ends] = BEGIN, END
    kind[begins & ends] = SINGLE
    assert lattice.counts is not None
    # Unseen words count too: a set that has words must not look empty.
    seen = lattice.counts[real].clamp(min=1)
    return (start[word] + inside) * SETS + kind, word, seen[word]
