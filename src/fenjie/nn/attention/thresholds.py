"""Keys whose score reaches a threshold that is learnt for each query and head.

Biao Hu, Zhen Huang, Minghao Hu, Ziwen Zhang and Yong Dou. 2022. Adaptive Threshold Selective
Self-Attention for Chinese NER. COLING. Equation numbers are theirs.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.nn.attention.padded_selections import softmax_above
from fenjie.nn.attention.selection import Penalty, Selected, Selection, SelectionConfig, top
from fenjie.nn.layout import padded


class Threshold(Selection):
    """The selection of ATSSA.

    In training z is a sample (eq. 10). The masked softmax of eq. 11 and 12 is written as weights
    in proportion to z exp(A), which is the same for z of 0 and 1 and has a gradient for z, and by
    it for the threshold. A query whose sample keeps nothing keeps its best key.

    In evaluation z = [A >= T], the arg max of eq. 16 without noise. Without a floor the threshold
    may be above all scores; the best key is kept then too. Keys that tie count as one.
    """

    def __init__(
        self, config: SelectionConfig, dim: int, heads: int, groups: int | None = None
    ) -> None:
        """Make W_t; the arguments are those of `make_selection`."""
        super().__init__(config)
        lead = () if groups is None else (groups, 1)
        self.weight: nn.Parameter | None = None
        if config.dynamic:
            self.weight = nn.Parameter(torch.empty(*lead, heads, 4 * dim))
            for part in self.weight.view(-1, heads, 4 * dim):
                nn.init.xavier_uniform_(part)

    def thresholds(self, query: Tensor, mean: Tensor, group: int | None = None) -> Tensor | None:
        """T = W_t [x; mp(x); x * mp(x); x - mp(x)] (eq. 7)."""
        if self.weight is None:
            return None
        # x and mp(x) stand in it twice, so their maps can be added up.
        weight = self.weight if group is None else self.weight[group, 0]
        own, pooled, product, difference = weight.chunk(4, dim=-1)
        own, pooled = own + difference, pooled - difference
        if mean.shape[-2] == 1 and query.dim() > 2:
            # All queries of a sentence have one map, into which its mean goes.
            return torch.addcmul(own, product, mean) @ query.mT + pooled @ mean.mT
        return own @ query.mT + pooled @ mean.mT + product @ (query * mean).mT

    def select(self, scores: Tensor, thresholds: Tensor | None, share: Tensor | None) -> Selected:
        """Sample in training, cut off in evaluation."""
        cut = scores.new_zeros(()) if thresholds is None else thresholds[..., None]
        return self._sampled(scores, cut, share) if self.training else self._cut(scores, cut)

    def _cut(self, scores: Tensor, cut: Tensor) -> Selected:
        if padded(scores):
            return Selected(softmax_above(scores - cut, max(self.config.keep, 1)))
        dropped = _below(scores, cut)
        # Eq. 8 lowers the threshold of those queries alone that would keep fewer keys.
        keys = scores.shape[-1]
        least = min(max(self.config.keep, 1), keys)
        few = (dropped.sum(-1) > keys - least).view(-1).nonzero().view(-1)
        if len(few):
            rows = scores.detach().reshape(-1, keys).index_select(0, few)
            dropped.view(-1, keys).index_copy_(0, few, _below(rows, _last_of_best(rows, least)))
        if torch.is_grad_enabled():
            return Selected(torch.softmax(scores.add(dropped, alpha=-1e30), dim=-1))
        # New memory costs more here than the arithmetic.
        return Selected(torch.softmax(scores.add_(dropped, alpha=-1e30), dim=-1, out=dropped))

    def _sampled(self, scores: Tensor, cut: Tensor, share: Tensor | None) -> Selected:
        config = self.config
        if scores.dtype.itemsize < 4:  # 16 bits hold too few steps for noise and threshold
            scores, cut = scores.float(), cut.float()
        if config.keep:
            cut = torch.minimum(top(scores, config.keep), cut)  # eq. 8
        # Eq. 9: log b - log(1 - b) is α (A - T) itself, which cannot overflow as b does. Eq. 17
        # with two classes and τ = 1 (section 5.1) is a sigmoid of that, with g_1 - g_0, which is
        # logistic, added.
        logit = config.amplification * (scores - cut)
        logit = logit + logistic(logit)
        soft = torch.sigmoid(logit)
        if config.soft:
            weights = torch.softmax(scores + F.logsigmoid(logit), dim=-1)
            return Selected(weights, self._penalty(soft, share))
        best = scores.detach().amax(-1, keepdim=True)
        hard = logit > 0
        hard = torch.where(hard.any(-1, keepdim=True), hard, scores == best)
        z = hard + (soft - soft.detach())
        mass = z * torch.exp(scores - best)
        return Selected(mass / mass.sum(-1, keepdim=True), self._penalty(z, share))

    def _penalty(self, z: Tensor, share: Tensor | None) -> Penalty:
        """λ times the sum of z over heads, queries and keys, each query by its share (eq. 19)."""
        if not (self.config.sparsity and torch.is_grad_enabled()):
            return 0.0
        assert share is not None, "a threshold that learns needs the share of its queries"
        kept = z.sum(dim=(-3, -1))
        counted = kept * share
        assert counted.shape == kept.shape, "a share is one number for each query"
        return self.config.sparsity * counted.sum()


def _below(scores: Tensor, cut: Tensor) -> Tensor:
    """1 - z of eq. 16 without noise, in the type of the scores: on a CPU bool takes far longer."""
    dropped = torch.empty(scores.shape, dtype=scores.dtype, device=scores.device)
    return torch.lt(scores.detach(), cut.detach(), out=dropped)


def _last_of_best(rows: Tensor, keep: int) -> Tensor:
    """The last of the best scores of each row, `[rows, 1]`; -inf, if that is a hidden key's.

    Hidden keys are not below that: they are not dropped, but stay hidden.
    """
    if keep > 4:
        return rows.topk(keep, dim=-1, sorted=False).values.amin(-1, keepdim=True)
    rest = rows.clone()
    for _ in range(keep - 1):  # for few keys this takes half the time
        rest.scatter_(-1, rest.argmax(-1, keepdim=True), -torch.inf)
    return rest.amax(-1, keepdim=True)


def logistic(like: Tensor) -> Tensor:
    """Noise of the logistic distribution: the difference of two of Gumbel(0, 1)."""
    eps = torch.finfo(like.dtype).eps / 2
    return torch.logit(torch.rand_like(like), eps=eps)
