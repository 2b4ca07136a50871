"""The delete-one-agent jackknife of docs/concepts.md, from the results of POST /test_data.

Reads {"blocks": [0, 6, …, 24], "results": [{"agent", "day", "hour", "y", "x"}, …]} from the standard input. Writes the
standard error and the effective number of agents of each day and of all days, plain and normalised. A result of a mean has
x = 1, so that every statistic is the sum of y divided by the sum of x.
"""

import json
import sys

import numpy


def jackknife(results, blocks, normalised):
    agents = sorted({one["agent"] for one in results})
    edges = blocks if normalised else [0, 24]
    hours = numpy.diff(edges).astype(float)
    n, y, x = (numpy.zeros((len(agents), len(hours))) for _ in range(3))
    for one in results:
        row = agents.index(one["agent"])
        block = numpy.searchsorted(edges, one["hour"], side="right") - 1
        n[row, block] += 1
        y[row, block] += one["y"]
        x[row, block] += one["x"]

    def statistic(n, y, x):
        weights = numpy.divide(hours, n, out=numpy.zeros_like(hours), where=n > 0)
        return (weights * y).sum() / (weights * x).sum()

    def without(i):
        return statistic(*(numpy.delete(sums, i, axis=0).sum(axis=0) for sums in (n, y, x)))

    m = len(agents)
    whole = statistic(n.sum(axis=0), y.sum(axis=0), x.sum(axis=0))
    left_out = numpy.array([without(i) for i in range(m)])
    present = n.sum(axis=0) > 0
    shares = (hours[present] * x[:, present] / n.sum(axis=0)[present]).sum(axis=1)
    return {
        "value": whole,
        "standardError": numpy.sqrt((m - 1) / m * ((left_out - whole) ** 2).sum()),
        "effectiveAgents": shares.sum() ** 2 / (shares**2).sum(),
    }


asked = json.load(sys.stdin)
days = sorted({one["day"] for one in asked["results"]})
found = {
    name: {
        key: jackknife([one for one in asked["results"] if day in (None, one["day"])], asked["blocks"], normalised)
        for key, day in [("total", None), *((day, day) for day in days)]
    }
    for name, normalised in [("plain", False), ("normalised", True)]
}
json.dump(found, sys.stdout)
