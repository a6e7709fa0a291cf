"""Tables with a column of texts: JSONL, CSV, TSV, Parquet and Arrow."""
