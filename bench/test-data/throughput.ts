import { responseFormats } from '../../src/catalog/response-formats.ts'
import { median } from '../rig/median.ts'
import type { Bench } from './bench.ts'
import { discardAnswer, type Asked } from './discarding-client.ts'

export type Measurement = { what: string; measured: string }

const rounds = 3

/** Alternates between the service and ClickHouse, so that other load on the machine affects both. */
/** CSV and Arrow are streamed as ClickHouse writes them, like JSON. The statement of ClickHouse alone is that of the service. */
export async function measureFormats(bench: Bench): Promise<Measurement[]> {
  const measured: Measurement[] = []
  for (const format of responseFormats.filter(({ key }) => key === 'csv' || key === 'arrow')) {
    const { ours, bare } = bench.inFormat(format)
    const ratios: number[] = []
    for (let round = 0; round < formatRounds; round += 1) {
      const alone = await rateOf(bare)
      ratios.push((await rateOf(ours)) / alone)
    }
    const shown = ratios.map((ratio) => ratio.toFixed(2)).join(', ')
    measured.push({ what: `${format.key}, ratio`, measured: `${median(ratios).toFixed(2)} (${shown})` })
  }
  return measured
}

const formatRounds = 7

export async function measureThroughput(bench: Bench): Promise<Measurement[]> {
  const before = await bench.memory()
  let peak = before
  const sampler = setInterval(() => {
    void bench.memory().then((now) => (peak = Math.max(peak, now)))
  }, 50)
  const rates = { ours: [] as number[], bare: [] as number[] }
  let bytes = 0
  for (let round = 0; round < rounds; round += 1) {
    rates.bare.push(await rateOf(bench.bare))
    const startedAt = performance.now()
    bytes = await discardAnswer(bench.ours).ended
    rates.ours.push(bytes / (performance.now() - startedAt) / 1000)
  }
  clearInterval(sampler)
  const ratios = rates.ours.map((rate, round) => rate / (rates.bare[round] ?? Number.NaN))
  return [
    { what: 'bytes of the answer', measured: `${(bytes / 1e6).toFixed(0)} MB` },
    { what: 'the engine alone', measured: `${rates.bare.map((rate) => rate.toFixed(0)).join(', ')} MB/s` },
    { what: 'through the service', measured: `${rates.ours.map((rate) => rate.toFixed(0)).join(', ')} MB/s` },
    { what: 'ratio', measured: ratios.map((ratio) => ratio.toFixed(2)).join(', ') },
    { what: 'growth of the service at its peak', measured: `${(peak - before).toFixed(0)} MB` },
  ]
}

async function rateOf(asked: Asked): Promise<number> {
  const startedAt = performance.now()
  const bytes = await discardAnswer(asked).ended
  return bytes / (performance.now() - startedAt) / 1000
}
