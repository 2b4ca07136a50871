/** The input of the reference implementation: plain values, without types of the service. */

export type Kind = 'whitebox' | 'cpe' | 'mobile' | 'web'

/** The metadata of an agent from a UTC day until its next span. */
export type Span = {
  /** Number of days since 1970-01-01. */
  fromDay: number
  isp: string | null
  /** The package's name without the ISP. */
  package: string | null
  zone: string | null
  custom: Readonly<Record<string, string | number>>
}

export type Agent = {
  id: string
  /** The panel in which the agent is registered. Results keep the panel in which they were stored. */
  panel: string
  kind: Kind
  unit: number | null
  base: string | null
  country: string | null
  /** The spans in the order of their days. */
  timeline: readonly Span[]
}

export type Cell = number | string | null

export type Result = {
  panel: string
  agent: Agent
  /** The end of the test, in milliseconds since 1970 (UTC). */
  endedAt: number
  /** The time at which the result was stored, in milliseconds since 1970 (UTC). */
  storedAt: number
  row: Readonly<Record<string, Cell>>
}

export type Panel = { key: string; owner: string; subscribers: readonly string[] }

/** The speeds of a package from a UTC day on, in bits per second. Null if a speed is not known. */
export type Speeds = { fromDay: number; download: number | null; upload: number | null }

/** `imports` are the speeds in the order in which they were imported. The first ones hold from the beginning. */
export type Package = { isp: string; name: string; imports?: readonly Speeds[] }

/**
 * The numbers that the stores have assigned. They determine the order of raw points. Filters also accept the numbers of
 * ISPs and packages.
 */
export type Numbers = {
  panels: ReadonlyMap<string, number>
  agents: ReadonlyMap<string, number>
  isps: ReadonlyMap<string, number>
  /** The keys are `<isp>:<package>`. */
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

/** The numbers that a store would assign if it counted from one in the order of the lists. */
export function countedNumbers({ panels, agents, isps, packages }: Omit<Dataset, 'results' | 'numbers'>): Numbers {
  const count = (names: string[]): Map<string, number> => new Map(names.map((name, index) => [name, index + 1]))
  return {
    panels: count(panels.map(({ key }) => key)),
    agents: count(agents.map(({ id }) => id)),
    isps: count([...isps]),
    packages: count(packages.map(({ isp, name }) => `${isp}:${name}`)),
  }
}
