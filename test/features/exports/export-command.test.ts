import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProgram } from '../../../src/serve/program.ts'
import { panel } from '../../kit/panels.ts'
import { storeFacts } from '../../kit/facts.ts'
import { openExportWorld, type ExportWorld } from './export-world.ts'

let exports: ExportWorld
let folder: string

beforeAll(async () => {
  exports = await openExportWorld(null)
  folder = await mkdtemp(join(tmpdir(), 'broadgauge-'))
  await panel(exports.world, 'homes', 'acme', ['whitebox'])
  await storeFacts(exports.world, 'ping', [
    { agent: 'homes-whitebox', dtime: '2026-01-05 12:00:00.000', target: 'n1', rtt_avg: 12_000 },
  ])
}, 60_000)
afterAll(async () => {
  await rm(folder, { recursive: true })
  await exports.world.close()
})

async function run(...words: string[]): Promise<string> {
  let said = ''
  const program = createProgram({ environment: exports.world.environment, write: (text) => (said += text) })
  await program.exitOverride().parseAsync(['export', ...words], { from: 'user' })
  return said
}

const request = JSON.stringify({ test: 'ping', date: { from: '2026', to: '2026' } })

it('requests an export as a caller would, downloads it, and shows it afterwards', async () => {
  const file = join(folder, 'ping.csv')
  expect(await run('run', 'test_data', request, '--organisation', 'acme', '--file', file)).toMatch(
    /^1 rows, \d+ bytes\n/,
  )
  expect(await readFile(file, 'utf8')).toContain('"n1"')
  expect(await readdir(folder)).toEqual(['ping.csv'])
  await expect(run('run', 'test_data', request, '--organisation', 'acme', '--file', file)).rejects.toThrow(
    `The file ${file} already exists.`,
  )
  const [listed] = JSON.parse(await run('list', '--organisation', 'acme', '--json')) as { id: string }[]
  expect(listed).toMatchObject({ organisation: 'acme', source: 'test_data', status: 'complete', rows: 1 })
  expect(await run('show', listed?.id ?? '')).toContain(`request: -\nsummary: ${request}\n`)
})

it('reports an invalid request, an unknown organisation and an unknown id', async () => {
  await expect(run('run', 'test_data', '{"test":"x"}', '--organisation', 'acme')).rejects.toThrow(/test: The value/)
  await expect(run('run', 'tests', request, '--organisation', 'acme')).rejects.toThrow('not "tests"')
  await expect(run('run', 'test_data', request, '--organisation', 'x')).rejects.toThrow('no organisation "x"')
  await expect(run('list', '--organisation', 'x')).rejects.toThrow('no organisation "x"')
  await expect(run('show', 'x')).rejects.toThrow('no export "x"')
})
