"""Scores a table over labelled collections: alone, and half and half with a plain lexical score.

    judge.py TABLE RELEVANCE COLLECTION...

RELEVANCE is the folder with `eval.py` and one folder a collection. Nothing here is read by the training.
"""

import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import table
import wordpiece

STOP = set(
    """a an and any are as at be by can could do for from have help how i in is it looking me my need of on or
    please should some that the there this to want what where which with would you your""".split()
)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("table", type=pathlib.Path)
    arguments.add_argument("relevance", type=pathlib.Path)
    arguments.add_argument("collections", nargs="+")
    arguments = arguments.parse_args()
    embedder = table.Embedder(wordpiece.tokenizer(), *table.read(arguments.table))
    for name in arguments.collections:
        figures = judge(embedder, arguments.relevance, name)
        print(f"{name:12}", *(f"{what} {figure:.3f}" for what, figure in figures.items()))


def judge(embedder, relevance, name):
    """NDCG@10 over the needs of a collection, by ranker."""
    read = lambda file: [json.loads(line) for line in open(relevance / name / file, encoding="utf8")]
    agents = read("agents.jsonl")
    needs = [query for query in read("queries.jsonl") if query["type"].startswith("need-")]
    queries = [query["text"] for query in needs]
    lexical = bm25([whole(agent) for agent in agents], queries)
    semantic = similarity(embedder, agents, queries)
    low, high = semantic.min(1, keepdims=True), semantic.max(1, keepdims=True)
    half = lexical / numpy.maximum(lexical.max(1, keepdims=True), 1e-9) / 2
    rankers = {
        "lexical": lexical,
        "table": semantic,
        "fused": half + (semantic - low) / numpy.maximum(high - low, 1e-9) / 2,
    }
    return {what: ndcg(relevance, name, needs, agents, scores) for what, scores in rankers.items()}


def whole(agent):
    """All of an agent's text."""
    return ". ".join([agent["name"], agent.get("description") or "", *capabilities(agent)])


def capabilities(agent):
    """Each capability's text."""
    return [f"{it['name']}. {it.get('description') or ''}" for it in agent["capabilities"]]


def similarity(embedder, agents, queries):
    """Queries by agents: the mean of the whole text's cosine and the best capability's."""
    queries = embedder.vectors(queries)
    documents = queries @ embedder.vectors([whole(agent) for agent in agents]).T
    texts = [text for agent in agents for text in capabilities(agent)]
    starts = numpy.cumsum([0] + [len(agent["capabilities"]) for agent in agents])[:-1]
    best = numpy.maximum.reduceat(queries @ embedder.vectors(texts).T, starts, axis=1)
    return (documents + best) / 2


def bm25(documents, queries):
    """Plain BM25 over lower-case words without stop words and without a plural's s."""
    words = lambda text: [
        re.sub("(?<=..[^s])s$", "", word) for word in re.findall(r"\w+", text.lower()) if word not in STOP
    ]
    counts = [collections.Counter(words(document)) for document in documents]
    average = sum(map(sum, (it.values() for it in counts))) / len(counts)
    postings = collections.defaultdict(list)
    for number, count in enumerate(counts):
        length = 0.25 + 0.75 * sum(count.values()) / average
        for word, times in count.items():
            postings[word].append((number, times * 2.2 / (times + 1.2 * length)))
    scores = numpy.zeros((len(queries), len(documents)))
    for row, query in zip(scores, queries):
        for word in words(query):
            found = postings.get(word, [])
            idf = math.log(1 + (len(documents) - len(found) + 0.5) / (len(found) + 0.5))
            for number, weight in found:
                row[number] += idf * weight
    return scores


def ndcg(relevance, name, needs, agents, scores):
    """The scorer's figure for a ranking."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as run:
        for need, row in zip(needs, scores):
            for rank, number in enumerate(numpy.argsort(-row, kind="stable")[:50], 1):
                print(need["qid"], agents[number]["id"], rank, row[number], sep="\t", file=run)
        run.flush()
        command = [sys.executable, relevance / "eval.py", "--coll", name, "--json", run.name]
        report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return report[run.name]["need-*"]["ndcg@10"]


if __name__ == "__main__":
    main()
