"""One segmentation tool, measured in a process of its own. Run by `benchmarks.peers`.

    python peer_worker.py TOOL LINES RESULT

It imports nothing of fenjie (but as one of the tools) and runs on Python 3.7, the last that some of
the tools install on. Start-up is counted from the first statement here to the first segmented word;
speed is CPU time, the median of the passes over the lines that fit into a second.
"""

import time

BEGIN, BEGIN_CPU = time.perf_counter(), time.process_time()

import json  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
from typing import Any, Callable, Dict, Iterable, List  # noqa: E402, UP035

Cut = Callable[[List[str]], List[List[str]]]  # noqa: UP006


def each(cut: Callable[[str], Iterable[str]]) -> Cut:
    """One call per line."""
    return lambda lines: [list(cut(line)) for line in lines]


def load_jieba() -> Cut:
    import jieba

    jieba.setLogLevel(60)
    return each(jieba.lcut)


def load_rjieba() -> Cut:
    import rjieba

    return each(rjieba.cut)


def load_snownlp() -> Cut:
    from snownlp import SnowNLP

    return each(lambda line: SnowNLP(line).words)


def load_thulac() -> Cut:
    import thulac

    tool = thulac.thulac(seg_only=True)
    return each(lambda line: [word for word, _ in tool.cut(line)])


def load_pkuseg() -> Cut:
    import pkuseg

    return each(pkuseg.pkuseg().cut)


def load_fenjie() -> Cut:
    import fenjie

    return each(fenjie.load("segment").cut)


def load_fenjie_batched() -> Cut:
    import fenjie

    return fenjie.load("segment").cut


def load_fenjie_fast() -> Cut:
    import fenjie

    return each(fenjie.load("segment-fast").cut)


def load_fenjie_fast_batched() -> Cut:
    import fenjie

    return fenjie.load("segment-fast").cut


LOADERS: Dict[str, Callable[[], Cut]] = {  # noqa: UP006
    "jieba": load_jieba,
    "rjieba": load_rjieba,
    "snownlp": load_snownlp,
    "thulac": load_thulac,
    "pkuseg": load_pkuseg,
    "fenjie": load_fenjie,
    "fenjie-batched": load_fenjie_batched,
    "fenjie-fast": load_fenjie_fast,
    "fenjie-fast-batched": load_fenjie_fast_batched,
}


def peak_memory_mib() -> float:
    """The most memory that this process has held (Linux).

    Not `getrusage`: its peak is inherited from the process that started this one.
    """
    with open("/proc/self/status", encoding="utf-8") as file:
        return int(file.read().partition("VmHWM:")[2].split()[0]) / 2**10


def main(tool: str, lines_path: str, result_path: str) -> None:
    """Measure a tool on the lines of a file, write words and figures to another."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    cut = LOADERS[tool]()
    cut(["商品和服务"])
    result: Dict[str, Any] = {  # noqa: UP006
        "startup_s": time.perf_counter() - BEGIN,
        "startup_cpu_s": time.process_time() - BEGIN_CPU,
    }
    with open(lines_path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    begin = time.perf_counter()
    passes: List[float] = []  # noqa: UP006
    while not passes or time.perf_counter() - begin < 1:
        start = time.process_time()
        result["words"] = cut(lines)
        passes.append(time.process_time() - start)
    result["cpu_seconds"] = sorted(passes)[len(passes) // 2]
    result["memory_mib"] = peak_memory_mib()
    with open(result_path, "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
