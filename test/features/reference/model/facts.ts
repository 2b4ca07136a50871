/** What the reference knows of the world: plain values, nothing of the service's. */

export type Kind = 'whitebox' | 'cpe' | 'mobile' | 'web'

/** What was true of an agent from a UTC day on, until its next span. */
export type Span = {
  /** Days since 1970-01-01. */
  fromDay: number
  isp: string | null
  /** Without the ISP's name. */
  package: string | null
  zone: string | null
  custom: Readonly<Record<string, string | number>>
}

export type Agent = {
  id: string
  /** Where it is registered. Its results keep the panel they were stored under. */
  panel: string
  kind: Kind
  unit: number | null
  base: string | null
  country: string | null
  /** By day; the first begins before the first result. */
  timeline: readonly Span[]
}

export type Cell = number | string | null

export type Result = {
  panel: string
  agent: Agent
  /** End of the test, UTC, milliseconds since 1970. */
  endedAt: number
  row: Readonly<Record<string, Cell>>
}

export type Panel = { key: string; owner: string; subscribers: readonly string[] }

export type Package = { isp: string; name: string }

/** The numbers the stores gave; they show in the order of raw points and as ids in filters. */
export type Numbers = {
  panels: ReadonlyMap<string, number>
  agents: ReadonlyMap<string, number>
  isps: ReadonlyMap<string, number>
  /** By `<isp>:<package>`. */
  packages: ReadonlyMap<string, number>
}

export type Dataset = {
  panels: readonly Panel[]
  isps: readonly string[]
  packages: readonly Package[]
  agents: readonly Agent[]
  results: ReadonlyMap<string, readonly Result[]>
  numbers: Numbers
}

/** Numbers as a store that counts from one gives them, in the order of the lists. */
export function countedNumbers({ panels, agents, isps, packages }: Omit<Dataset, 'results' | 'numbers'>): Numbers {
  const count = (names: string[]): Map<string, number> => new Map(names.map((name, index) => [name, index + 1]))
  return {
    panels: count(panels.map(({ key }) => key)),
    agents: count(agents.map(({ id }) => id)),
    isps: count([...isps]),
    packages: count(packages.map(({ isp, name }) => `${isp}:${name}`)),
  }
}
