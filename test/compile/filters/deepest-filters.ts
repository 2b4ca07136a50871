/** The largest filters that a request can have: 100 conditions at depth 5, with as many values as a body can have. */
export function deepestFilters(valuesEach = 590): unknown[] {
  const ids = ['isp', 'unit', 'agent', 'threads', 'custom.region', 'target', 'country']
  const types = ['include', 'contains', 'exclude', 'starts_with']
  const leaf = (index: number) => {
    const id = ids[index % ids.length] ?? 'isp'
    const filterValues = Array.from({ length: valuesEach }, (_, number) => `${1000 * index + number}`)
    return { id, filterType: types[index % types.length], filterValues }
  }
  const groups = Array.from({ length: 10 }, (_, group) => ({
    any: [{ not: { all: [{ not: { any: Array.from({ length: 10 }, (_one, index) => leaf(10 * group + index)) } }] } }],
  }))
  return groups
}
