"""Tables through both commands: every kind, resumed, by several processes, ill-formed."""

from __future__ import annotations

import csv
import gzip
import io
import json
from typing import Any

import pytest

import fenjie
from fenjie.scale import blocks, csv_table, resumable
from tests.command_line import CommandLine
from tests.full_disk import full_disk

TEXTS = ['商品和服务，他说的\n确实"在理"。', None, "", "今天 天气\t很好！北京", "价格３．５％😂"]
ROWS: list[dict[str, Any]] = [
    {"id": number, "text": TEXTS[number % 5], "more": [number, {"a": 1.5}]} for number in range(60)
]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", 300)
    monkeypatch.setattr(csv_table, "SIZE", 300)
    monkeypatch.setattr(resumable, "INTERVAL", 0)


def into(cli: CommandLine) -> str:
    return "words" if cli.command == "segment" else "entities"


def expected(cli: CommandLine) -> list[Any]:
    """The values for `ROWS`."""
    tagger = fenjie.load(cli.model)
    found = []
    for row in ROWS:
        sentence = None if row["text"] is None else tagger(row["text"])
        if sentence is None:
            found.append(None)
        elif cli.command == "segment":
            found.append(sentence.words)
        else:
            entities = [entity._asdict() for entity in sentence.entities]
            found.append([{**e, "confidence": round(e["confidence"], 4)} for e in entities])
    return found


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def in_every_way(cli: CommandLine, name: str, to: str, *more: object) -> bytes:
    """The output of a table: in one go, by two processes, stopped again and again."""
    made = []
    for words in ((), ("-j", 2), ("--resume", "-j", 2)):
        done = cli(*more, "-o", to, *words, name)
        assert done.returncode == 0, done
        made.append((cli.folder / to).read_bytes())
        (cli.folder / to).unlink()
    with full_disk(3):
        for _ in range(99):
            if not cli(*more, "-o", to, "--resume", name).returncode:
                break
    made.append((cli.folder / to).read_bytes())
    assert len(set(made)) == 1
    assert not list(cli.folder.glob("*.partial"))
    return made[0]


