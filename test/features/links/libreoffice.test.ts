import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { question, request } from '../questions/question-world.ts'
import { openLinkWorld, type LinkWorld } from './link-world.ts'

/** Debian has the package as `libreoffice-calc-nogui`. */
const hasLibreOffice = (() => {
  try {
    execFileSync('soffice', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

let world: LinkWorld
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'broadgauge-sheet-'))
  world = await openLinkWorld()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world.world.close()
})

/** The first filter reads the file as docs/spreadsheets.md says. The second writes cells with every digit, not as shown. */
const filters = {
  read: 'CSV:44,34,76,1,,1033,false,true',
  write: 'csv:Text - txt - csv (StarCalc):44,34,76,1,,1033,false,false',
}

/** Lets LibreOffice open the address of a CSV file, and returns the cells of the sheet. */
async function cellsOf(url: string): Promise<string[][]> {
  const convert = (to: string, from: string, read: string[] = []) =>
    promisify(execFile)(
      'soffice',
      [
        `-env:UserInstallation=file://${folder}/profile`,
        '--headless',
        '--convert-to',
        to,
        ...read,
        '--outdir',
        folder,
        from,
      ],
      { timeout: 100_000 },
    )
  await convert('ods', url, [`--infilter=${filters.read}`])
  const sheet = join(folder, `${basename(url, '.csv')}.ods`)
  await convert(filters.write, sheet)
  return parse(readFileSync(sheet.replace(/ods$/, 'csv')))
}

it.skipIf(!hasLibreOffice)(
  'LibreOffice reads the same numbers and texts from a link as the API gives',
  async () => {
    const body = { ...question, request: { ...request, splits: ['target', 'agent'] } }
    await world.send('PUT', '/questions/sheet', { body })
    const path = await world.share({}, { key: 'sheet' })
    const [names = [], ...rows] = await cellsOf(`${world.base}${path}.csv`)
    const { body: answer } = await world.send('GET', '/questions/sheet/data')
    const points = (answer['data'] as { metricData: Record<string, unknown>[] }[]).flatMap((one) => one.metricData)
    expect(rows).toHaveLength(4)
    expect(points).toHaveLength(4)
    const cell = (row: string[] | undefined, column: string): string => row?.[names.indexOf(column)] ?? ''
    for (const [index, point] of points.entries()) {
      const row = rows[index]
      for (const text of ['target', 'agent', 'dtime']) expect(cell(row, text)).toBe(point[text])
      for (const number of ['metricValue', 'stdDev', 'sampleCount', 'agentCount', 'min', 'max', 'median']) {
        expect([number, Number(cell(row, number))]).toEqual([number, point[number] ?? 0])
      }
      expect(cell(row, 'ci95')).toBe('')
    }
  },
  240_000,
)
