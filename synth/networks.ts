import { bind, sql, type Sql } from '../src/base/sql.ts'
import { numberOf } from './lists.ts'
import { isps } from './market.ts'
import { places } from './places.ts'
import { kilometresBetween, nearest, sites, type SiteName } from './sites.ts'

/** An ISP's network inside the United Kingdom. */
type Network = {
  /** The ISP's points of presence. All traffic of a line passes through the nearest one, its hub. */
  readonly hubs: readonly SiteName[]
  /** Length of the route to the hub, divided by the great circle. It is above 1: no packet is faster than light in fibre. */
  readonly detour: number
  /** Rate of failed tests and outages, divided by that of an average ISP. */
  readonly failures: number
  /** Number of routers between the line and the hub. */
  readonly hops: number
  /** How long the ISP's resolver takes to find an answer in its cache, and the fraction of names that it finds there. */
  readonly resolverMs: number
  readonly cached: number
}

const networks: Record<string, Network> = {
  'Acme Broadband': {
    hubs: ['london-1', 'manchester-1'],
    detour: 1.35,
    failures: 0.8,
    hops: 4,
    resolverMs: 0.6,
    cached: 0.92,
  },
  'Borough Cable': {
    hubs: ['london-2', 'manchester-1'],
    detour: 1.45,
    failures: 1.2,
    hops: 5,
    resolverMs: 0.9,
    cached: 0.9,
  },
  Copperline: { hubs: ['london-1'], detour: 1.5, failures: 1.4, hops: 6, resolverMs: 2.2, cached: 0.82 },
  'Northern Fibre': {
    hubs: ['manchester-1', 'edinburgh-1'],
    detour: 1.3,
    failures: 0.6,
    hops: 3,
    resolverMs: 0.5,
    cached: 0.88,
  },
  'Hilltop Air': {
    hubs: ['london-2', 'manchester-1'],
    detour: 1.6,
    failures: 1.2,
    hops: 5,
    resolverMs: 1.5,
    cached: 0.85,
  },
  Orbital: { hubs: ['london-1'], detour: 1.4, failures: 1, hops: 4, resolverMs: 1.8, cached: 0.86 },
  'Vista Mobile': {
    hubs: ['london-1', 'manchester-1'],
    detour: 1.4,
    failures: 0.8,
    hops: 5,
    resolverMs: 1,
    cached: 0.9,
  },
  Papaya: { hubs: ['london-2'], detour: 1.5, failures: 1, hops: 6, resolverMs: 1, cached: 0.88 },
  'Meridian Cellular': {
    hubs: ['london-1', 'manchester-1'],
    detour: 1.45,
    failures: 1.2,
    hops: 5,
    resolverMs: 1,
    cached: 0.88,
  },
  'Thrift Mobile': { hubs: ['london-2'], detour: 1.6, failures: 1.5, hops: 7, resolverMs: 1, cached: 0.85 },
}

const networkOf = (isp: string): Network => {
  const network = networks[isp]
  if (network === undefined) throw new RangeError(`there is no network of ${isp}`)
  return network
}

/** Outside the United Kingdom, every ISP has a point of presence at the site that is nearest to the agent. */
const hubs = isps.flatMap((isp) =>
  places.map((place) => nearest(place, place.country === 'GB' ? networkOf(isp).hubs : undefined)[0] ?? 0),
)

/** Position of the site through which the line's traffic passes. */
export const hub: Sql = sql`${bind('Array(UInt8)', hubs)}[(isp - 1) * ${bind('UInt8', places.length)} + place]`

/** Kilometres from the agent to its hub. */
export const hubKilometres: Sql = sql`greatCircleDistance(longitude, latitude,
  ${numberOf(sites, (site) => site.longitude, sql`hub`)}, ${numberOf(sites, (site) => site.latitude, sql`hub`)}) / 1000`

/** A number of the ISP's network, such as how often its lines fail. */
export const ofNetwork = (value: (network: Network) => number): Sql =>
  numberOf(isps, (isp) => value(networkOf(isp)), sql`isp`)

/**
 * Microseconds from the agent's access line to a site and back. Light covers 200 km of fibre in a millisecond, so a kilometre
 * there and back takes 10 µs. The route has two parts: from the agent to the hub, which is `detour` times the great circle, and
 * from the hub to the site, which is 1.25 times the great circle. Both factors are above 1, so no packet is faster than light
 * in fibre.
 */
export const pathTo = (site: Sql): Sql => sql`(10 * (detour * hub_km + 1.25 * ${kilometresBetween(sql`hub`, site)}))`

/** The shortest round trip to a site over the line, at the time of a result. */
export const roundTripTo = (site: Sql): Sql => sql`(access_rtt + detour_time + ${pathTo(site)})`

/** Position of the site that is nearest to the agent's place, or second nearest. */
export const nearSite = (rank: 1 | 2): Sql =>
  sql`${bind(
    'Array(UInt8)',
    places.map((place) => nearest(place)[rank - 1] ?? 0),
  )}[place]`
