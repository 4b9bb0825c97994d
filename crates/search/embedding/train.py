"""Trains the static token-embedding table; README.md beside it tells the recipe.

    train.py TEXTS.txt.xz CACHE OUT
"""

import argparse
import pathlib

import encode
import numpy
import table
import torch
import wordpiece

DIMENSIONS = 256
EPOCHS = 8
BATCH = 256
RATE = 0.003
CONTRASTIVE = 0.1
TEMPERATURE = 0.05
# The share of pieces that each sum leaves out: the others must carry the meaning then.
DROPPED = 0.4
WORKERS = 2


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("texts", type=pathlib.Path)
    arguments.add_argument("cache", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments = arguments.parse_args()
    texts = wordpiece.read_texts(arguments.texts)
    sentences = encode.sentences(texts, arguments.cache, WORKERS)
    pieces, bags = pieces_and_bags(texts)
    axes = principal_axes(sentences)
    start = initial(pieces, bags, axes, arguments.cache)
    trained = train(start, bags, sentences @ axes)
    table.write(arguments.out, pieces, table.quantize(trained))


def pieces_and_bags(texts):
    """The vocabulary of the table, [UNK] first, and each text as places in it."""
    tokenizer = wordpiece.tokenizer()
    left_out = {"[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    known = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    pieces = ["[UNK]"] + [
        piece for piece, _ in known if piece not in left_out and not piece.startswith("[unused")
    ]
    place = {piece: place for place, piece in enumerate(pieces)}
    bags = [
        torch.tensor([place[token] for token in it.tokens[: table.MAX_PIECES]])
        for it in tokenizer.encode_batch(texts, add_special_tokens=False)
    ]
    return pieces, bags


def principal_axes(sentences):
    """The directions along which the sentence vectors spread most, 384 by DIMENSIONS."""
    _, axes = numpy.linalg.eigh(sentences.T @ sentences)
    return axes[:, ::-1][:, :DIMENSIONS].astype(numpy.float32)


def initial(pieces, bags, axes, cache):
    """What the model says of each piece alone, times how rare the piece is."""
    tokenizer = wordpiece.tokenizer()
    vectors = encode.pieces(cache)[[tokenizer.token_to_id(piece) for piece in pieces]] @ axes
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    texts_with = numpy.bincount(torch.cat([bag.unique() for bag in bags]), minlength=len(pieces))
    vectors *= numpy.log((1 + len(bags)) / (1 + texts_with))[:, None] / numpy.log(1 + len(bags))
    vectors[0] = 0
    return vectors


def train(start, bags, targets):
    """The table whose sums of rows point where the model's sentence vectors point."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rows = torch.nn.EmbeddingBag.from_pretrained(
        torch.tensor(start), freeze=False, mode="sum", sparse=True, padding_idx=0
    )
    targets = torch.nn.functional.normalize(torch.tensor(targets), dim=1)
    usable = torch.tensor([number for number, bag in enumerate(bags) if bag.any()])
    steps = EPOCHS * -(-len(usable) // BATCH)
    optimizer = torch.optim.SparseAdam(list(rows.parameters()), lr=RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0.02, steps)
    for epoch in range(EPOCHS):
        total = 0.0
        for batch in usable[torch.randperm(len(usable))].split(BATCH):
            made = torch.nn.functional.normalize(rows(*thinned([bags[it] for it in batch])), dim=1)
            near = made @ targets[batch].T
            cosine = 1 - near.diagonal().mean()
            contrast = torch.nn.functional.cross_entropy(
                near / TEMPERATURE, torch.arange(len(batch))
            )
            loss = cosine + CONTRASTIVE * contrast
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += cosine.item() * len(batch)
        print(f"epoch {epoch + 1}: mean cosine {1 - total / len(usable):.4f}", flush=True)
    return rows.weight.detach().numpy()


def thinned(bags):
    """The pieces of some texts one after another without the dropped ones, and where each text begins."""
    lengths = torch.tensor([len(bag) for bag in bags])
    kept = torch.rand(int(lengths.sum())) >= DROPPED
    # The first always stays, so that no text is empty.
    kept[lengths.cumsum(0) - lengths] = True
    text = torch.arange(len(bags)).repeat_interleave(lengths)
    lengths = torch.bincount(text[kept], minlength=len(bags))
    return torch.cat(bags)[kept], lengths.cumsum(0) - lengths


if __name__ == "__main__":
    main()
