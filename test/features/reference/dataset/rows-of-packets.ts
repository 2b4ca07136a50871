import { around, chance, oddly } from './chances.ts'
import { mobileColumns } from './rows-of-mobiles.ts'
import { load, type Occasion, type Row, type RowsOf } from './rows.ts'

const targets = ['u1.test', 'u2.test', 'u10.test', `u"'\\/%_{x:String}.test`]

/** A time in microseconds. In milliseconds, the unit of the metric, it is near 1e9. */
const giantTime = ({ dice }: Occasion): number => 1e12 + dice.between(0, 2) * 1000

/** The minimum, maximum and mean of the round trips. Some are at or outside the limits of the prefilter. */
function roundTrips(occasion: Occasion): Row {
  const { dice, giant } = occasion
  const least = oddly(dice, 6, [499, 500, 0, -1, null], 500 + around(dice, 4000))
  const most = oddly(dice, 6, [300_000, 300_001, 400_000, null], around(dice, 30_000))
  return {
    rtt_min: least,
    rtt_max: most === null || least === null ? null : least + most,
    rtt_avg: giant ? giantTime(occasion) : oddly(dice, 4, [null, 0, -5, 1], 700 + around(dice, 6000) * load(occasion)),
    rtt_std: around(dice, 1000),
  }
}

export const latency: RowsOf = (occasion) => {
  const { dice } = occasion
  const outcome = chance(dice, 10)
    ? dice.pick([
        { successes: 0, failures: 100 },
        { successes: 0, failures: 0 },
        { successes: 49, failures: 0 },
        { successes: 45, failures: 5 },
        { successes: 53, failures: 6 },
        { successes: 1, failures: 0 },
      ])
    : { successes: dice.between(80, 600), failures: oddly(dice, 30, [1, 2, 5, 200], 0) }
  return [{ target: dice.pick(targets), ...roundTrips(occasion), ...outcome }]
}

export const ping: RowsOf = (occasion) => {
  const { dice } = occasion
  const failures = oddly(dice, 20, [1, 2, 5], 0)
  return [
    { target: dice.pick(targets), ...roundTrips(occasion), successes: oddly(dice, 5, [0], 5 - failures), failures },
  ]
}

export const jitter: RowsOf = (occasion) => {
  const { dice, giant } = occasion
  const one = (): number | null =>
    giant
      ? giantTime(occasion)
      : oddly(dice, 6, [null, 0, -1, 10_000_000, 10_000_001], around(dice, 900 * load(occasion)))
  const succeeded = !chance(dice, 6)
  return [
    {
      target: dice.pick(targets),
      packet_size: 160,
      packets_up_sent: 500,
      jitter_up: one(),
      jitter_down: one(),
      successes: Number(succeeded),
      failures: Number(!succeeded),
    },
  ]
}

export const dns: RowsOf = (occasion) => {
  const { dice, giant } = occasion
  const failures = oddly(dice, 15, [1, 2, 3], 0)
  const successes = chance(dice, 10) ? 0 : dice.between(1, 3)
  const time = oddly(dice, 5, [null, 0, -1, 10_000_000, 10_000_001], around(dice, 5000 * load(occasion)))
  return [
    {
      nameserver: dice.pick(['192.0.2.53', '198.51.100.53']),
      lookup_host: dice.pick(['a.test', 'b.test']),
      rtt: giant ? giantTime(occasion) : successes === 0 ? dice.pick([null, 0, 3_000_000]) : time,
      successes,
      failures,
    },
  ]
}

export const mobileLatency: RowsOf = (occasion) => {
  const { dice } = occasion
  const sent = oddly(dice, 10, [null, 0, 49, 50, 60], dice.between(80, 300))
  // If a packet was duplicated, more packets are received than sent.
  const received =
    sent === null ? dice.pick([null, 10]) : oddly(dice, 5, [null, sent + 1], sent - dice.between(0, sent / 8))
  const succeeded = !chance(dice, 6)
  return [
    {
      target: dice.pick(targets),
      ...roundTrips({ ...occasion, giant: false }),
      jitter: oddly(dice, 6, [null, -1, 10_000_000, 10_000_001], around(dice, 2000)),
      packets_sent: sent,
      packets_received: received,
      successes: Number(succeeded),
      failures: Number(!succeeded),
      ...mobileColumns(occasion),
    },
  ]
}
