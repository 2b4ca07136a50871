import { expect, it, onTestFinished } from 'vitest'
import { findRows, openPostgres } from '../../../../src/engine/postgres/postgres.ts'
import { openWorld } from '../../../kit/world.ts'

it('reads a key with a quotation mark as it is stored, whatever keys were read before', async () => {
  const world = await openWorld()
  onTestFinished(() => world.close())
  const postgres = openPostgres({ url: world.superuserUrl, connectionsMax: 1, observe: () => {} })
  onTestFinished(() => postgres.close())
  const stored = [{ y: 1, 'a\\': 2 }, { y: 1, 'a"': 2 }, { y: 1, plain: [1.5, null] }, {}]
  for (const value of stored) {
    const statement = { name: 'jsonb', text: 'SELECT $1::jsonb AS value' }
    expect(await findRows(postgres.pool, statement, [JSON.stringify(value)])).toEqual([{ value }])
  }
})
