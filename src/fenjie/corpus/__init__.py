"""Annotated corpora: reading and writing the formats they come in, splits and statistics.

```python
from fenjie.corpus import read, write

corpus = read("train.char.bmes")
write(corpus.sentences, "train.jsonl", "jsonl")
```
"""

from fenjie.corpus.formats import FORMATS, NAMES, guess
from fenjie.corpus.io import read, write
from fenjie.corpus.lines import Corpus

__all__ = ["FORMATS", "NAMES", "Corpus", "guess", "read", "write"]
