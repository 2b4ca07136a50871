import { ask } from '../../features/people/people-world.ts'
import type { ConsoleWorld } from './console-world.ts'
import { passIssuer, visit, type Browser } from './open-id-issuer.ts'
import type { Tally } from './tally.ts'
import { callers, type TenantName } from './tenant-world.ts'

/**
 * Tries the OpenID sign-in of each organisation. It must admit only users of that organisation whom the operator has
 * registered for its provider. It must refuse every other user, and every proof of identity that is used at the wrong
 * provider, in the wrong browser or twice.
 */
export async function tryDoors(tenants: ConsoleWorld, tally: Tally): Promise<void> {
  for (const caller of callers) {
    const logins = callers.flatMap((one) => {
      const { identified, astray, administrator } = tenants.belongings[one]
      return [identified, astray, administrator.name]
    })
    for (const login of [...logins, tenants.belongings.nemos.identified]) {
      const browser: Browser = new Map()
      const back = await passIssuer(browser, doorOf(tenants, caller), login)
      await judge(tenants, tally, `as ${login} by the sign-in of ${caller}`, browser, back, {
        lets: login === tenants.belongings[caller].identified ? caller : null,
      })
    }
    await tryDetours(tenants, tally, caller)
  }
}

const doorOf = ({ base, belongings }: ConsoleWorld, caller: TenantName): string =>
  `${base}/console/api/sign-in/${belongings[caller].way}`

const memory = 'broadgauge-sign-in'

/** Uses a valid proof of identity at the wrong provider, in the wrong browser or twice. */
async function tryDetours(tenants: ConsoleWorld, tally: Tally, caller: TenantName): Promise<void> {
  const { belongings } = tenants
  const other = callers[(callers.indexOf(caller) + 1) % callers.length] ?? 'alder'
  const [mine, theirs] = [belongings[caller], belongings[other]]
  const refused = { lets: null }
  const arrive = async (): Promise<[Browser, string]> => {
    const browser: Browser = new Map()
    return [browser, await passIssuer(browser, doorOf(tenants, caller), mine.identified)]
  }
  const [first, toMine] = await arrive()
  const kept = first.get(memory) ?? ''
  const swapped = toMine.replace(`/${mine.way}/`, `/${theirs.way}/`)
  await judge(tenants, tally, 'my proof at their door', new Map(first), swapped, refused)
  const stranger: Browser = new Map()
  await visit(stranger, doorOf(tenants, caller))
  await judge(tenants, tally, 'my proof in another browser', stranger, toMine, refused)
  await judge(tenants, tally, 'my proof in a browser that remembers nothing', new Map(), toMine, refused)
  const [second, again] = await arrive()
  const remembered = second.get(memory) ?? ''
  await judge(tenants, tally, 'as I should', second, again, { lets: caller })
  await judge(tenants, tally, 'a second time', new Map([[memory, remembered]]), again, refused)
  if (kept === '' || remembered === '') tally.breach('Z4', 'a browser without a memory', caller)

  // Simulate that the provider of `mine` redirects the browser to the provider of `theirs`, with the state that the
  // service stored for `mine`.
  const led: Browser = new Map()
  const begun = await visit(led, doorOf(tenants, caller))
  const onward = new URL(begun.headers.get('location') ?? '')
  onward.searchParams.set('client_id', theirs.way)
  onward.searchParams.set('redirect_uri', `${doorOf(tenants, other)}/callback`)
  const toTheirs = await passIssuer(led, onward.href, theirs.identified)
  await judge(tenants, tally, 'by their door, having left by mine', led, toTheirs, refused)
}

async function judge(
  { base, secrets }: ConsoleWorld,
  tally: Tally,
  what: string,
  browser: Browser,
  back: string,
  { lets }: { lets: TenantName | null },
): Promise<void> {
  const { status, headers } = await visit(browser, back)
  tally.count(String(status))
  const secret = browser.get('broadgauge')
  const isRight = status === 302 && (headers.get('location') === '../../../') === (secret !== undefined)
  if (!isRight) tally.breach('Z10', 'back from a sign-in', `${what}: ${status} ${headers.get('location')}`)
  if ((secret !== undefined) !== (lets !== null)) tally.breach('Z4', `a sign-in: ${what}`, String(status))
  if (secret === undefined) return
  secrets.add(secret)
  const { body } = await ask(base, '/session', { cookie: `broadgauge=${secret}` })
  const { key } = (body['data'] as { organisation: { key: string } }).organisation
  tally.count(`sessions of ${key}`)
  if (lets !== null && key !== lets)
    tally.breach('Z4', 'signed in as another person', `${what}: ${JSON.stringify(body)}`)
}
