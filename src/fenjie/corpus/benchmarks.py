"""The public benchmark data sets that fenjie is measured on, and the counts they should have.

The counts agree with the publications: Resume and Weibo with Zhang and Yang (2018, Lattice LSTM)
and Peng and Dredze (2015), MSRA with Levow (2006), PKU and MSR with Emerson (2005), SXU with Jin
and Chen (2008), UD with Universal Dependencies Chinese GSD. Three files are not the published ones:
the PKU training set is a reconstruction, the MSR (segmentation) training set an official tenth,
and the line breaks of the MSRA (entities) training set are rebuilt.

An entity begins with a B or S tag, as in the published counts; the reader drops the few in Weibo
and Resume that do not (`fenjie.corpus.columns`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fenjie.corpus.io import read
from fenjie.corpus.lines import Corpus
from fenjie.corpus.statistics import measure
from fenjie.errors import FileError


@dataclass(frozen=True)
class DataFile:
    """A file of a data set.

    Attributes:
        path: where it lies in the data folder.
        format: its format.
        expected: its counts: `sentences`, `characters`, `words`, `entities`, or an entity type.
    """

    path: str
    format: str
    expected: Mapping[str, int]


@dataclass(frozen=True)
class Checked:
    """The look at one file.

    Attributes:
        file: the file.
        found: its counts; None where it could not be read.
        repairs: number of ill-formed tags repaired.
        problem: why the file could not be read, or None.
    """

    file: DataFile
    found: Mapping[str, int] | None = None
    repairs: int = 0
    problem: str | None = None

    @property
    def counts(self) -> list[tuple[str, int | None, int]]:
        """Each quantity in the order expected, as found and as expected."""
        return [
            (quantity, None if self.found is None else self.found.get(quantity, 0), expected)
            for quantity, expected in self.file.expected.items()
        ]


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds no data set at all.

    Raises:
        FileError: it is none.
    """
    expected = "the data folder, with ner/ and cws/ in it"
    if not folder.is_dir():
        said = "is not a folder" if folder.exists() else "no such folder"
        raise FileError(folder, said, expected=expected)
    if not any((folder / file.path).exists() for file in FILES):
        raise FileError(folder, "holds no file of a data set", expected=expected)


def check(folder: Path) -> Iterator[Checked]:
    """Count every file of every data set under `folder`, one after another."""
    for file in FILES:
        try:
            corpus = read(folder / file.path, file.format)
        except FileError as error:
            yield Checked(file, problem=str(error))
        else:
            yield Checked(file, _count(corpus), corpus.repairs.total())


def _count(corpus: Corpus) -> dict[str, int]:
    statistics = measure(corpus)
    return {
        **statistics.entities,
        "sentences": statistics.sentences,
        "characters": statistics.characters,
        "words": statistics.words,
        "entities": statistics.entities.total(),
    }


def _resume(part: str, sentences: int, characters: int, entities: int) -> DataFile:
    counts = {"sentences": sentences, "characters": characters, "entities": entities}
    return DataFile(f"ner/resume/{part}.char.bmes", "columns", counts)


def _weibo(part: str, sentences: int, entities: int) -> tuple[DataFile, ...]:
    all_counts = {"sentences": sentences, "entities": entities}
    return (
        DataFile(f"ner/weibo/weiboNER_2nd_conll.{part}", "weibo", all_counts),
        DataFile(f"ner/weibo/{part}.all.bmes", "columns", all_counts),
        DataFile(f"ner/weibo/{part}.ne.bmes", "columns", {"sentences": sentences}),
        DataFile(f"ner/weibo/{part}.nm.bmes", "columns", {"sentences": sentences}),
    )


def _msra(name: str, sentences: int, characters: int, **types: int) -> DataFile:
    counts = {"sentences": sentences, "characters": characters, "entities": sum(types.values())}
    return DataFile(f"ner/msra/{name}", "columns", counts | types)


def _words(path: str, sentences: int | None, words: int) -> DataFile:
    counts = {"words": words} if sentences is None else {"sentences": sentences, "words": words}
    return DataFile(f"cws/{path}", "conllu" if path.endswith(".conll") else "spaced", counts)


FILES: tuple[DataFile, ...] = (
    _resume("train", 3_821, 124_099, 13_438),
    _resume("dev", 463, 13_890, 1_497),
    _resume("test", 477, 15_100, 1_630),
    *_weibo("train", 1_350, 1_885),
    *_weibo("dev", 270, 389),
    *_weibo("test", 270, 414),
    _msra("train.lines_approx.bio", 49_152, 2_169_879, LOC=36_517, ORG=20_571, PER=17_615),
    _msra("test.bio", 4_365, 172_601, LOC=2_877, ORG=1_331, PER=1_973),
    _words("pku/train.utf8", 19_484, 1_122_136),
    _words("pku/pku_test_gold.utf8", None, 104_372),
    _words("msr/train_part.utf8", 8_691, 236_880),
    _words("msr/msr_test_gold.utf8", None, 106_873),
    _words("sxu/train.txt", 17_115, 528_238),
    _words("sxu/test.txt", 3_654, 113_527),
    _words("ud/train.conll", 3_997, 98_608),
    _words("ud/dev.conll", 500, 12_663),
    _words("ud/test.conll", 500, 12_012),
)
"""Every annotated file and its counts."""
