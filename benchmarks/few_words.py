"""F1 on SXU of a segmenter that learns on from another one, after training on few sentences.

    python -m benchmarks.few_words RUN

50, 200 and 1,000 lines of the first nine tenths of SXU's training file are drawn, with three seeds,
and each draw is trained on with the recipe `sams-from-segment`, a tenth of it held out as dev, but
from the weights of a run that has not seen SXU, whose sizes and reading of text it takes, such as
`runs/sams-pku-words` of `fenjie train recipes/sams-pku-words.toml`. Beside it stands the run as it
is. Scored is SXU's test file. Writes `benchmarks/results/few-words.json`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.few import SEEDS, SIZES, drawn
from benchmarks.machine import save
from benchmarks.scripts import parser, run, typed
from fenjie.corpus import read
from fenjie.evaluation.word_scores import score
from fenjie.recipe.recipe import Recipe, load, locate
from fenjie.runtime.folder import ModelFolder
from fenjie.store.load import predict

TEST = "cws/sxu/test.txt"


def main() -> None:
    """Train on each draw, print and save the scores."""
    options = parser(__doc__)
    options.add_argument("run", type=Path, help="the folder of a run to start from")
    folder = options.parse_args().run
    gold = read(locate(TEST)).sentences
    found = predict(ModelFolder.open(str(folder / "model")), [one.text for one in gold])
    before = 100 * score(gold, found).f1
    print(f"as it is: {before:.2f}", flush=True)
    sentences = read(locate("cws/sxu/train.txt")).sentences
    sentences = sentences[: -len(sentences) // 10]  # settings were chosen on the rest
    rows = []
    for size in SIZES:
        rows.append({"sentences": size} | drawn(started(folder), sentences, size, TEST))
        print(rows[-1], flush=True)
    save("few-words", {"command": typed(), "seeds": SEEDS, "as it is": before, "rows": rows})


def started(folder: Path) -> Recipe:
    """The recipe `sams-from-segment` from a run, with its sizes and its reading of text."""
    recipe, other = load(Path("sams-from-segment")), load(folder / "recipe.toml")
    training = replace(recipe.training, start=str(folder.resolve()))
    return replace(recipe, text=other.text, model=other.model, training=training)


if __name__ == "__main__":
    run(main)
