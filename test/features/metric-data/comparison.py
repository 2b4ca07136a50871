"""The comparison of two sides of docs/concepts.md, from the results of POST /test_data.

Reads [{"base": [result, …], "own": [result, …], "blocks": [0, 6, …, 24], "perAgent", "match"}, …] from the standard input. A
result is {"agent", "hour", "y", "x"}; a result of a mean has x = 1. `perAgent` is null, or the statistic of each agent: "mean"
or a percentile. Writes the numbers of each comparison.
"""

import json
import sys

import numpy


def sums(results, agents, edges):
    n, y, x = (numpy.zeros((len(agents), len(edges) - 1)) for _ in range(3))
    rows = {agent: row for row, agent in enumerate(agents)}
    for one in results:
        row = rows[one["agent"]]
        block = numpy.searchsorted(edges, one["hour"], side="right") - 1
        n[row, block] += 1
        y[row, block] += one["y"]
        x[row, block] += one["x"]
    return n, y, x


def of_results(results, agents, edges):
    """The statistic, how it changes without each agent, and the weights of the agents."""
    hours = numpy.diff(edges).astype(float)
    n, y, x = sums(results, agents, edges)

    def statistic(n, y, x):
        weights = numpy.divide(hours, n, out=numpy.zeros_like(hours), where=n > 0)
        return (weights * y).sum() / (weights * x).sum()

    value = statistic(n.sum(axis=0), y.sum(axis=0), x.sum(axis=0))
    without = [
        statistic(*(numpy.delete(one, i, axis=0).sum(axis=0) for one in (n, y, x))) if len(agents) > 1 else value
        for i in range(len(agents))
    ]
    present = n.sum(axis=0) > 0
    weights = (hours[present] * x[:, present] / n.sum(axis=0)[present]).sum(axis=1)
    return value, numpy.array(without) - value, weights


def of_agents(results, agents, statistic):
    values = []
    for agent in agents:
        own = [one for one in results if one["agent"] == agent]
        y, x = (numpy.array([one[name] for one in own]) for name in ("y", "x"))
        values.append(y.sum() / x.sum() if statistic == "mean" else numpy.percentile(y / x, statistic))
    values = numpy.array(values)
    changes = [numpy.delete(values, i).mean() - values.mean() if len(values) > 1 else 0 for i in range(len(values))]
    return values.mean(), numpy.array(changes), numpy.ones(len(values))


def side(asked, name, agents):
    results = [one for one in asked[name] if one["agent"] in agents]
    if asked["perAgent"] is not None:
        value, changes, weights = of_agents(results, agents, asked["perAgent"])
    else:
        value, changes, weights = of_results(results, agents, asked["blocks"])
    m = len(agents)
    deltas = dict(zip(agents, numpy.sqrt((m - 1) / m) * changes))
    return value, deltas, max(1.0, weights.sum() ** 2 / (weights**2).sum() - 1)


def compare(asked):
    agents = [{one["agent"] for one in asked[name]} for name in ("base", "own")]
    if asked["match"]:
        agents = [agents[0] & agents[1]] * 2
    (base, base_deltas, base_freedom), (own, own_deltas, own_freedom) = (
        side(asked, name, sorted(some)) for name, some in zip(("base", "own"), agents)
    )
    union = sorted(agents[0] | agents[1])
    a, b = (numpy.array([deltas.get(agent, 0) for agent in union]) for deltas in (base_deltas, own_deltas))
    shared = len(agents[0] & agents[1])
    va, vb = (a**2).sum(), (b**2).sum()
    welch = (va + vb) ** 2 / (va**2 / base_freedom + vb**2 / own_freedom)
    return {
        "base": base,
        "value": own,
        "baseAgents": len(agents[0]),
        "sharedAgents": shared,
        "difference": own - base,
        "standardError": numpy.sqrt(((b - a) ** 2).sum()),
        "ratio": own / base,
        "ratioError": numpy.sqrt(((b / own - a / base) ** 2).sum()),
        "degreesOfFreedom": welch if shared == 0 else min(base_freedom, own_freedom),
    }


json.dump([compare(asked) for asked in json.load(sys.stdin)], sys.stdout)
