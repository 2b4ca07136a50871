"""Percentiles and histograms of docs/api.md, from the results of POST /test_data.

Reads {"levels": […], "groups": {key: {"edges": […], "logEdges": […], "agents": {agent: [value, …]}}}} from the standard input.
Writes for each group the percentiles and the histograms of its results, and of the medians of its agents.
"""

import json
import sys

import numpy


def histogram(values, edges):
    return {
        "counts": numpy.histogram(values, edges)[0].tolist() if len(edges) > 1 else [],
        "below": int((values < edges[0]).sum()),
        "above": int((values > edges[-1] if len(edges) > 1 else values >= edges[0]).sum()),
    }


def described(values, levels, group):
    return {
        "percentiles": numpy.quantile(values, [level / 100 for level in levels]).tolist(),
        "median": float(numpy.median(values)),
        "histogram": histogram(values, group["edges"]),
        "split": histogram(values, group["edges"][1:2]),
    }


asked = json.load(sys.stdin)
found = {}
for key, group in asked["groups"].items():
    agents = [numpy.array(values, dtype=float) for values in group["agents"].values()]
    results = numpy.concatenate(agents)
    found[key] = {
        "results": described(results, asked["levels"], group),
        "agents": described(numpy.array([numpy.median(values) for values in agents]), asked["levels"], group),
        "log": histogram(results[results > 0], group["logEdges"]),
        "notPositive": int((results <= 0).sum()),
    }
json.dump(found, sys.stdout)
