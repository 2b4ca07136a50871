import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../attempt.ts'
import { newSeed } from '../dice.ts'
import { facts, openBrokenWorld, type BrokenWorld } from './broken-world.ts'
import { breaks, breakUnderWorks, type Work } from './broken-works.ts'
import { openTally } from './tally.ts'
import { lookForZeros } from './zeros.ts'

const seed = newSeed()
let broken: BrokenWorld

beforeAll(async () => {
  broken = await openBrokenWorld('S3_ENDPOINT')
}, 120_000)
afterAll(() => broken.close(), 90_000)

const shown = async (id: string): Promise<Record<string, unknown>> => {
  const answer = await broken.send(`/downloads/${id}`, { method: 'GET' })
  return (answer?.body['data'] as Record<string, unknown> | undefined) ?? {}
}

function exportWork(round: number): Work {
  const body = { test: 'httpget', date: { from: '2026-01', to: '2026-01' } }
  let id = ''
  const run = async () => {
    const asked = await broken.send('/test_data.csv', { body, headers: { 'idempotency-key': `e-${round}` } })
    if (asked?.status !== 200) return asked
    ;({ id } = asked.body['data'] as { id: string })
    await until(async () => ['complete', 'failed'].includes(String((await shown(id))['status'])), 60_000, 100)
    return asked
  }
  const verify = async () => {
    const { status, url, rows } = await shown(id)
    if (status !== 'complete') return `the export is ${String(status)}`
    const text = await (await fetch(String(url))).text()
    const lines = text.split('\n').filter((line) => line !== '').length - 1
    const removed = await broken.send(`/downloads/${id}`, { method: 'DELETE' })
    if (lines !== facts || rows !== facts) return `${lines} lines, said to be ${String(rows)}`
    return removed?.status === 200 ? null : `cannot be removed: ${removed?.status}`
  }
  return { name: 'export', patienceMs: 90_000, run, verify }
}

it(
  `${breaks} broken connections to object storage, and every complete export is whole`,
  { timeout: 3_600_000 },
  async () => {
    const tally = openTally('broken connections to object storage', seed)
    await breakUnderWorks(broken.proxy, seed, tally, exportWork)
    lookForZeros(tally, broken.world, [broken.token])
    tally.report(breaks)
    expect(tally.sorts(), `seed ${seed}`).toEqual([])
  },
)
