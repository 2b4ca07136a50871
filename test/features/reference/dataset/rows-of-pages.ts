import { around, chance, oddly } from './chances.ts'
import { mobileColumns } from './rows-of-mobiles.ts'
import { load, type Occasion, type Row, type RowsOf } from './rows.ts'

function page(occasion: Occasion): Row {
  const { dice } = occasion
  const failures = oddly(dice, 20, [1, 2], 0)
  return {
    target: dice.pick(['https://a.test/', 'https://b.test/?q=1&r=2', 'https://ü.test/']),
    fetch_time: oddly(
      dice,
      6,
      [null, 0, 49_999, 50_000, 30_000_000, 30_000_001],
      60_000 + around(dice, 400_000) * load(occasion),
    ),
    successes: oddly(dice, 8, [0], dice.between(1, 2)),
    failures,
  }
}

export const webget: RowsOf = (occasion) => [
  { ...page(occasion), ttfb_avg: oddly(occasion.dice, 5, [null], around(occasion.dice, 80_000)), threads: 8 },
]

export const mobilePage: RowsOf = (occasion) => [{ ...page(occasion), ...mobileColumns(occasion) }]

function video(occasion: Occasion): Row {
  const { dice } = occasion
  const succeeded = !chance(dice, 8)
  return {
    target: dice.pick(['v1.test', 'v2.test']),
    bitrate: oddly(dice, 5, [null, 0], dice.pick([62_500, 125_000, 625_000, around(dice, 300_000)])),
    stall_events: oddly(dice, 5, [null], oddly(dice, 30, [1, 2, 7], 0)),
    prebuffering_duration: oddly(dice, 6, [null, 0, 10_000_000, 10_000_001], around(dice, 900_000) * load(occasion)),
    // Some tests are reported as successful but have an error.
    error: succeeded
      ? oddly(dice, 10, ['', 'stall', 'timeout', 'Stalled', 'reinstalled'], null)
      : dice.pick(['stall', 'timeout', 'connect', 'TOO_MANY_STALLS', 'install', '404']),
    successes: Number(succeeded),
    failures: Number(!succeeded),
  }
}

export const netflix: RowsOf = (occasion) => [video(occasion)]

const startup = ({ dice }: Occasion): Row => ({ startup_delay: oddly(dice, 5, [null, 0], around(dice, 1_500_000)) })

export const youtube: RowsOf = (occasion) => [
  { ...video(occasion), ...startup(occasion), video_id: occasion.dice.pick(['x1', 'x2']) },
]

export const mobileYoutube: RowsOf = (occasion) => [
  { ...video(occasion), ...startup(occasion), video_id: 'x1', ...mobileColumns(occasion) },
]
