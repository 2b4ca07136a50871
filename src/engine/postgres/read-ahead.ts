import type { Caller, Scope, TokenScope } from '../../base/caller.ts'
import { hashToken } from '../../base/token.ts'
import type { Grants } from '../../catalog/grants.ts'
import type { Zone } from '../../compile/zone-offsets.ts'
import { authenticate } from './authenticate.ts'
import { findZoneNumbers } from './find-zone-numbers.ts'
import type { Postgres } from './postgres.ts'
import { readGrants } from './read-grants.ts'

/** What a question is judged by. */
export type Basis = { readonly grants: Promise<Grants>; readonly zones: Promise<readonly Zone[]> }

/**
 * Whose a token was when it was last good: it never changes hands. Whether it still is good is looked up every time, and
 * what its organisation has been given is read meanwhile, not afterwards: a round trip less for every question.
 */
const lastOwners = new WeakMap<Postgres, Map<string, number>>()
const ownersMax = 10_000

const bases = new WeakMap<Scope, Basis>()

/** Who a token stands for; what they will be judged by is being read. */
export async function authenticateAhead(postgres: Postgres, token: string, scope: TokenScope): Promise<Caller | null> {
  const owners = lastOwners.get(postgres) ?? new Map<string, number>()
  lastOwners.set(postgres, owners)
  const key = hashToken(token).toString('base64')
  const organisationId = owners.get(key)
  const basis = organisationId === undefined ? null : readBasis({ organisationId }, postgres)
  const caller = await authenticate(postgres, token)
  // Who is refused is not read for again.
  if (caller === null || !caller.tokenScopes.includes(scope)) owners.delete(key)
  else if (basis !== null && caller.organisationId === organisationId) bases.set(caller, basis)
  else remember(owners, key, caller)
  return caller
}

function remember(owners: Map<string, number>, key: string, { organisationId }: Caller): void {
  if (owners.size >= ownersMax) owners.clear()
  owners.set(key, organisationId)
}

/** Once: what was read for one question is not what a later one is judged by. */
export function takeBasis(scope: Scope, postgres: Postgres): Basis {
  const basis = bases.get(scope) ?? readBasis(scope, postgres)
  bases.delete(scope)
  return basis
}

function readBasis(scope: Scope, postgres: Postgres): Basis {
  const basis = { grants: readGrants(scope, postgres), zones: findZoneNumbers(postgres) }
  // Nobody waits for a part that is not needed, or for any when the token is good no more; whoever does still hears of it.
  for (const part of Object.values(basis)) part.catch(() => {})
  return basis
}
