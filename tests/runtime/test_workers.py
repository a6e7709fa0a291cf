"""Several processes: order, bounded memory, dead processes, errors, the end of the parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import fenjie
from fenjie.errors import FenjieError, FileError
from fenjie.runtime.workers import AHEAD, Workers, ordered
from tests.works import Doubling

TEXTS = ["商品和服务，他说的确实在理。", "", "今天 天气\t很好！北京", "价格３．５％😂 abc"]


def runs(pid: int) -> bool:
    """Whether a process runs, or waits; one that has ended and is not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def end_of(pids: list[int]) -> bool:
    """Whether processes end within ten seconds."""
    until = time.monotonic() + 10
    while any(map(runs, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(runs, pids))


def started(workers: Workers[list[int], list[int]], number: int) -> list[int]:
    """The process ids, once there are so many, or after ten seconds."""
    until = time.monotonic() + 10
    while len(workers.pids) < number and time.monotonic() < until:
        time.sleep(0.02)
    return workers.pids


@pytest.fixture(autouse=True)
def processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as the tests have processes."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


def test_a_process_starts_when_an_item_waits_for_it(tmp_path: Path) -> None:
    with Workers(Doubling(tmp_path), 100_000) as workers:
        assert workers.pids == []
        workers.submit([1])
        assert list(workers.rest()) == [[2]] and len(workers.pids) == 1
        for number in range(8):
            workers.submit([number])
        assert list(workers.rest()) == [[2 * number] for number in range(8)]
        assert len(workers.pids) <= 2, "as many as there are processors"


def test_results_come_in_order_and_a_dead_worker_is_replaced(tmp_path: Path) -> None:
    items = [[number, number + 1] for number in range(0, 40, 2)]
    work = Doubling(tmp_path, once=(4, 30))
    found = list(ordered(work, items, 2))
    assert found == [[2 * number for number in item] for item in items]
    assert {path.name for path in tmp_path.iterdir()} == {"4", "30"}


def test_the_item_of_which_two_workers_die_is_named(tmp_path: Path) -> None:
    found = []
    with pytest.raises(FenjieError, match=r"^number 5: a process died of it, killed \(by"):
        for result in ordered(Doubling(tmp_path, deadly=(5,)), [[1, 2], [4, 5, 6], [7]], 2):
            found.append(result)
    assert found == [[2, 4]]


def test_items_of_which_workers_die_only_together_are_named(tmp_path: Path) -> None:
    work = Together(tmp_path)
    with pytest.raises(FenjieError, match="number 1 to number 3: two processes died of them, with"):
        list(ordered(work, [[1, 2, 3]], 1))


class Together(Doubling):
    """Ends the process where it gets more than one number."""

    def __call__(self, item: list[int]) -> list[int]:
        if len(item) > 1:
            os._exit(9)
        return item


class Signalled(Doubling):
    """Ends the process by the signal of a number."""

    def __call__(self, item: list[int]) -> list[int]:
        os.kill(os.getpid(), item[0])
        return item


@pytest.mark.skipif(not hasattr(signal, "SIGRTMIN"), reason="there are no such signals here")
def test_a_signal_without_a_name_is_told_by_its_number(tmp_path: Path) -> None:
    for number, name in (signal.SIGTERM, "SIGTERM"), (signal.SIGRTMIN + 1, signal.SIGRTMIN + 1):
        with pytest.raises(FenjieError, match=f"a process died of it, by signal {name}$"):
            list(ordered(Signalled(tmp_path), [[number]], 1))


def test_errors_come_in_order_and_keep_their_place(tmp_path: Path) -> None:
    found = []
    with pytest.raises(FileError, match=r"^numbers\.txt:2: a bad number; found 2$") as caught:
        for result in ordered(Doubling(tmp_path, bad=(2,)), [[1], [2], [3]], 2):
            found.append(result)
    assert (found, caught.value.line) == ([[2]], 2)
    with pytest.raises(FenjieError, match="workers must be at least 1; found 0"):
        list(ordered(Doubling(tmp_path), [[1]], 0))
    with pytest.raises(FenjieError, match="workers must be at least 1; found '2'"):
        list(ordered(Doubling(tmp_path), [[1]], "2"))  # type: ignore[arg-type]
    with pytest.raises(TypeError) as other:
        list(ordered(Doubling(tmp_path), [["a"], [None]], 1))
    assert "In a worker process" in other.value.__notes__[0]


def test_items_are_taken_as_workers_are_free(tmp_path: Path) -> None:
    taken = 0

    def items() -> Iterator[list[int]]:
        nonlocal taken
        for taken in range(1, 1000):
            yield [taken]

    results = ordered(Doubling(tmp_path), items(), 2)
    for done in range(1, 30):
        assert next(results) == [2 * done]
        assert taken - done <= 2 * AHEAD
    results.close()


def test_errors_make_room_for_further_items(tmp_path: Path) -> None:
    with Workers(Doubling(tmp_path, bad=(2,)), 1) as workers:
        for _ in range(AHEAD):
            workers.submit([2])
        for _ in range(AHEAD):
            with pytest.raises(FileError, match="a bad number"):
                next(workers.rest())
        for number in range(3, 3 + AHEAD):
            workers.submit([number])
        assert list(workers.rest()) == [[2 * number] for number in range(3, 3 + AHEAD)]


def test_the_end_wakes_those_who_wait_to_submit(tmp_path: Path) -> None:
    refused: list[FenjieError] = []

    def submit() -> None:
        try:
            while True:
                workers.submit([1])
        except FenjieError as error:
            refused.append(error)

    threads = [threading.Thread(target=submit, daemon=True) for _ in range(2)]
    with Workers(Doubling(tmp_path), 1) as workers:
        for thread in threads:
            thread.start()
        started(workers, 1)
    for thread in threads:
        thread.join(30)
    assert list(map(str, refused)) == ["the workers have been ended"] * 2


def test_processes_end_at_once(tmp_path: Path) -> None:
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Workers(Doubling(tmp_path, slow=(60,)), 2) as workers:
        for _ in range(3):
            workers.submit([60])
        pids = started(workers, 2)
        raise KeyboardInterrupt
    assert end_of(pids)
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path: Path, number: signal.Signals) -> None:
    code = (
        "from fenjie.runtime.workers import Workers; from tests.works import Doubling\n"
        "from pathlib import Path\n"
        "with Workers(Doubling(Path(), slow=(60,)), 2) as workers:\n"
        "    workers.submit([60])\n"
        "    workers.submit([1])\n"
        "    while len(workers.pids) < 2: pass\n"
        "    print(*workers.pids, flush=True)\n"
        "    list(workers.rest())\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as parent:
        assert parent.stdout is not None
        pids = list(map(int, parent.stdout.readline().split()))
        assert len(pids) == 2 and all(map(runs, pids))
        parent.send_signal(number)
        parent.communicate(timeout=30)
    assert end_of(pids)


def words(model: Path, answers: multiprocessing.SimpleQueue[list[list[str]]]) -> None:
    """What a process that was forked or spawned does."""
    tagger = fenjie.load(model)
    answers.put([sentence.words for sentence in tagger.stream(TEXTS, workers=2)])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_process_of_any_kind_may_start_workers(tiny_model: Path, method: str) -> None:
    context = multiprocessing.get_context(method)
    answers = context.SimpleQueue()
    process = context.Process(target=words, args=(tiny_model, answers), daemon=True)
    process.start()
    expected = [sentence.words for sentence in fenjie.load(tiny_model)(TEXTS)]
    assert answers.get() == expected
    process.join(30)
