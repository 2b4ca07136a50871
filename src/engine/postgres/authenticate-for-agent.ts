import { setImmediate } from 'node:timers/promises'
import type { Caller } from '../../base/caller.ts'
import { limits } from '../../base/limits.ts'
import { hashToken } from '../../base/token.ts'
import type { AgentReference } from '../../check/agent-reference.ts'
import { callerOf, type TokenRow } from './authenticate.ts'
import type { AgentMetadata } from './metadata-columns.ts'
import { findRows, type Postgres } from './postgres.ts'

/** The caller, and the metadata of the agent they asked for; null when there is none they can see. */
export type Authentication = { caller: Caller; metadata: AgentMetadata | null }

const statement = { name: 'authenticate-for-agents', text: 'SELECT authenticate_for_agents($1, $2, $3) AS found' }

type Found = { caller: Caller; metadata: (AgentMetadata | null)[] }

/** Agents asked for with one token while the process was reading requests. Never of two tokens. */
type Gathering = { readonly agents: AgentReference[]; readonly found: Promise<Found | null> }

const gatherings = new WeakMap<Postgres, Map<string, Gathering>>()

/**
 * Who a token stands for, and in the same round trip the metadata of one agent. Requests that arrive together and carry
 * the same token share the round trip; each is answered from its own place in the list.
 */
export async function authenticateForAgent(
  postgres: Postgres,
  token: string,
  agent: AgentReference,
): Promise<Authentication | null> {
  const { agents, found } = gather(postgres, token)
  const place = agents.push(agent) - 1
  const answer = await found
  return answer && { caller: answer.caller, metadata: answer.metadata[place] ?? null }
}

/** The gathering that still takes agents of this token. */
function gather(postgres: Postgres, token: string): Gathering {
  const open = gatherings.get(postgres) ?? new Map<string, Gathering>()
  gatherings.set(postgres, open)
  const present = open.get(token)
  if (present !== undefined && present.agents.length < limits.agentsTogetherMax) return present
  const agents: AgentReference[] = []
  // Node runs this when it has read what had arrived: nobody waits for requests that are not there yet.
  const found = setImmediate().then(() => {
    if (open.get(token) === begun) open.delete(token)
    return ask(postgres, token, agents)
  })
  const begun = { agents, found }
  open.set(token, begun)
  return begun
}

async function ask({ pool }: Postgres, token: string, agents: readonly AgentReference[]): Promise<Found | null> {
  const fields = agents.map(({ field }) => field)
  const identifiers = agents.map(({ value }) => value)
  type Row = { found: (TokenRow & { metadata: (AgentMetadata | null)[] }) | null }
  const [row] = await findRows<Row>(pool, statement, [hashToken(token), fields, identifiers])
  return row?.found ? { caller: callerOf(row.found), metadata: row.found.metadata } : null
}
