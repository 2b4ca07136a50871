import { afterAll, beforeAll, expect, it } from 'vitest'
import { importAgents } from '../../../src/engine/postgres/operator/import-agents.ts'
import { changeSubscription, createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { newSeed, rollDice } from '../../faults/dice.ts'
import { call } from '../../kit/call.ts'
import { agent, asLines, organisation, token } from '../../kit/panels.ts'
import { runSql } from '../../kit/run-sql.ts'
import { openWorld, type World } from '../../kit/world.ts'

let world: World
const agentsEach = 40
/** Tokens, each with the organisations whose agents it can read. */
const tokens: { name: string; secret: string; sees: string[] }[] = []

beforeAll(async () => {
  world = await openWorld()
  for (const [index, owner] of ['north', 'south', 'watcher'].entries()) {
    await organisation(world, owner)
    await world.operate(async (operator) => {
      await createPanel(operator, { key: owner, name: owner, owner })
      const lines = Array.from({ length: agentsEach }, (_, line) => ({
        line,
        row: agent({
          agent_id: `${owner}-${line}`,
          unit_id: String(unitOf(index, line)),
          mac_address: `${owner}-mac-${line}`,
        }),
      }))
      await importAgents(operator, owner, asLines(lines), () => {})
    })
    const sees = owner === 'watcher' ? ['watcher', 'north'] : [owner]
    tokens.push({ name: owner, secret: await token(world, owner, ['metadata:read']), sees })
  }
  await world.operate((operator) =>
    changeSubscription(operator, { panel: 'north', organisation: 'watcher', subscribed: true }),
  )
  tokens.push({ name: 'without the scope', secret: await token(world, 'north', ['metadata:write']), sees: [] })
  tokens.push({ name: 'revoked', secret: await token(world, 'north', ['metadata:read']), sees: [] })
  // The metadata of every agent contains the agent's id, which shows the owner. Half of the agents also have an ISP,
  // and half of these agents have a package.
  await runSql(
    world.superuserUrl,
    `INSERT INTO isps (name) VALUES ('Acme'), ('Zed');
     INSERT INTO packages (isp_id, name) SELECT id, 'Fast' FROM isps;
     UPDATE current_metadata c SET custom = jsonb_build_object('who', a.agent_id),
       isp_id = CASE WHEN a.id % 2 = 0 THEN 1 + a.id / 2 % 2 END, package_id = CASE WHEN a.id % 4 = 0 THEN 1 + a.id / 2 % 2 END
     FROM agents a WHERE a.id = c.agent_id;
     UPDATE tokens SET revoked_at = now() WHERE id = (SELECT max(id) FROM tokens)`,
  )
})
afterAll(() => world.close())

const unitOf = (owner: number, line: number): number => 10_000 * (owner + 1) + line

/** The expected `data` for each agent, read from PostgreSQL without the service. */
async function expectedData(): Promise<Map<string, unknown>> {
  const rows = await runSql<{ agent_id: string; data: unknown }>(
    world.superuserUrl,
    `SELECT a.agent_id, json_build_object('package', i.name || ':' || p.name, 'isp', i.name, 'timezone', NULL, 'custom', c.custom) AS data
     FROM agents a JOIN current_metadata c ON c.agent_id = a.id
       LEFT JOIN isps i ON i.id = c.isp_id LEFT JOIN packages p ON p.id = c.package_id`,
  )
  return new Map(rows.map(({ agent_id, data }) => [agent_id, data]))
}

it('answers each of many concurrent requests with its own agent, or with the refusal a single request would get', async () => {
  const dice = rollDice(newSeed())
  const data = await expectedData()
  const service = await world.serve()
  const ask = async () => {
    // Most requests use the same token.
    const { name, secret, sees } = dice.pick(dice.between(0, 4) > 0 ? tokens.slice(2, 3) : tokens)
    const owner = dice.between(0, 2)
    const ownerName = ['north', 'south', 'watcher'][owner] ?? ''
    const line = dice.between(0, agentsEach + 3)
    const path = dice.pick([
      `unit/${unitOf(owner, line)}`,
      `agent/${ownerName}${line}`,
      `mac/${ownerName}-mac-${line}`,
      'unit/nonsense',
    ])
    const answer = await call(`${service.addresses.api}/metadata/${path}`, { token: `Bearer ${secret}` })
    const visible = path !== 'unit/nonsense' && line < agentsEach && sees.includes(ownerName)
    const status = sees.length === 0 ? 403 : visible ? 200 : 404
    const expected = { status, data: visible ? data.get(`${ownerName}-${line}`) : undefined }
    expect({ name, path, status: answer.status, data: answer.body['data'] }).toEqual({ name, path, ...expected })
    return status
  }
  const statuses = new Set<number>()
  // Send the requests in rounds, so that connections are open and requests arrive at the same time.
  for (let round = 0; round < 20; round += 1) {
    for (const status of await Promise.all(Array.from({ length: 60 }, ask))) statuses.add(status)
  }
  console.log(`20 times 60 requests at once, seed ${dice.seed}`)
  expect(statuses).toEqual(new Set([200, 403, 404]))
})
