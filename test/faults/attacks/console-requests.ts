import { tokenScopes, type TokenScope } from '../../../src/base/caller.ts'
import type { Role } from '../../../src/base/person.ts'
import { friend, type Belongings } from './console-world.ts'
import type { Names, TenantName } from './tenant-world.ts'

export type ConsoleRequest = {
  /** As in the document of the console's own interface. */
  readonly operation: string
  /** Tells it from others of its operation. */
  readonly what: string
  readonly path: string
  readonly body?: string | undefined
  /** Who is let in: a token's scope or a person; whoever asks from our own page; whoever visits; nobody, for what it says is wrong. */
  readonly opens: TokenScope | 'person' | 'administrator' | 'page' | 'visit' | 'nobody'
  /** Names things of somebody: about others it is answered as about nobody. */
  readonly about?: boolean
  /** Would end something of the caller's that is needed until the end; tried only where it must be refused. */
  readonly ends?: boolean
  /** Has a password looked at. */
  readonly guesses?: boolean
}

export const methodOf = ({ operation }: ConsoleRequest): string => operation.split(' ')[0] ?? ''
const isScope = (opens: string): opens is TokenScope => tokenScopes.some((one) => one === opens)

/** Where a request comes from: what a browser adds to it, and whether it may read, or change, anything with a cookie. */
export type Page = {
  readonly headers: Readonly<Record<string, string>>
  readonly reads: boolean
  readonly changes: boolean
}

const own = { 'x-broadgauge-console': '1', 'content-type': 'application/json' }
const elsewhere = 'https://elsewhere.example'
export const ownPage: Page = { headers: { ...own, 'sec-fetch-site': 'same-origin' }, reads: true, changes: true }

/** Of sites that make the browser of somebody who is signed in send requests. What they may read they cannot see: no answer allows it. */
export const otherPages: ReadonlyMap<string, Page> = new Map<string, Page>([
  ...['cross-site', 'same-site', 'SAME-ORIGIN', 'same-origin, cross-site', 'unheard-of'].map((site): [string, Page] => [
    `a page the browser calls ${site}`,
    { headers: { ...own, origin: elsewhere, 'sec-fetch-site': site }, reads: false, changes: false },
  ]),
  [
    'a form in an old browser',
    { headers: { origin: elsewhere, 'content-type': 'text/plain' }, reads: true, changes: false },
  ],
  [
    'a page of no origin',
    { headers: { origin: 'null', 'content-type': 'application/json' }, reads: true, changes: false },
  ],
  [
    'a page of an allowed origin',
    { headers: { origin: friend, 'content-type': 'application/json' }, reads: true, changes: false },
  ],
  [
    'a link that says it is something else',
    {
      headers: { 'x-http-method-override': 'DELETE', 'x-requested-with': 'XMLHttpRequest', 'sec-fetch-site': 'none' },
      reads: true,
      changes: false,
    },
  ],
])

export type Credentials = { readonly role: Role | null; readonly scopes: readonly TokenScope[]; readonly page: Page }

/** Whether it must be let in; if not, it must be answered as everybody is who is not. */
export function isLetIn(request: ConsoleRequest, { role, scopes, page }: Credentials): boolean {
  const { opens } = request
  if (isScope(opens)) return scopes.includes(opens)
  if (opens === 'visit') return true
  if (opens === 'nobody' || !(methodOf(request) === 'GET' ? page.reads : page.changes)) return false
  return opens === 'page' || role === 'administrator' || (opens === 'person' && role === 'analyst')
}

/** What a token opens, with the names of one. */
export const tokenRequests = ({ agent, unit, mac, panel, value, exportId }: Names): ConsoleRequest[] => [
  { operation: 'GET /panels', what: 'all', path: '/panels', opens: 'data:read' },
  { operation: 'GET /panels', what: 'by key', path: `/panels?key=${panel}`, opens: 'data:read', about: true },
  { operation: 'GET /downloads', what: 'all', path: '/downloads', opens: 'data:read' },
  { operation: 'GET /downloads', what: 'one', path: '/downloads?limit=1', opens: 'data:read' },
  { operation: 'GET /downloads', what: 'by id', path: `/downloads?id=${exportId}`, opens: 'data:read', about: true },
  ...[
    ['agent', agent],
    ['agent, plain', agent.replaceAll('-', '').toUpperCase()],
    ['agent, its beginning', agent.slice(0, 5)],
    ['unit', String(unit)],
    ['mac', mac],
    ['mac, spelt', (mac.match(/../g) ?? []).join(':').toLowerCase()],
    ['panel', panel],
    ['value', value],
    ['agent and more', `${agent}~%25`],
    ['panel as a filter', `qz&panel=${panel}`],
    ['twice', `qz&search=${agent}`],
    ['everybody', 'qz'],
    ['the first of everybody', 'qz&limit=1'],
    ['every mac', '02-7A-5C'],
    ['the first mac', '027a5c&limit=1'],
    ['a pattern', '%25'],
  ].map(([what = '', search = '']): ConsoleRequest => {
    const isAbout = search.includes(agent.slice(0, 5)) || !/^(qz|02|%)/.test(search) || what.startsWith('mac')
    return { operation: 'GET /agents', what, path: `/agents?search=${search}`, opens: 'metadata:read', about: isAbout }
  }),
]

