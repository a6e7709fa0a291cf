"""`fenjie vectors`: train, import, enrich and show vectors of characters, bigrams and words."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fenjie.cli.options import Encoding, check_not_read, file, path, share_of_all
from fenjie.cli.stages import Stages, in_stages
from fenjie.errors import FenjieError, needing

if TYPE_CHECKING:
    from fenjie.vectors.texts import Source

app = typer.Typer(
    help="Vectors of characters, bigrams and words: make them, import them, look at them.",
    no_args_is_help=True,
)

NEIGHBOURS = 10
"""Number of nearest units that are shown."""

Output = Annotated[
    Path,
    typer.Option("--output", "-o", help="The folder to write, whole or not at all.", parser=path),
]
Written = Annotated[
    Path,
    typer.Option("--output", "-o", help="The file to write, whole or not at all.", parser=file),
]
Texts = Annotated[
    list[str] | None,
    typer.Argument(metavar="TEXT…", help="Raw text, plain, gzip or xz, a paragraph a line."),
]
Annotations = Annotated[
    list[str] | None,
    typer.Option(
        "--annotated",
        help="An annotated file of which the text alone is taken; may be given several times.",
    ),
]
Share = Annotated[
    float,
    typer.Option(
        help="Share of the lines of each TEXT that is read, spread evenly, up to 1.",
        callback=share_of_all,
    ),
]
Simplify = Annotated[
    bool, typer.Option("--simplify", help="Read traditional characters as simplified ones.")
]
Work = Annotated[
    Path | None,
    typer.Option(
        help="Where to keep the segmented text and finished tables, so that an interrupted "
        "run goes on; OUTPUT-work without it.",
        parser=path,
    ),
]


@app.command()
def train(
    texts: Texts = None,
    output: Output = Path("vectors"),
    annotated: Annotations = None,
    dim: Annotated[int, typer.Option(min=1, help="The size of a vector.")] = 50,
    minimum: Annotated[
        int, typer.Option("--min-count", min=1, help="Leave out units seen less often.")
    ] = 5,
    bigrams: Annotated[
        int, typer.Option(min=1, help="Number of bigrams that are kept, the most frequent.")
    ] = 200_000,
    words: Annotated[
        int, typer.Option(min=1, help="Number of words that are kept, the most frequent.")
    ] = 300_000,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the text.")] = 5,
    simplify: Simplify = False,
    workers: Annotated[
        int, typer.Option(min=1, help="Threads; with one, each run gives the same files.")
    ] = 1,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seed of the random numbers.")
    ] = 1,
    encoding: Encoding = "utf-8",
    share: Share = 1.0,
    work: Work = None,
) -> None:
    """Train vectors on raw text, its words found by fenjie's own segmenter."""
    from fenjie.vectors.vectors_folder import check_output

    with needing("vectors are learnt by", "train"):
        from fenjie.vectors.word2vec import Settings, train_vectors
    sources = _sources(texts, annotated, encoding, share)
    check_output(output)
    work = work or output.with_name(f"{output.name}-work")
    settings = Settings(dim, minimum, bigrams, words, epochs, simplify, workers, seed)
    with in_stages(work, output) as report:
        train_vectors(
            sources,
            output,
            settings,
            work=work,
            command=shlex.join(["fenjie", *sys.argv[1:]]),
            report=report,
        )


@app.command()
def match(
    lexicon: Annotated[
        Path,
        typer.Option(
            help="A file of words, such as that of `fenjie vectors words`: each that occurs has a "
            "vector.",
            parser=path,
        ),
    ],
    texts: Texts = None,
    output: Output = Path("vectors"),
    annotated: Annotations = None,
    dim: Annotated[int, typer.Option(min=1, help="The size of a vector.")] = 50,
    minimum: Annotated[
        int, typer.Option("--min-count", min=1, help="Leave out bigrams seen less often.")
    ] = 5,
    bigrams: Annotated[
        int, typer.Option(min=1, help="Number of bigrams that are kept, the most frequent.")
    ] = 1_000_000,
    bits: Annotated[
        int, typer.Option(help="Bits of a number of a vector: 8, or 4 for half the size.")
    ] = 8,
    simplify: Simplify = False,
    encoding: Encoding = "utf-8",
    share: Share = 1.0,
    work: Work = None,
) -> None:
    """Make vectors from raw text and a lexicon, of each word that occurs, without segmentation."""
    from fenjie.text.normalise import Normaliser
    from fenjie.vectors.vectors_folder import check_output

    with needing("vectors are made by", "train"):
        from fenjie.vectors.matched import Settings, train_matched
    if bits not in (4, 8) or (bits == 4 and dim % 2):
        raise FenjieError(f"--bits is 8, or 4 with an even --dim; found {bits} and {dim}")
    sources = _sources(texts, annotated, encoding, share)
    check_output(output)
    work = work or output.with_name(f"{output.name}-work")
    with in_stages(work, output) as report:
        train_matched(
            sources,
            lexicon,
            output,
            Normaliser(simplify=simplify),
            Settings(dim, minimum, bigrams, bits),
            work=work,
            command=shlex.join(["fenjie", *sys.argv[1:]]),
            report=report,
        )


