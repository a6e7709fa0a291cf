"""`fenjie vectors`: trained, imported, shown, and what cannot be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.command_line import CommandLine, fenjie

LINES = ["北京的经理和上海的工程师去北京开会。", "上海的公司，经理说：很好！"] * 3


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    (tmp_path / "text.txt").write_text("\n".join(LINES), encoding="utf-8")
    (tmp_path / "train.bmes").write_text("北 B-LOC\n京 E-LOC\n\n说 O\n", encoding="utf-8")
    return CommandLine(tmp_path, "vectors")


@pytest.fixture
def made(cli: CommandLine) -> Path:
    """A vectors folder that was imported."""
    uni, words = cli.folder / "uni.vec", cli.folder / "words.vec"
    uni.write_text("北 1 0 0 0\n京 0.9 0.1 0 0\n经 0 1 0 0\n", encoding="utf-8")
    words.write_text("3 4\n北京 1 0 0 0\n上海 1 1 0 0\n经理 0 1 0 1\n", encoding="utf-8")
    done = cli("import", "--characters", uni, "--words", words, "-o", "made")
    assert done.returncode == 0, done
    assert "words: 3 vectors of 4 numbers" in done.stderr.decode()
    return cli.folder / "made"


def test_train_then_show(cli: CommandLine) -> None:
    pytest.importorskip("gensim", reason="needs the extra `train`")
    options = ["--dim", 4, "--min-count", 1, "--epochs", 1, "--annotated", "train.bmes"]
    done = cli("train", "text.txt", *options, "-o", "out")
    assert (done.returncode, done.stdout) == (0, b""), done
    stages = done.stderr.decode().splitlines()
    assert stages[:2] == ["reading", "segmenting"]
    assert stages[2:4] == ["counting characters", "learning characters"]
    assert stages[-1].startswith("vectors in out; ")
    card = (cli.folder / "out" / "README.md").read_text(encoding="utf-8")
    assert "fenjie vectors train text.txt --dim 4 --min-count 1" in card
    assert "| train.bmes | 2 | 3 |" in card

    found = cli("show", "out").stdout.decode()
    assert all(name in found for name in ("characters", "bigrams", "words"))
    found = cli("show", "out", "北京", "京").stdout.decode()
    assert "北京  words, seen 7 times" in found
    assert "北京  bigrams, seen 7 times" in found
    assert "京  characters, seen 7 times" in found

    again = cli("train", "text.txt", *options, "-o", "out")
    assert again.returncode == 0, "a folder of vectors may be written anew"
    assert "learning" not in again.stderr.decode()
    assert "segmenting" not in again.stderr.decode()


def test_words_then_match(cli: CommandLine) -> None:
    pytest.importorskip("scipy", reason="needs the extra `train`")
    (cli.folder / "dict.txt").write_text("北京\n工程\n经理\n广 州\n", encoding="utf-8")
    done = cli("words", "text.txt", "--dictionary", "dict.txt", "-o", "words.txt")
    assert (done.returncode, done.stdout) == (0, b""), done
    assert "dict.txt:4: skipped: a word cannot hold whitespace" in done.stderr.decode()
    assert "all: 3 words" in done.stderr.decode()
    content = (cli.folder / "words.txt").read_text(encoding="utf-8")
    assert content == "北京 6 dict\n经理 6 dict\n工程 3 dict\n"
    options = ["--lexicon", "words.txt", "--dim", 4, "--min-count", 1, "--bits", 4]
    done = cli("match", "text.txt", *options, "-o", "out", "--share", 0.5)
    assert (done.returncode, done.stdout) == (0, b""), done
    assert "经理  words, seen 3 times" in cli("show", "out", "经理").stdout.decode()
    assert "| text.txt | 3 |" in (cli.folder / "out" / "README.md").read_text(encoding="utf-8")


def test_words_that_are_new(cli: CommandLine) -> None:
    listed, text = "微博 90 mined 6.6 5.3\n共享 9 dict\n", "他 的 微型 车\n"
    (cli.folder / "lexicon.txt").write_text(listed, encoding="utf-8")
    (cli.folder / "text.txt").write_text(text, encoding="utf-8")
    done = cli("new", "lexicon.txt", "--segmented", "text.txt", "-o", "new.txt")
    assert done.returncode == 0 and b"new.txt: 1 words" in done.stdout
    assert (cli.folder / "new.txt").read_text(encoding="utf-8") == "微博 90\n"
    shared = ["--shared", "dict", "--known", "known.txt", "-o", "shared.txt"]
    (cli.folder / "lexicon.txt").write_text("微博 90 dict\n共享 90 dict\n", encoding="utf-8")
    (cli.folder / "known.txt").write_text("共享 9\n", encoding="utf-8")
    done = cli("new", "lexicon.txt", "--segmented", "text.txt", *shared)
    assert done.returncode == 0, done
    assert (cli.folder / "shared.txt").read_text(encoding="utf-8") == "微博 90\n"
    message = cli.fails("new", "text.txt", "--segmented", "text.txt")
    assert "text.txt:1: not a word" in message
    entity = '{"text": "微博", "label": "ORG", "start": 0, "end": 2, "confidence": 0.9}'
    tagged = f'{{"text": "微博发布财报", "entities": [{entity}]}}\n' * 5
    (cli.folder / "tagged.jsonl").write_text(tagged, encoding="utf-8")
    options = ["--segmented", "text.txt", "--tagged", "tagged.jsonl"]
    done = cli("new", "lexicon.txt", *options, "-o", "names.txt")
    assert done.returncode == 0, done
    assert (cli.folder / "names.txt").read_text(encoding="utf-8") == "微博 90\n"
    for missing in ("no.txt", "--segmented", "no.txt"), ("lexicon.txt", *options):  # said at once
        message = cli.fails("new", *missing, "--tagged", "tagged.jsonl", "--shared", "dict")
        assert "--shared and --tagged choose other words" in message
        message = cli.fails("new", *missing, "--known", "known.txt")
        assert message == "fenjie: --known is for --shared, which is not given"


def test_bad_use_of_words_and_match(cli: CommandLine) -> None:
    pytest.importorskip("scipy", reason="needs the extra `train`")
    (cli.folder / "dict.txt").write_text("北京\n", encoding="utf-8")
    assert "nothing to learn from" in cli.fails("words", "--dictionary", "dict.txt")
    assert "nothing to learn from" in cli.fails("match", "--lexicon", "dict.txt")
    message = cli.fails("match", "text.txt", "--lexicon", "dict.txt", "--bits", 5)
    assert "--bits is 8, or 4 with an even --dim; found 5 and 50" in message
    for command, option in ("match", "--lexicon"), ("words", "--dictionary"):
        message = cli.fails(command, "text.txt", option, "none.txt")  # known before text is read
        assert "none.txt: cannot be read" in message


def test_a_file_that_is_read_is_not_replaced(cli: CommandLine) -> None:
    text = (cli.folder / "text.txt").read_bytes()
    cli.file("lexicon.txt", "北京\n".encode())
    cli.file("words.txt", "北京 6 dict\n".encode())
    said = "is read and would be replaced; expected another --output"
    for given in ("-o", "text.txt"), ("--annotated", "train.bmes", "-o", "train.bmes"), ():
        message = cli.fails("words", "text.txt", "--dictionary", "lexicon.txt", *given)
        assert message == f"fenjie: {given[-1] if given else 'lexicon.txt'}: {said}"
    for to in "words.txt", "train.bmes", "lexicon.txt":
        options = ["--segmented", "train.bmes", "--shared", "dict", "--known", "lexicon.txt"]
        assert cli.fails("new", "words.txt", *options, "-o", to) == f"fenjie: {to}: {said}"
    options = ["--segmented", "train.bmes", "--tagged", "text.txt", "-o", "./text.txt"]
    assert cli.fails("new", "words.txt", *options).endswith(said)
    assert (cli.folder / "text.txt").read_bytes() == text


def test_show_names_the_nearest_first(cli: CommandLine, made: Path) -> None:
    lines = cli("show", made, "北", "北京").stdout.decode().splitlines()
    assert lines[0] == "北  characters"
    assert lines[1].split() == ["京", "0.99", "经", "0.00"]
    assert lines[3].split() == ["上海", "0.71", "经理", "0.00"]


def test_skipped_lines_are_reported_one_by_one(cli: CommandLine) -> None:
    (cli.folder / "bad.vec").write_text("北 1 2 3 4\n京 1 2\n北 1 2 3 4\n", encoding="utf-8")
    done = cli("import", "--characters", "bad.vec", "-o", "made")
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()
    assert lines[0].startswith("bad.vec:2: skipped: ")
    assert lines[1].startswith("bad.vec:3: skipped: ")
    assert lines[2] == "characters: 1 vectors of 4 numbers"


def test_vectors_of_nothing_are_shown(cli: CommandLine, made: Path) -> None:
    assert cli("enrich", made, "--words", 0, "-o", "empty").returncode == 0
    assert cli("show", "empty").stdout.decode().split()[-4:] == ["words", "0", "4", "–"]


def test_enrich_leaves_words_out(cli: CommandLine, made: Path) -> None:
    files = ["--characters", "uni.vec", "--bigrams", "words.vec", "--words", "words.vec"]
    assert cli("import", *files, "-o", "all").returncode == 0
    (cli.folder / "out.txt").write_text("上海\n\n广州\n", encoding="utf-8")
    done = cli("enrich", "all", "-o", "fewer", "--without", "out.txt")
    assert done.returncode == 0, done
    assert "words: 2 × 4" in done.stdout.decode()
    done = cli("enrich", "all", "-o", "other", "--without", "none.txt")
    assert done.returncode == 2 and "none.txt" in done.stderr.decode()


def test_lines_that_enrich_leaves_aside_are_one_line(cli: CommandLine, made: Path) -> None:
    (cli.folder / "more.vec").write_text("北 1 0 0 0\n京 0\n上 0 1 0 0\n", encoding="utf-8")
    done = cli("enrich", made, "-o", "richer", "--characters", "more.vec")
    assert done.returncode == 0, done
    lines = [one for one in done.stderr.decode().splitlines() if "skipped" in one]
    assert lines == [
        "fenjie: more.vec: lines skipped: 1; the first: more.vec:2: skipped: "
        "expected 5 columns, a word and numbers; there are 2; found '京 0'"
    ]


def test_enrich_a_folder_with_some_tables(cli: CommandLine, made: Path) -> None:
    done = cli("enrich", made, "-o", "richer", "--characters", "uni.vec")
    assert done.returncode == 0, done
    assert done.stdout.decode().splitlines() == ["characters: 3 × 8", "words: 3 × 4"]
    assert cli("import", "--bigrams", "words.vec", "-o", "pairs").returncode == 0
    done = cli("enrich", "pairs", "-o", "richer", "--characters", "uni.vec")
    assert done.stdout.decode().splitlines() == ["bigrams: 3 × 4", "characters: 3 × 4"]
    (cli.folder / "dict.txt").write_text("北京 9 ns\n", encoding="utf-8")
    done = cli("enrich", "pairs", "-o", "other", "--dictionary", "dict.txt")
    assert done.returncode == 2 and b"pairs: holds no words" in done.stderr
    done = cli("enrich", "nowhere", "-o", "other")
    assert done.returncode == 2 and b"nowhere: is no folder" in done.stderr


def test_bad_use(cli: CommandLine, made: Path) -> None:
    assert "nothing to import" in cli.fails("import")
    assert "no vector" in cli.fails("show", made, "没有")
    (cli.folder / "papers").mkdir()
    (cli.folder / "papers" / "thesis.txt").write_text("years of work", encoding="utf-8")
    assert "holds no vectors" in cli.fails("show", "papers")
    assert "nowhere: is no folder" in cli.fails("show", "nowhere")
    message = cli.fails("import", "--words", "words.vec", "-o", "papers")
    assert "papers: exists already" in message
    assert (cli.folder / "papers" / "thesis.txt").exists()
    (cli.folder / "papers" / "figures.npy").write_bytes(b"")
    assert "papers: exists already" in cli.fails("import", "--words", "words.vec", "-o", "papers")
    assert "no such folder" in cli.fails("import", "--words", "words.vec", "-o", "no/where")


def test_bad_use_of_train(cli: CommandLine) -> None:
    pytest.importorskip("gensim", reason="needs the extra `train`")
    assert "nothing to learn from" in cli.fails("train")
    assert "missing.txt: cannot be read" in cli.fails("train", "missing.txt")
    for share in "nan", "0.0", "2.0":
        message = cli.fails("train", "text.txt", "--share", share)
        assert f"{share} is not in the range 0<x<=1" in message
    message = cli.fails("train", "text.txt", "--seed", 2**32)
    assert "4294967296 is not in the range 0<=x<=4294967295" in message
    message = cli.fails("train", "text.txt", "--min-count", 1000, leaves=("vectors-work",))
    assert "occurs 1000 times or more" in message
    assert message.endswith(
        "(vectors-work keeps what is done: the same command goes on from there)"
    )
    empty = cli.file("empty.txt", b"")
    assert cli.fails("train", empty, "-o", "other").endswith("empty.txt: holds no text")
    assert not (cli.folder / "vectors").exists()


def test_two_runs_in_one_work_folder_are_kept_apart(cli: CommandLine) -> None:
    pytest.importorskip("gensim", reason="needs the extra `train`")
    from fenjie.lock import only_run

    work = cli.folder / "vectors-work"
    with only_run(work, "the first one"):
        message = cli.fails("train", "text.txt", leaves=(work.name,))
        assert f"{work.name} is in use by the first one, process " in message
        assert {path.name for path in work.iterdir()} == {".run.lock", ".run.txt"}
    assert cli("train", "text.txt", "--min-count", 1, "--epochs", 1).returncode == 0


def test_without_gensim_train_says_what_to_install(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "fenjie.vectors.word2vec", raising=False)
    monkeypatch.setitem(sys.modules, "gensim", None)
    message = cli.fails("train", "text.txt")
    assert message == (
        "fenjie: vectors are learnt by gensim, which is not installed: pip install 'fenjie[train]'"
    )


@pytest.mark.parametrize(
    "words",
    [
        ("vectors", "show", ""),
        ("export", ""),
        ("compare", "a", "b", ""),
        ("data", "check", ""),
        ("train", "a.toml", "--data", ""),
        ("vectors", "train", "a.txt", "--work", ""),
        ("vectors", "match", "a.txt", "--lexicon", ""),
        ("vectors", "words", "a.txt", "--dictionary", "a.txt", "--dictionary", ""),
        *(
            ("vectors", "new", "a.txt", "--segmented", "a.txt", option, "")
            for option in ("--segmented", "--known", "--tagged")
        ),
        *(
            ("vectors", "enrich", "a", "-o", "b", option, "")
            for option in ("--characters", "--dictionary", "--without")
        ),
    ],
)
def test_an_empty_path_is_refused(words: tuple[str, ...]) -> None:
    done = fenjie(*words)
    assert done.returncode == 2 and b"empty; expected a path" in done.stderr
