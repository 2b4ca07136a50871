import type { RequestTarget } from './request-target.ts'

/** Uses the TypeScript client, which detects an incomplete response and retries if that is safe. */
export function typescript({ base, path }: RequestTarget, body: object): string {
  const { chartType, ...rest }: { chartType?: unknown } = body
  const request = JSON.stringify(path === '/metric_data' ? rest : body, null, 2)
  return [
    `import { createClient } from '@broadgauge/client'`,
    '',
    `const client = createClient({ url: ${JSON.stringify(base)}, token: process.env.TOKEN ?? '' })`,
    ...(path === '/test_data' || chartType === 'raw' ? streamed(path, request) : whole(request)),
  ].join('\n')
}

const whole = (request: string): string[] => [
  `const series = await client.metricData(${request})`,
  'console.log(series)',
]

const streamed = (path: RequestTarget['path'], request: string): string[] => {
  const method = path === '/test_data' ? 'testData' : 'rawMetricData'
  return [`for await (const row of client.${method}(${request})) {`, '  console.log(row)', '}']
}