@app.command("words")
def gather(
    dictionary: Annotated[
        list[Path],
        typer.Option(help="A list of words, or one of jieba's; may be repeated.", parser=path),
    ],
    texts: Texts = None,
    output: Written = Path("lexicon.txt"),
    annotated: Annotations = None,
    simplify: Simplify = False,
    encoding: Encoding = "utf-8",
    share: Share = 1.0,
    work: Work = None,
) -> None:
    """Gather the words of a text: from dictionaries, from the segmenter, mined from the text."""
    from fenjie.progress import Screen
    from fenjie.text.normalise import Normaliser
    from fenjie.vectors.wordlist import gather
    from fenjie.vectors.work_folder import work_folder

    sources = _sources(texts, annotated, encoding, share)
    check_not_read(output, [*(source.path for source in sources), *dictionary])
    work = work or output.with_name(f"{output.stem}-work")
    console = Screen(stderr=True, soft_wrap=True)
    with work_folder(work), closing(Stages(console)) as report:
        tally = gather(
            sources,
            dictionary,
            output,
            Normaliser(simplify=simplify),
            work=work,
            report=report,
            skipped=lambda line: console.print(str(line)),
        )
    for name, number in tally.most_common():
        console.print(f"{name}: {number:,} words")
    console.print(f"words in {output}; {work} is no longer needed")


@app.command("new")
def new(
    listed: Annotated[
        Path, typer.Argument(help="The file that `fenjie vectors words` wrote.", parser=path)
    ],
    segmented: Annotated[
        list[Path],
        typer.Option(help="A file of segmented text; may be given several times.", parser=path),
    ],
    output: Written = Path("new-words.txt"),
    shared: Annotated[
        list[str] | None,
        typer.Option(
            help="Instead of mined words those that all these sources have; given several times."
        ),
    ] = None,
    known: Annotated[
        list[Path] | None,
        typer.Option(help="With --shared: a dictionary of which no word is needed.", parser=path),
    ] = None,
    tagged: Annotated[
        Path | None,
        typer.Option(help="Instead organisations in this JSONL of `fenjie tag`.", parser=path),
    ] = None,
    encoding: Encoding = "utf-8",
) -> None:
    """Choose the mined words that are new as words, and no phrases of known ones."""
    from fenjie.corpus import read
    from fenjie.files import atomic
    from fenjie.lexicon import Lexicon
    from fenjie.vectors.new_words import new_words, read_list, shared_words
    from fenjie.vectors.tagged_names import read_tagged, tagged_names

    if shared and tagged:
        raise FenjieError("--shared and --tagged choose other words; give one of them")
    if known and not shared:
        raise FenjieError("--known is for --shared, which is not given")
    check_not_read(output, [listed, *segmented, *(known or []), *([tagged] if tagged else [])])
    sentences = [s for file in segmented for s in read(file, encoding=encoding).sentences]
    words, tiled = list(read_list(listed)), [s for s in sentences if s.tiled]
    if tagged:
        found = tagged_names(words, list(read_tagged(tagged)), tiled)
    elif shared:
        found = shared_words(words, tiled, shared, [Lexicon.read(file) for file in known or []])
    else:
        found = new_words(words, tiled)
    lines = "".join(f"{one.word} {one.times}\n" for one in found)
    with atomic(output) as made:
        made.write_text(lines, encoding="utf-8", newline="\n")
    typer.echo(f"{output}: {len(found):,} words")


def _sources(
    texts: list[str] | None, annotated: list[str] | None, encoding: str, share: float
) -> list[Source]:
    """The texts of a command."""
    from fenjie.vectors.texts import Source

    sources = [Source(file, False, encoding, share) for file in texts or ()]
    sources += [Source(file, True, encoding) for file in annotated or ()]
    if not sources:
        raise FenjieError("there is nothing to learn from; expected a TEXT or --annotated FILE")
    return sources


