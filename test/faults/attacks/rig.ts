import { randomBytes } from 'node:crypto'
import { stackDown, stackUp, type Stack } from '../../../devstack/index.ts'
import { createPanel } from '../../../src/engine/postgres/operator/panels.ts'
import { storeFacts } from '../../kit/facts.ts'
import { organisation, token } from '../../kit/panels.ts'
import { openWorld, type World } from '../../kit/world.ts'
import { childService, type ChildService } from '../child-service.ts'
import { registerAgents } from '../metadata-panel.ts'
import { noLimits } from './no-limits.ts'

/** Separate stores, because the test breaks them. The service runs in its own process, as an operator runs it. */
export type Rig = {
  readonly stack: Stack
  readonly world: World
  readonly service: ChildService
  readonly token: string
  readonly close: () => Promise<void>
}

export const rigUnits = Array.from({ length: 32 }, (_, index) => index + 1)
export const rigFacts = 2_000

type RigOptions = {
  /** The prefix of the stack's name. */
  readonly kind: string
  readonly settings?: Record<string, string>
  /** Prepares what must exist before the stores start. */
  readonly prepare?: (stackName: string) => Promise<void>
  /** Cleans up after the stores have stopped. */
  readonly cleanUp?: (stackName: string) => Promise<void>
}

export async function openRig({ kind, settings = {}, prepare, cleanUp }: RigOptions): Promise<Rig> {
  const name = `${kind}-${randomBytes(3).toString('hex')}`
  await prepare?.(name)
  const stack = await stackUp({ name })
  const world = await openWorld({ stack })
  const own = await fillRig(world)
  const service = await childService({ ...world.environment, ...noLimits, ...settings })
  await service.start()
  return {
    stack,
    world,
    service,
    token: own,
    close: async () => {
      try {
        await service.stop()
        await world.close()
      } finally {
        await stackDown({ name })
        await cleanUp?.(name)
        await stackDown({ name, wipe: true })
      }
    },
  }
}

/** Creates an organisation with its agents and results. Returns its token. */
export async function fillRig(world: World): Promise<string> {
  await organisation(world, 'acme')
  const own = `Bearer ${await token(world, 'acme', ['data:read', 'metadata:read', 'metadata:write', 'ingest:write'])}`
  await world.operate((operator) => createPanel(operator, { key: 'acme', name: 'acme', owner: 'acme' }))
  await registerAgents(world, 'acme', rigUnits)
  await storeFacts(world, 'httpget', Array.from({ length: rigFacts }, fact))
  return own
}

const fact = (_: unknown, index: number) => ({
  agent: `acme-${1 + (index % rigUnits.length)}`,
  dtime: new Date(Date.UTC(2026, 0, 5) + index * 1000).toISOString().replace(/[TZ]/g, ' ').trim(),
  target: `server-${index}`,
  bytes_sec: index * 1000,
})