/** What a session opens without naming anything. */
export const sessionRequests = (caller: TenantName): ConsoleRequest[] => [
  { operation: 'GET /session', what: 'mine', path: '/session', opens: 'person' },
  { operation: 'DELETE /session', what: 'mine', path: '/session', opens: 'person', ends: true },
  { operation: 'POST /session/token', what: 'mine', path: '/session/token', opens: 'person' },
  { operation: 'GET /tokens', what: 'all', path: '/tokens', opens: 'administrator' },
  {
    operation: 'POST /tokens',
    what: 'good',
    path: '/tokens',
    opens: 'administrator',
    body: JSON.stringify({ label: `qz-${caller}-new`, scopes: ['data:read'] }),
  },
  { operation: 'GET /sign-in', what: 'all', path: '/sign-in', opens: 'page' },
]

/** With the things of one. */
export function namedRequests(
  caller: TenantName,
  theirs: Belongings,
  mine: Belongings,
  isOwn: boolean,
): ConsoleRequest[] {
  const { administrator, tokenIds, way } = theirs
  const wrong = isOwn ? mine.analyst.password : administrator.password
  const fields = { label: `qz-${caller}-new`, scopes: ['data:read'] }
  const smuggled = { organisation_id: 1, organisation: administrator.name.split('-')[1], created_by: 1, session_id: 1 }
  return [
    ...Object.entries(tokenIds).flatMap(([kind, id]) => revocations(kind, id, isOwn)),
    {
      operation: 'POST /tokens',
      what: 'for somebody',
      path: '/tokens',
      opens: 'administrator',
      about: true,
      body: JSON.stringify({ ...fields, ...smuggled, id: tokenIds.standing }),
    },
    {
      operation: 'PUT /password',
      what: 'of somebody',
      path: '/password',
      opens: 'person',
      about: true,
      guesses: true,
      body: JSON.stringify({ current: isOwn ? 'nobody’s password' : wrong, new: `not to be chosen by ${caller}` }),
    },
    signingIn('their name, my password', administrator.name, isOwn ? wrong : mine.administrator.password),
    signingIn('my name, their password', isOwn ? mine.analyst.name : mine.administrator.name, administrator.password),
    { operation: 'GET /sign-in/{provider}', what: 'away', path: `/sign-in/${way}`, opens: 'visit' },
    {
      operation: 'GET /sign-in/{provider}/callback',
      what: 'back from nowhere',
      path: `/sign-in/${way}/callback?code=${tokenIds.standing}&state=x`,
      opens: 'visit',
    },
  ]
}

/** What other sites would have done, with everything right but where it comes from. */
export const forgedRequests = (caller: TenantName, mine: Belongings): ConsoleRequest[] => [
  ...sessionRequests(caller),
  ...Object.entries(mine.tokenIds).flatMap(([kind, id]) => revocations(kind, id, true).slice(0, 1)),
  {
    operation: 'PUT /password',
    what: 'forged',
    path: '/password',
    opens: 'person',
    ends: true,
    body: JSON.stringify({ current: mine.administrator.password, new: `not to be chosen for ${caller}` }),
  },
  { ...signingIn('forged', mine.administrator.name, mine.administrator.password), guesses: false },
]

const signingIn = (what: string, name: string, password: string): ConsoleRequest => ({
  operation: 'POST /session',
  what,
  path: '/session',
  opens: 'nobody',
  about: true,
  guesses: true,
  body: JSON.stringify({ name, password }),
})

/** A number as it is written, and as it might be read. */
const revocations = (kind: string, id: number, isOwn: boolean): ConsoleRequest[] =>
  [`${id}`, `0${id}`, `${id}.0`, `${id}%20`, `%2B${id}`, `${id}e0`, `${id}%00`].map((spelt, index) => ({
    operation: 'DELETE /tokens/{id}',
    what: `${kind}, spelt ${index}`,
    path: `/tokens/${spelt}`,
    opens: 'administrator',
    about: true,
    ends: isOwn && index === 0,
  }))