@app.command("import")
def take(
    characters: Annotated[
        Path | None, typer.Option(help="Vectors of characters.", parser=path)
    ] = None,
    bigrams: Annotated[
        Path | None, typer.Option(help="Vectors of character bigrams.", parser=path)
    ] = None,
    words: Annotated[Path | None, typer.Option(help="Vectors of words.", parser=path)] = None,
    output: Output = Path("vectors"),
) -> None:
    """Take vectors from word2vec files, text or binary, plain, gzip or xz."""
    from fenjie.lexicon.units import TABLES
    from fenjie.progress import Screen
    from fenjie.vectors.imported import import_vectors
    from fenjie.vectors.vectors_folder import check_output

    given = dict(zip(TABLES, (characters, bigrams, words), strict=True))
    files = {name: file for name, file in given.items() if file is not None}
    if not files:
        raise FenjieError("nothing to import; expected --characters, --bigrams or --words")
    check_output(output)
    console = Screen(stderr=True, soft_wrap=True)
    tables = import_vectors(files, output, lambda skipped: console.print(str(skipped)))
    for name, table in tables.items():
        console.print(f"{name}: {len(table):,} vectors of {table.dim} numbers")
    console.print(f"vectors in {output}")


@app.command()
def show(
    folder: Annotated[Path, typer.Argument(help="A vectors folder.", parser=path)],
    units: Annotated[
        list[str] | None,
        typer.Argument(metavar="[UNIT…]", help="Characters, bigrams or words."),
    ] = None,
) -> None:
    """Count the units of a vectors folder, or show those nearest to a UNIT by the cosine."""
    from fenjie.cli.tables import plain
    from fenjie.progress import Screen
    from fenjie.vectors.vectors_folder import open_tables

    tables = open_tables(folder)
    console = Screen(soft_wrap=True)
    if not units:
        columns = ("table", "units", "dim", "most frequent", "least count")
        rows = plain(*columns, text=("most frequent",))
        for name, table in tables.items():
            found, counts = table.units
            first = " ".join(unit for unit in found[:8] if unit.isprintable())
            least = f"{min(counts.tolist()):,}" if found else "–"
            rows.add_row(name, f"{len(table):,}", f"{table.dim}", first, least)
        console.print(rows)
        return
    for unit in units:
        known = {name: table for name, table in tables.items() if table.rows([unit])[0] >= 0}
        if not known:
            raise FenjieError(f"{unit!r} has no vector in {folder}")
        for name, table in known.items():
            row = int(table.rows([unit])[0])
            near = "  ".join(
                f"{other} {cosine:.2f}" for other, cosine in table.nearest(row, NEIGHBOURS)
            )
            count = int(table.units.counts[row])  # 0 in vectors from elsewhere, which tell none
            seen = f", seen {count:,} times" if count else ""
            console.print(f"{unit}  {name}{seen}\n  {near}")


@app.command()
def enrich(
    folder: Annotated[Path, typer.Argument(help="The vectors folder to start from.", parser=path)],
    output: Output,
    characters: Annotated[
        Path | None,
        typer.Option(help="A word2vec file of characters, before the folder's own.", parser=path),
    ] = None,
    dictionary: Annotated[
        Path | None,
        typer.Option(
            help="A dictionary as jieba's (word, frequency, part of speech), whose names (nr, ns, "
            "nt, nz) become words.",
            parser=path,
        ),
    ] = None,
    minimum: Annotated[
        int,
        typer.Option("--min-count", min=0, help="The least frequency of a person or other name."),
    ] = 4,
    words: Annotated[
        int,
        typer.Option(min=0, help="Number of words of the folder that are kept, the most frequent."),
    ] = 300_000,
    without: Annotated[
        Path | None, typer.Option(help="Words of the folder to leave out, one a line.", parser=path)
    ] = None,
) -> None:
    """Add character vectors from elsewhere, and names from a dictionary; leave words out."""
    from fenjie.vectors.enrich import enrich
    from fenjie.vectors.vectors_folder import check_output

    check_output(output)
    tables = enrich(
        folder,
        output,
        characters=characters,
        dictionary=dictionary,
        minimum=minimum,
        words=words,
        without=without,
    )
    for name, table in tables.items():
        typer.echo(f"{name}: {len(table):,} × {table.dim}")
