import { spawn } from 'node:child_process'
import autocannon from 'autocannon'
import { median } from '../rig/median.ts'
import type { Bench, Measurement } from './bench.ts'

const barePort = 18_090
const rounds = 9

/** Compares GET /metadata with a bare route that runs one query. The two routes alternate, so that other load affects both. */
export async function measureReading({ environment, authorization, baseUrl, quiet }: Bench): Promise<Measurement[]> {
  await quiet()
  const bare = spawn(process.execPath, ['bench/metadata/bare-server.ts'], {
    env: {
      ...process.env,
      BARE_PORT: String(barePort),
      // Connects as the owner of the schema, so that the bare query has no cost of row-level security.
      BARE_POSTGRES_URL: environment['BROADGAUGE_POSTGRES_ADMIN_URL'],
    },
    stdio: 'inherit',
  })
  const [ourUrl, bareUrl] = [`${baseUrl}/metadata/unit/77`, `http://127.0.0.1:${barePort}/metadata/unit/77`]
  await untilAnswered(bareUrl)
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const [one, other] = [
      await requestsPerSecond(ourUrl, authorization),
      await requestsPerSecond(bareUrl, authorization),
    ]
    if (round === 0) continue // Do not count the first round, in which V8 still compiles both.
    ours.push(one)
    theirs.push(other)
  }
  bare.kill()
  // Compute the ratio of each pair of rounds, because other load on the machine affected both rounds of a pair.
  const ratios = ours.map((one, round) => one / (theirs[round] ?? Number.NaN))
  console.log(`GET /metadata against the bare route, by round: ${ratios.map((one) => one.toFixed(2)).join(', ')}`)
  return [
    {
      what: 'GET /metadata, requests a second',
      ours: median(ours).toFixed(0),
      bare: median(theirs).toFixed(0),
      ratio: median(ratios).toFixed(2),
    },
  ]
}

async function untilAnswered(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await fetch(url).catch(() => null)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the bare route does not answer')
}

async function requestsPerSecond(url: string, authorization: string): Promise<number> {
  const result = await autocannon({ url, connections: 32, duration: 2, headers: { authorization } })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`)
  return result.requests.average
}
