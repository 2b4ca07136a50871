import { tokenScopes, type TokenScope } from '../../../src/base/caller.ts'
import type { Role } from '../../../src/base/person.ts'
import { friend, type Belongings } from './console-world.ts'
import { savedRequest, type Names, type TenantName } from './tenant-world.ts'

export type ConsoleRequest = {
  /** The operation as the OpenAPI document of the console's interface names it. */
  readonly operation: string
  /** Distinguishes this request from others of the same operation. */
  readonly what: string
  readonly path: string
  readonly body?: string | undefined
  /**
   * What the request needs to be admitted: a token scope, a role, or to come from the console's page. `visit`: the
   * request is always admitted. `nothing`: the request is wrong and is never admitted.
   */
  readonly opens: TokenScope | 'person' | 'administrator' | 'page' | 'visit' | 'nothing'
  /** A second scope that the token needs. */
  readonly alsoNeeds?: TokenScope
  /**
   * True if the request names an object of a tenant. If the object belongs to another tenant, the response must equal
   * the response for an unknown name.
   */
  readonly about?: boolean
  /**
   * True if the request would end something that the caller needs later. The attack sends it only if the service must
   * refuse it.
   */
  readonly ends?: boolean
  /** True if the service checks a password in the request. */
  readonly guesses?: boolean
}

export const methodOf = ({ operation }: ConsoleRequest): string => operation.split(' ')[0] ?? ''
const isScope = (opens: string): opens is TokenScope => tokenScopes.some((one) => one === opens)

/**
 * A page that sends requests. `headers` are the headers that the browser adds. `reads` and `changes` say whether the
 * service must accept a read or a change that comes from this page with a valid cookie.
 */
export type Page = {
  readonly headers: Readonly<Record<string, string>>
  readonly reads: boolean
  readonly changes: boolean
}

const own = { 'x-broadgauge-console': '1', 'content-type': 'application/json' }
const elsewhere = 'https://elsewhere.example'
export const ownPage: Page = { headers: { ...own, 'sec-fetch-site': 'same-origin' }, reads: true, changes: true }

/**
 * Pages of other sites that make the browser of a signed-in user send requests. If `reads` is true, the service answers
 * a read, but no header of the response allows the page to see it.
 */
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

/** True if the service must admit the request. All requests that are not admitted must get the same response. */
export function isAdmitted(request: ConsoleRequest, { role, scopes, page }: Credentials): boolean {
  const { opens, alsoNeeds } = request
  if (isScope(opens)) return [opens, alsoNeeds ?? opens].every((needed) => scopes.includes(needed))
  if (opens === 'visit') return true
  if (opens === 'nothing' || !(methodOf(request) === 'GET' ? page.reads : page.changes)) return false
  return opens === 'page' || role === 'administrator' || (opens === 'person' && role !== null)
}

/** Requests that need a token, with the names of one tenant. */
export const tokenRequests = (
  { agent, unit, mac, panel, value, exportId, question }: Names,
  isOwn: boolean,
): ConsoleRequest[] => [
  ...questionRequests(question, panel, isOwn),
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
    ['all tenants', 'qz'],
    ['the first of all tenants', 'qz&limit=1'],
    ['every mac', '02-7A-5C'],
    ['the first mac', '027a5c&limit=1'],
    ['a pattern', '%25'],
  ].map(([what = '', search = '']): ConsoleRequest => {
    const isAbout = search.includes(agent.slice(0, 5)) || !/^(qz|02|%)/.test(search) || what.startsWith('mac')
    return { operation: 'GET /agents', what, path: `/agents?search=${search}`, opens: 'metadata:read', about: isAbout }
  }),
]

/** The question to save names the panel of the tenant, and its key is the same for all callers. */
const questionRequests = (key: string, panel: string, isOwn: boolean): ConsoleRequest[] => [
  { operation: 'GET /questions', what: 'all', path: '/questions', opens: 'data:read' },
  ...['', '/versions', '/data', '/links'].map((tail): ConsoleRequest => ({
    operation: `GET /questions/{key}${tail}`,
    what: 'key',
    path: `/questions/${key}${tail}`,
    opens: 'data:read',
    about: true,
  })),
  {
    operation: 'PUT /questions/{key}',
    what: 'panel',
    path: '/questions/saved',
    opens: 'questions:write',
    body: JSON.stringify({ name: 'saved', request: savedRequest(panel) }),
  },
  {
    operation: 'POST /questions/{key}/links',
    what: 'of a tenant',
    path: `/questions/${key}/links`,
    opens: 'questions:write',
    alsoNeeds: 'data:read',
    about: true,
    // The answer to the caller's own question has another secret each time.
    ends: isOwn,
    body: JSON.stringify({ label: 'a link' }),
  },
  {
    operation: 'DELETE /questions/{key}/links/{id}',
    what: 'of a tenant',
    path: `/questions/${key}/links/1`,
    opens: 'questions:write',
    about: true,
  },
  { operation: 'DELETE /questions/{key}', what: 'key', path: '/questions/nothing', opens: 'questions:write' },
  {
    operation: 'DELETE /questions/{key}',
    what: 'of a tenant',
    path: `/questions/${key}`,
    opens: 'questions:write',
    about: true,
    ends: isOwn,
  },
]

/** Requests that send a cookie instead of a token and contain no name of a tenant's object. */
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

/** Requests that send a cookie instead of a token and contain the name of an object of one tenant. */
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
      what: 'for a person',
      path: '/tokens',
      opens: 'administrator',
      about: true,
      body: JSON.stringify({ ...fields, ...smuggled, id: tokenIds.standing }),
    },
    {
      operation: 'PUT /password',
      what: 'of a person',
      path: '/password',
      opens: 'person',
      about: true,
      guesses: true,
      body: JSON.stringify({ current: isOwn ? 'not the password' : wrong, new: `not to be chosen by ${caller}` }),
    },
    signingIn('their name, my password', administrator.name, isOwn ? wrong : mine.administrator.password),
    signingIn('my name, their password', isOwn ? mine.analyst.name : mine.administrator.name, administrator.password),
    { operation: 'GET /sign-in/{provider}', what: 'to the provider', path: `/sign-in/${way}`, opens: 'visit' },
    {
      operation: 'GET /sign-in/{provider}/callback',
      what: 'back from nowhere',
      path: `/sign-in/${way}/callback?code=${tokenIds.standing}&state=x`,
      opens: 'visit',
    },
  ]
}

/** Requests that a page of another site would send. They are valid except for their origin. */
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
  opens: 'nothing',
  about: true,
  guesses: true,
  body: JSON.stringify({ name, password }),
})

/** Requests to revoke a token by its id, and by texts that a lenient parser might accept as the id. */
const revocations = (kind: string, id: number, isOwn: boolean): ConsoleRequest[] =>
  [`${id}`, `0${id}`, `${id}.0`, `${id}%20`, `%2B${id}`, `${id}e0`, `${id}%00`].map((spelt, index) => ({
    operation: 'DELETE /tokens/{id}',
    what: `${kind}, spelt ${index}`,
    path: `/tokens/${spelt}`,
    opens: 'administrator',
    about: true,
    ends: isOwn && index === 0,
  }))
