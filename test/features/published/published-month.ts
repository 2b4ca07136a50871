import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dice } from '../../faults/dice.ts'

/**
 * A month of raw data with the columns that Measuring Broadband America publishes: the speed tests of about 60 units, and the
 * profile of these units.
 */
export const month = { profileFrom: '2023-03-01', correctedFrom: '2023-03-16', from: '2023-02-26', to: '2023-04-01' }

type Unit = { number: number; zone: Zone; profile: readonly string[]; speeds: { download: number; upload: number } }
type Zone = (typeof zones)[number]

/** A month in which daylight saving time begins, in every zone but the last three. */
const zones = [
  { name: 'America/New_York', offsets: ['-5', '-4'] },
  { name: 'America/Chicago', offsets: ['-6', '-5'] },
  { name: 'America/Denver', offsets: ['-7', '-6'] },
  { name: 'America/Los_Angeles', offsets: ['-8.0', '-7.0'] },
  { name: 'America/Anchorage', offsets: ['-9', '-8'] },
  { name: 'America/Phoenix', offsets: ['-7', '-7'] },
  { name: 'Pacific/Honolulu', offsets: ['-10', '-10'] },
  { name: 'UTC', offsets: ['', ''] },
] as const

/** Technology, download and upload as in the profile. The tests of a package with a range have the speeds of `about`. */
const offers: readonly { isp: string; cells: readonly [string, string, string]; about: readonly [number, number] }[] = [
  { isp: 'Comcast', cells: ['Cable', '50.0', '10'], about: [50, 10] },
  { isp: 'Comcast', cells: ['Cable', '100', '10'], about: [100, 10] },
  { isp: 'Verizon', cells: ['Fiber', '75', '75'], about: [75, 75] },
  { isp: 'Verizon', cells: ['Fiber', '940', '880'], about: [940, 880] },
  { isp: 'Windstream', cells: ['DSL', '12', '1.5'], about: [12, 1.5] },
  { isp: 'Windstream', cells: ['DSL', '[1.1 - 3.0]', '0.768'], about: [2, 0.768] },
  { isp: 'Windstream', cells: ['DSL', '[6.1 - 10]', '[0.5 - 1]'], about: [8, 0.8] },
  { isp: '', cells: ['', '', ''], about: [20, 5] },
]

/** A file for `package import`: a faster package, and speeds of two packages of which the profile has ranges. */
const corrections = [
  'isp,package,download_mbps,upload_mbps',
  'Comcast,Cable 100/10,150,12.5',
  'Windstream,DSL [1.1 - 3.0]/0.768,2.5,0.768',
  'Windstream,DSL [6.1 - 10]/[0.5 - 1],8.25,',
]

const transferColumns =
  'unit_id,dtime,target,address,fetch_time,bytes_total,bytes_sec,bytes_sec_interval,warmup_time,warmup_bytes,sequence,threads,successes,failures,location_id'
const profileColumns =
  'Unit ID,ISP,Technology,State,Census,timezone_offset,timezone_offset_dst,Download,Upload,Whitebox Model'

/** Writes the files into the folder. Returns the paths of the folder with raw data, the profile and the corrected packages. */
export async function writeMonth(
  folder: string,
  dice: Dice,
): Promise<{ raw: string; profile: string; packages: string }> {
  const raw = join(folder, '202303')
  await mkdir(raw, { recursive: true })
  const units = Array.from({ length: 64 }, (_, index) => rollUnit(index, dice))
  const write = (path: string, lines: readonly string[]) => writeFile(path, `${lines.join('\n')}\n`)
  for (const [stem, direction] of [
    ['httpgetmt', 'download'],
    ['httppostmt', 'upload'],
  ] as const) {
    for (const version of ['', '6'] as const) {
      const tested = version === '' ? units : units.filter((_, index) => index % 4 === 0)
      const lines = tested.flatMap((unit) => rollTests(unit, direction, dice))
      const middle = lines.length / 2
      // The rows of a test may be anywhere in the file, and some published files repeat their first line.
      const mixed = shuffled(lines, dice).toSpliced(middle, 0, transferColumns)
      await write(join(raw, `curr_${stem}${version}.csv`), [transferColumns, ...mixed])
    }
  }
  const [profile, packages] = [join(raw, 'unit-profile.csv'), join(raw, 'packages.csv')]
  // The last units are in no profile.
  await write(profile, [profileColumns, ...units.slice(0, -3).map((unit) => unit.profile.join(','))])
  await write(packages, corrections)
  return { raw, profile, packages }
}

