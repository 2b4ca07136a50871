import { createClient } from '@clickhouse/client'
import { sql, statement } from '../../src/base/sql.ts'
import { packageName, spanAsOf, spanAttribute } from '../../src/compile/metric/metadata-as-of.ts'
import type { Bench, Measurement } from './bench.ts'

const trials = 20

/**
 * Measures the time between the response to a PUT and the first query by package that shows the change. All agents of the
 * bench are in the dictionaries.
 */
export async function measureFreshness(bench: Bench): Promise<Measurement[]> {
  await bench.quiet()
  const node = createClient({
    url: bench.environment['BROADGAUGE_CLICKHOUSE_URL'] ?? '',
    username: 'bg_admin',
    password: bench.environment['BROADGAUGE_CLICKHOUSE_ADMIN_PASSWORD'] ?? '',
  })
  await node.command({
    query: `INSERT INTO broadgauge.ping (panel, agent, dtime, target, rtt_avg, successes, failures)
            SELECT 1, number + 1, now64(3), 't', 1000, 1, 0 FROM numbers(${trials})`,
  })
  const named = packageName('broadgauge', spanAttribute('broadgauge', 'package_id', sql`span`))
  const { text } = statement(sql`
    WITH ${spanAsOf('broadgauge')} AS span SELECT agent, ${named} AS package FROM broadgauge.ping WHERE panel = 1`)
  const times: number[] = []
  for (let trial = 1; trial <= trials; trial += 1) {
    const wanted = `Acme:Package ${10 + (trial % 10)}`
    await bench.put({ agent: { unit_id: trial }, metadata: { package: wanted } })
    const startedAt = performance.now()
    for (;;) {
      const rows = await (
        await node.query({ query: text, format: 'JSONEachRow' })
      ).json<{ agent: number; package: string }>()
      if (rows.some((row) => row.agent === trial && row.package === wanted)) break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    times.push(performance.now() - startedAt)
  }
  await node.close()
  const worst = Math.max(...times).toFixed(0)
  return [
    {
      what: `change seen by a query, ${bench.agents} agents, worst of ${trials}, ms`,
      ours: worst,
      bare: '',
      ratio: '',
    },
  ]
}
