import { appendFileSync } from 'node:fs'

/** The forbidden events: Z1 to Z10 in docs/reliability.md. */
export type Zero = 'Z1' | 'Z2' | 'Z3' | 'Z4' | 'Z5' | 'Z6' | 'Z7' | 'Z8' | 'Z9' | 'Z10'

type Breach = { readonly zero: Zero; readonly sort: string; readonly what: string }

export type TallyRow = {
  readonly attack: string
  readonly total: number
  readonly seed: number
  readonly seconds: number
  readonly breaches: number
  /** How often each response of the attacked service occurred. */
  readonly outcomes: Readonly<Record<string, number>>
}

/** Counts what an attack did and what it found. */
export type Tally = {
  readonly count: (what: string) => void
  readonly counted: (what: string) => number
  /** Records that a forbidden event happened. Events with the same `sort` are reported together. */
  readonly breach: (zero: Zero, sort: string, what: string) => void
  /** Returns one breach of each sort. */
  readonly sorts: () => string[]
  /** Writes the results for the table of `npm run faults` and for the reader of the test's output. */
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
      // Print the first breach of each sort at once: a run takes an hour, and later breaches may be consequences of the
      // first one.
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

/**
 * The size of an attack: `gate` in the run for every change, `deep` in the run that takes an hour.
 * BROADGAUGE_FAULTS_COUNT overrides both.
 */
export const sized = (gate: number, deep: number): number => {
  const given = process.env['BROADGAUGE_FAULTS_COUNT']
  if (given !== undefined) return Number(given)
  return process.env['BROADGAUGE_TEST_DEEP'] === '1' ? deep : gate
}
