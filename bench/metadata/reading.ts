import { spawn } from 'node:child_process'
import autocannon from 'autocannon'
import { median, type Bench, type Measurement } from './bench.ts'

const barePort = 18_090

/** GET /metadata against a bare route with one query; they take turns, so that noise meets both. */
export async function measureReading({ environment, authorization, baseUrl, quiet }: Bench): Promise<Measurement[]> {
  await quiet()
  const bare = spawn(process.execPath, ['bench/metadata/bare-server.ts'], {
    env: {
      ...process.env,
      BARE_PORT: String(barePort),
      // As the schema's owner: row-level security is not what a bare query pays for.
      BARE_POSTGRES_URL: environment['BROADGAUGE_POSTGRES_ADMIN_URL'],
    },
    stdio: 'inherit',
  })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < 3; round += 1) {
    ours.push(await requestsPerSecond(`${baseUrl}/metadata/unit/77`, authorization))
    theirs.push(await requestsPerSecond(`http://127.0.0.1:${barePort}/metadata/unit/77`, authorization))
  }
  bare.kill()
  const [one, other] = [median(ours), median(theirs)]
  return [
    {
      what: 'GET /metadata, requests a second',
      ours: one.toFixed(0),
      bare: other.toFixed(0),
      ratio: (one / other).toFixed(2),
    },
  ]
}

async function requestsPerSecond(url: string, authorization: string): Promise<number> {
  const result = await autocannon({ url, connections: 32, duration: 4, headers: { authorization } })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`)
  return result.requests.average
}
