"""What a text costs: no kind of text takes much memory, and none is kept afterwards."""

from __future__ import annotations

import subprocess
import sys

import pytest

TEXTS = {
    "a table of contents": '"第一章" + "." * 509 + "12"',
    "dashes": '"-" * 512',
    "laughter": '"哈" * 512',
    "short laughter": '("哈" * 5 + "中") * 200',
    "dots in between": '("." * 30 + "中") * 30',
    "no sentence end": '"中国人民银行行长易纲在北京大学说，" * 100',
    "one number": '"1" * 70_000',
}

SCRIPT = """
import fenjie
tag = fenjie.load({model!r})
tag("今天天气很好。")
tag({text})
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(*(int(status[name].split()[0]) >> 10 for name in ("VmHWM", "VmRSS")))
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the memory from Linux")


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_text_takes_much_memory(text: str) -> None:
    for model, most in (("ner", 400), ("segment", 200)):
        command = SCRIPT.format(model=model, text=text)
        done = subprocess.run(
            [sys.executable, "-c", command], capture_output=True, text=True, check=True
        )
        peak, after = map(int, done.stdout.split())
        assert peak <= most, f"{model}: {peak} MiB"
        assert after <= 300