function rollUnit(index: number, dice: Dice): Unit {
  const offer = offers[index % offers.length]
  if (offer === undefined) throw new Error('there are no offers')
  const zone = dice.pick(zones)
  const [technology, download, upload] = offer.cells
  const number = 300_000 + index
  return {
    number,
    zone,
    profile: [`${number}`, offer.isp, technology, 'CA', 'West', ...zone.offsets, download, upload, 'skwb8'],
    speeds: { download: offer.about[0], upload: offer.about[1] },
  }
}

/** The clock shows the first and last seconds of the peak period more often than others. */
const clocks = ['18:59:59', '19:00:00', '22:59:59', '23:00:00']

function rollTests({ number, zone, speeds }: Unit, direction: 'download' | 'upload', dice: Dice): string[] {
  const days = Temporal.PlainDate.from(month.from).until(month.to).days
  // Some units have fewer results than the figure requires.
  const count = number % 6 === 0 ? dice.between(0, 12) : dice.between(60, 120)
  const home = dice.between(40, 110) / 100
  const times = Array.from({ length: count }, () => {
    const pad = (value: number): string => `${value}`.padStart(2, '0')
    const clock = `${pad(dice.between(0, 2) > 0 ? dice.between(18, 23) : dice.between(0, 23))}:${pad(dice.between(0, 59))}:30`
    const day = Temporal.PlainDate.from(month.from).add({ days: dice.between(0, days) })
    const local = Temporal.PlainDateTime.from(
      `${day.toString()}T${dice.between(0, 3) === 0 ? dice.pick(clocks) : clock}`,
    )
    return local.toZonedDateTime(zone.name).toInstant().toString().slice(0, 19).replace('T', ' ')
  })
  return [...new Set(times)].flatMap((time) => {
    const megabits = (speeds[direction] * home * dice.between(30, 120)) / 100
    return rollTest(number, time, Math.round(megabits * 125_000) + dice.between(0, 999), dice)
  })
}

/** The rows of one test. Each covers the test from its start; the one with the highest sequence covers all of it. */
function rollTest(number: number, time: string, bytesSec: number, dice: Dice): string[] {
  const kind = dice.between(0, 29)
  const isFailed = kind === 0
  const warmup = kind === 1 ? '0' : kind === 2 ? '' : '3000000'
  // A glitch of the clock, which the prefilter excludes.
  const whole = kind === 3 ? 1_250_000_001 : bytesSec
  const last = dice.between(1, 5)
  return Array.from({ length: last + 1 }, (_, sequence) => {
    const speed = isFailed ? 0 : sequence === last ? whole : Math.round(bytesSec * (dice.between(50, 200) / 100))
    const microseconds = 5_000_000 * (sequence + 1)
    const bytes = speed * 5 * (sequence + 1)
    const outcome = isFailed ? '0,1' : '1,0'
    return `${number},${time},sp1-${number % 3}.example,192.0.2.1,${microseconds},${bytes},${speed},${speed},${warmup},1000,${sequence},8,${outcome},${number % 7}`
  })
}

function shuffled<Item>(items: readonly Item[], dice: Dice): Item[] {
  return items
    .map((item) => ({ item, order: dice.between(0, 2 ** 31) }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item)
}
