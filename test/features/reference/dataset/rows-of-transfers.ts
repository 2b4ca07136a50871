import { around, chance, oddly } from './chances.ts'
import { mobileColumns } from './rows-of-mobiles.ts'
import { load, type Occasion, type Row, type RowsOf } from './rows.ts'

/** Speeds just inside and just outside each prefilter rule: zero, negative, 10 Gbit/s, and one byte per second more. */
const oddSpeeds = [0, -1, 1, 1_250_000_000, 1_250_000_001]
const oddWarmups = [null, 0, -1, 1]

const targets = ['n1.test', 'n2.test', 'N1.test', 'édge.test']

function outcome(occasion: Occasion): Row {
  const { dice, giant } = occasion
  // A failed test has no speed or a meaningless one.
  if (chance(dice, 6))
    return { successes: 0, failures: 1, bytes_sec: dice.pick([null, 0, around(dice, 100_000)]), warmup_time: null }
  const ordinary = around(dice, 8_000_000 / load(occasion))
  const speed = giant ? 125e12 + dice.between(0, 2) * 125_000 : oddly(dice, 5, [...oddSpeeds, null], ordinary)
  return { successes: 1, failures: 0, bytes_sec: speed, warmup_time: oddly(dice, 5, oddWarmups, around(dice, 50_000)) }
}

export const transfer: RowsOf = (occasion) => {
  const { dice, giant } = occasion
  return [
    {
      target: dice.pick(targets),
      address: '192.0.2.1',
      target_group: dice.pick(['on-net', 'off-net', 'Off-net', '', null]),
      threads: dice.pick([1, 3, 8, 16, 100, null]),
      ip_version: dice.pick([4, 4, 6, null]),
      sequence: dice.between(1, 3),
      tcp_retransmissions: giant ? 1_000_000_000 + dice.between(0, 2) : oddly(dice, 4, [null], dice.between(0, 5)),
      ...outcome(occasion),
    },
  ]
}

export const mobileTransfer: RowsOf = (occasion) => [
  {
    target: occasion.dice.pick(targets),
    threads: occasion.dice.pick([1, 4]),
    ...outcome(occasion),
    ...mobileColumns(occasion),
  },
]