@pytest.mark.parametrize("packed", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_jsonl(cli: CommandLine, small: None, packed: bool) -> None:
    content = jsonl(ROWS).replace(b"\n", b"\n\n", 1)
    name = (
        cli.file("in.jsonl.gz", gzip.compress(content)) if packed else cli.file("in.jsonl", content)
    )
    made = in_every_way(cli, str(name), "out.jsonl.gz" if packed else "out.jsonl")
    made = gzip.decompress(made) if packed else made
    lines = made.decode().split("\n")
    assert lines[1] == "" == lines[-1]
    found = [json.loads(line) for line in lines if line]
    assert [{**row, into(cli): None} for row in ROWS] == [{**row, into(cli): None} for row in found]
    assert [row[into(cli)] for row in found] == expected(cli)
    assert cli("--column", "text", stdin=content).stdout == made


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_csv(cli: CommandLine, small: None, kind: str, delimiter: str) -> None:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerows([["id", "body"], *([row["id"], row["text"]] for row in ROWS)])
    content = "\ufeff" + file.getvalue()
    name = cli.file(f"in.{kind}", content.encode())
    made = in_every_way(cli, str(name), f"out.{kind}", "--column", "body", "--into", "found")
    text = made.decode()
    assert text.startswith(f"\ufeffid{delimiter}body{delimiter}found\r\n")
    head, *rows = csv.reader(io.StringIO(text[1:], newline=""), delimiter=delimiter)
    assert head == ["id", "body", "found"]
    assert [row[:2] for row in rows] == [[str(row["id"]), row["text"] or ""] for row in ROWS]
    values = [json.loads(row[2]) if row[2] else None for row in rows]
    assert values == [value or None if value == [] else value for value in expected(cli)]


def test_several_tables_are_one(cli: CommandLine, small: None) -> None:
    content = "text,id\n" + "".join(f"商品,{number}\n" for number in range(99))
    first, second = cli.file("a.csv", content.encode()[:-1]), cli.file("b.csv", content.encode())
    whole = cli.file("c.csv", (content + content.partition("\n")[2]).encode())
    assert cli(first, second).stdout == cli(whole).stdout
    other = cli.file("d.csv", b"id,text\n")
    assert "d.csv:1: another header; found ['id', 'text']" in cli.fails(first, other)
    notes, table = cli.file("notes.txt", b""), cli.file("e.jsonl", b"")
    for one, another in ((first, table), (notes, table), (table, notes)):
        expected = f"{another}: files of one kind go together; {one} is of another"
        assert expected in cli.fails(one, another)


@pytest.mark.slow
def test_parquet(cli: CommandLine, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra `tables`")
    from pyarrow import parquet

    from fenjie.scale import parquet_table

    monkeypatch.setattr(parquet_table, "ROWS", 7)
    monkeypatch.setattr(parquet_table, "GROUP", 2000)
    rows = [{**row, "more": [row["id"]], "kind": "ab"[row["id"] % 2]} for row in ROWS]
    table = pa.Table.from_pylist(rows)
    at = table.schema.get_field_index("kind")
    table = table.set_column(at, "kind", table.column("kind").dictionary_encode())
    table = table.replace_schema_metadata({"kept": "yes"})
    parquet.write_table(table, cli.folder / "in.parquet", row_group_size=25)
    made = in_every_way(cli, "in.parquet", "out.parquet")
    found = parquet.read_table(pa.BufferReader(made))
    assert found.drop_columns(into(cli)).equals(table)
    assert found.schema.metadata[b"kept"] == b"yes"
    assert found.column(into(cli)).to_pylist() == expected(cli)
    parquet.write_table(table.slice(0, 0), cli.folder / "none.parquet")
    cli("none.parquet", "-o", "none.out.parquet")
    assert parquet.read_table(cli.folder / "none.out.parquet").schema == found.schema
    for words, message in (
        (("in.parquet",), "Parquet is not written to standard output; expected --output"),
        (("in.parquet", "-o", "a.csv"), "a.csv: is of another kind; expected a name that ends in"),
        (("in.parquet", "-o", "a.parquet.gz"), "a.parquet.gz: Parquet is packed by itself"),
        (("in.parquet", "-o", "a.parquet", "--column", "x"), "in.parquet: no column 'x'; found"),
        (("in.parquet", "-o", "a.parquet", "--column", "more"), "column 'more' is nested"),
        (("bad.parquet", "-o", "a.parquet"), "bad.parquet: is no file of Parquet"),
        (("gone.parquet", "-o", "a.parquet"), "gone.parquet: cannot be read: No such file"),
    ):
        cli.file("bad.parquet", b"PAR1 and no more")
        assert message in cli.fails(*words)


@pytest.mark.parametrize(
    ("words", "content", "message"),
    [
        (("a.jsonl",), b'{"text": "a"}\n{"text": 1}\n', "a.jsonl:2: column 'text' is no text"),
        (("a.jsonl",), b'{"text": "a"}\n{"body": 1}\n', "a.jsonl:2: no column 'text'; found 'bo"),
        (("a.csv",), b'text,id\n"a,b\n', "a.csv:2: a quote is opened and not closed"),
        (("a.csv", "--column", "x"), b"a,b\n", "a.csv:1: no column 'x'; found 'a', 'b'"),
        (("a.csv", "--column", ""), b"a,text\n", "a.csv:1: no column ''; found 'a', 'text'"),
        (("a.csv", "--into", ""), b"text\n", "empty; expected the name of a column"),
        (("a.csv", "-f", "bmes"), b"", "--format bmes is for text; a.csv is a table"),
        (("a.txt", "--column", "x"), b"", "a.txt: no table; expected a name that ends in one of"),
        (("a.csv", "-o", "b.jsonl"), b"", "b.jsonl: is of another kind; expected a name that"),
    ],
)
def test_bad_tables(cli: CommandLine, words: tuple[str, ...], content: bytes, message: str) -> None:
    cli.file(words[0], content)
    assert message in cli.fails(*words)
    if "-o" not in words:
        assert message in cli.fails(*words, "-j", 2)


@pytest.mark.parametrize("name", ["a.parquet", "a.txt.bz2", "a.ZIP"])
def test_text_is_not_written_under_the_name_of_something_else(cli: CommandLine, name: str) -> None:
    file = cli.file("in.txt", "商品\n".encode())
    assert f"{name}: text is written plain or packed" in cli.fails("-o", name, file)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
def test_text_does_not_come_back_as_a_table(cli: CommandLine, name: str) -> None:
    file = cli.file("in.txt", "商品\n".encode())
    assert f"{name}: text does not come back as a table" in cli.fails("-o", name, file)
    assert not (cli.folder / name).exists()


def test_the_name_of_the_output_says_its_format(cli: CommandLine) -> None:
    file = cli.file("in.txt", "王小明在北京\n".encode())
    for name, form in (("a.jsonl", "jsonl"), ("a.jsonl.gz", "jsonl"), ("a.BMES", "bmes")):
        cli("-o", name, file)
        cli("-f", form, "-o", f"asked-{name}", file)
        assert (cli.folder / name).read_bytes() == (cli.folder / f"asked-{name}").read_bytes()
    cli("-f", "jsonl", "-o", "b.bmes", file)
    assert (cli.folder / "b.bmes").read_bytes() == (cli.folder / "asked-a.jsonl").read_bytes()
    cli("-f", "bmes", "-o", "b.tsv", file)
    assert (cli.folder / "b.tsv").read_bytes() == (cli.folder / "asked-a.BMES").read_bytes()
