import { appendFileSync } from 'node:fs'

/** The ten things that must never happen. */
export type Zero = 'Z1' | 'Z2' | 'Z3' | 'Z4' | 'Z5' | 'Z6' | 'Z7' | 'Z8' | 'Z9' | 'Z10'

type Breach = { readonly zero: Zero; readonly sort: string; readonly what: string }

export type TallyRow = {
  readonly attack: string
  readonly total: number
  readonly seed: number
  readonly seconds: number
  readonly breaches: number
  /** What the attacked answered, and how often. */
  readonly outcomes: Readonly<Record<string, number>>
}

/** Counts what an attack did and what it found. */
export type Tally = {
  readonly count: (what: string) => void
  readonly counted: (what: string) => number
  /** `sort` is what many breaches have in common. */
  readonly breach: (zero: Zero, sort: string, what: string) => void
  /** One breach of each sort. */
  readonly sorts: () => string[]
  /** For the table of `npm run faults`, and for the reader of a test's output. */
  readonly report: (total: number) => void
}

export function openTally(attack: string, seed: number): Tally {
  const counts = new Map<string, number>()
  const breaches: Breach[] = []
  const startedAt = performance.now()
  return {
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    counted: (what) => counts.get(what) ?? 0,
    breach: (zero, sort, what) => {
      // At once, the first of each sort: a run takes an hour, and what comes of it may hide what it began with.
      if (!breaches.some((one) => one.zero === zero && one.sort === sort)) console.log(`${zero} ${sort}: ${what}`)
      breaches.push({ zero, sort, what })
    },
    sorts: () =>
      [...Map.groupBy(breaches, ({ zero, sort }) => `${zero} ${sort}`)].map(
        ([sort, all]) => `${sort} (${all.length} times), for example ${all[0]?.what}`,
      ),
    report: (total) => {
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      const outcomes = [...counts].toSorted(([one], [other]) => one.localeCompare(other))
      const row: TallyRow = {
        attack,
        total,
        seed,
        seconds,
        breaches: breaches.length,
        outcomes: Object.fromEntries(outcomes),
      }
      const path = process.env['BROADGAUGE_FAULTS_REPORT']
      if (path !== undefined) appendFileSync(path, `${JSON.stringify(row)}\n`)
      const said = outcomes.map(([what, count]) => `${what} ${count}`).join(', ')
      console.log(`${attack}: ${total} in ${seconds} s, seed ${seed}; ${said}`)
    },
  }
}

/** How many, by what is run: every change goes through the gate, the deep run takes an hour. */
export const sized = (gate: number, deep: number): number => {
  const given = process.env['BROADGAUGE_FAULTS_COUNT']
  if (given !== undefined) return Number(given)
  return process.env['BROADGAUGE_TEST_DEEP'] === '1' ? deep : gate
}
