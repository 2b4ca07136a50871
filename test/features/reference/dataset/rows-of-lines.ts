import { around, chance, oddly } from './chances.ts'
import { load, type Occasion, type RowsOf } from './rows.ts'

const oddCounters = [null, -1, 100_000_000_000, 100_000_000_001]

/** Counters of the line itself. This test has no successes and failures. */
export const networkUsage: RowsOf = (occasion) => {
  const { dice } = occasion
  const total = (): number | null => oddly(dice, 5, oddCounters, around(dice, 50_000_000) * load(occasion))
  // The bytes that the tests themselves used. Sometimes this number is larger than the total.
  const own = (all: number | null): number | null =>
    oddly(dice, 5, [...oddCounters, (all ?? 0) + 1, all], Math.floor((all ?? 1000) / dice.between(2, 50)))
  const [down, up] = occasion.giant ? [giantBytes(occasion), giantBytes(occasion)] : [total(), total()]
  return [
    {
      wan_rx_bytes: down,
      wan_tx_bytes: up,
      sk_rx_bytes: occasion.giant ? 0 : own(down),
      sk_tx_bytes: occasion.giant ? 0 : own(up),
    },
  ]
}

const giantBytes = ({ dice }: Occasion): number => 1e15 + dice.between(0, 2) * 1_000_000

/** One row for each hop. The path ends at the target or stops before it, or the address of the target is unknown. */
export const traceroute: RowsOf = ({ dice }) => {
  const address = oddly(dice, 5, [null], dice.pick(['192.0.2.7', '192.0.2.8']))
  const target = dice.pick(['t1.test', 't2.test'])
  const length = dice.between(2, 5)
  const arrives = !chance(dice, 10)
  const succeeded = !chance(dice, 5)
  return Array.from({ length }, (_, index) => ({
    target,
    address,
    hop: index + 1,
    hop_address: index + 1 === length && arrives ? address : oddly(dice, 20, [null], `10.0.0.${index}`),
    successes: Number(succeeded),
    failures: Number(!succeeded),
  }))
}
