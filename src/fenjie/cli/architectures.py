"""The systems that recipes can name, with their papers and scores; needs no PyTorch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

SCORES = "scores.json"
"""A file beside this one, written by `python -m benchmarks.tables` from the records of runs."""


@dataclass(frozen=True)
class Architecture:
    """A system.

    Attributes:
        title: its name.
        task: words or entities.
        paper: authors and year; `references.bib` has the rest.
    """

    title: str
    task: str
    paper: str


ARCHITECTURES: Mapping[str, Architecture] = {
    "sams": Architecture("SAMS", "words", "Duan and Zhao 2020"),
    "ngrams": Architecture("linear model of n-grams", "words", "Zhao and Kit 2007"),
    "stacked_bilstm": Architecture("stacked BiLSTM", "words", "Ma et al. 2018"),
    "flat": Architecture("FLAT", "entities", "Li et al. 2020"),
    "tener": Architecture("TENER", "entities", "Yan et al. 2019"),
    "atssa": Architecture("ATSSA", "entities", "Hu et al. 2022"),
    "bilstm_crf": Architecture("BiLSTM-CRF", "entities", "Huang et al. 2015"),
    "soft_lexicon": Architecture("SoftLexicon", "entities", "Ma et al. 2020"),
    "lattice_lstm": Architecture("Lattice LSTM", "entities", "Zhang and Yang 2018"),
    "lr_cnn": Architecture("LR-CNN", "entities", "Gui et al. 2019a"),
    "lgn": Architecture("LGN", "entities", "Gui et al. 2019b"),
    "cgn": Architecture("CGN", "entities", "Sui et al. 2019"),
    "bert_crf": Architecture("BERT-CRF, BERT-BiLSTM-CRF", "entities", "Devlin et al. 2019"),
    "plt": Architecture("PLT", "entities", "Xue et al. 2020"),
    "dcsan": Architecture("DCSAN", "entities", "Zhao et al. 2021"),
    "mect": Architecture("MECT", "entities", "Wu et al. 2021"),
}
"""By the names of `fenjie.models`, in their order."""


@dataclass(frozen=True)
class Mechanism:
    """A part that several systems can have, by a setting.

    Attributes:
        title: its name.
        setting: the setting of a recipe that turns it on.
        task: words or entities: what its recipes find.
        paper: authors and year.
    """

    title: str
    setting: str
    task: str
    paper: str


MECHANISMS: Mapping[str, Mechanism] = {
    "explicit-sparse": Mechanism(
        "explicit sparse attention", 'selection.kind = "top-k"', "entities", "Zhao et al. 2019"
    ),
    "flat-dswa": Mechanism("DSWA on FLAT", "windows.rounds", "entities", "Hou et al. 2023"),
    "soft-lexicon-dswa": Mechanism(
        "DSWA on SoftLexicon", "windows.rounds", "entities", "Hou et al. 2023"
    ),
}
"""By what the names of their recipes begin with, as `recipes/explicit-sparse-weibo.toml`."""


def scores() -> dict[str, dict[str, dict[str, Any]]]:
    """The test F1 in per cent by system and data set: `f1`, and the number of `seeds`.

    Of words also whether the test was `open`: with dictionaries or vectors, and not with the
    training text alone, as in the closed test of the papers; `encoder` where the system stands over
    our own encoder.

    Systems are the architectures and the mechanisms. Of several recipes the one that is best on dev
    counts.
    """
    text = (files("fenjie.cli") / SCORES).read_text(encoding="utf-8")
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(text)
    return found
