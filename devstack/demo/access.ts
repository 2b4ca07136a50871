import { asOperator } from '../../src/engine/postgres/operator/operator.ts'
import { adminUrl } from '../../src/serve/config.ts'
import type { Settings } from '../../src/serve/config-schema.ts'
import { createTokens, type DemoTokens } from './tokens.ts'
import { createDemoUser, type DemoUser } from './user.ts'

/** Who can use the demo: tokens of the regulator and of the ISP, and a user of the console. */
export type DemoAccess = { tokens: DemoTokens; otherTokens: DemoTokens; user: DemoUser }

export const createAccess = (settings: Settings): Promise<DemoAccess> =>
  asOperator(adminUrl(settings), async (operator) => ({
    tokens: await createTokens(operator, 'regulator'),
    otherTokens: await createTokens(operator, 'isp'),
    user: await createDemoUser(operator),
  }))

export type DemoAddresses = { api: string; ingest: string; operations: string }

/** The content of `.broadgauge/demo.json`, which `broadgauge query` reads. */
export function demoJson({ api, ingest, operations }: DemoAddresses, access: DemoAccess): string {
  const urls = { dataBaseUrl: api, metadataBaseUrl: api, ingestBaseUrl: ingest, opsBaseUrl: operations }
  return `${JSON.stringify({ ...urls, ...access }, null, 2)}\n`
}

/** Example requests, and how to sign in to the console. */
export function examples({ api, operations }: DemoAddresses, { tokens, user }: DemoAccess): string[] {
  const json = `-H 'Content-Type: application/json'`
  const daily =
    '{"metric":"httpget","chartType":"aggregate","aggregation":"daily","normalised":true,"prefilter":true,"splits":["isp"],"time":{"from":"-30 days","to":"now"}}'
  const file = '{"test":"latency","date":{"from":"-7 days","to":"now"}}'
  return [
    `  curl -H 'Authorization: ${tokens.data}' ${api}/metrics`,
    `  curl -H 'Authorization: ${tokens.data}' ${json} ${api}/metric_data -d '${daily}'`,
    `  curl -H 'Authorization: ${tokens.data}' ${json} ${api}/test_data.csv -d '${file}'`,
    `  curl -H 'Authorization: Bearer ${tokens.metadata}' ${api}/metadata/agent/national0000007`,
    `  curl ${operations}/readyz\n`,
    `Or look at it: ${api}/console, as ${user.name} with the password ${user.password}`,
  ]
}
