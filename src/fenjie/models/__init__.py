"""The published systems, one paper a file."""

from __future__ import annotations

from typing import Any

from fenjie.models.atssa import Atssa
from fenjie.models.bert_crf import BertCrf
from fenjie.models.bilstm_crf import BilstmCrf
from fenjie.models.cgn import Cgn
from fenjie.models.dcsan import Dcsan
from fenjie.models.flat import Flat
from fenjie.models.lattice_lstm import LatticeLstm
from fenjie.models.lgn import Lgn
from fenjie.models.lr_cnn import LrCnn
from fenjie.models.mect import Mect
from fenjie.models.ngrams import Ngrams
from fenjie.models.plt import Plt
from fenjie.models.sams import Sams
from fenjie.models.soft_lexicon import SoftLexicon
from fenjie.models.stacked_bilstm import StackedBilstm
from fenjie.models.tener import Tener

SEGMENTERS: dict[str, Any] = {"sams": Sams, "ngrams": Ngrams, "stacked_bilstm": StackedBilstm}
"""Segmenters by the names that recipes and model folders use; the first is the default.

A segmenter scores gaps: `forward` maps a `Batch` to a tuple whose first value is the scores of the
gaps (`GapScores.final`), and `loss` takes this tuple and the gold labels of the gaps. Decoding is
`fenjie.runtime.decoding.gaps`.
"""

TAGGERS: dict[str, Any] = {
    "flat": Flat,
    "tener": Tener,
    "atssa": Atssa,
    "bilstm_crf": BilstmCrf,
    "soft_lexicon": SoftLexicon,
    "lattice_lstm": LatticeLstm,
    "lr_cnn": LrCnn,
    "lgn": Lgn,
    "cgn": Cgn,
    "bert_crf": BertCrf,
    "plt": Plt,
    "dcsan": Dcsan,
    "mect": Mect,
}
"""Taggers by their names: each is a `Tagger`, whose docstring states the contract."""
