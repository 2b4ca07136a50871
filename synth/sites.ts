import { bind, sql, type Sql } from '../src/base/sql.ts'

/** A point on the globe, in degrees. */
export type Location = { readonly latitude: number; readonly longitude: number }

/** The data centres of the test servers, caches, resolvers and points of presence. */
export const sites = [
  { name: 'london-1', latitude: 51.51, longitude: 0 },
  { name: 'london-2', latitude: 51.52, longitude: -0.63 },
  { name: 'manchester-1', latitude: 53.46, longitude: -2.29 },
  { name: 'edinburgh-1', latitude: 55.93, longitude: -3.31 },
  { name: 'frankfurt-1', latitude: 50.12, longitude: 8.74 },
  { name: 'newyork-1', latitude: 40.72, longitude: -74.01 },
  { name: 'phoenix-1', latitude: 33.45, longitude: -112.07 },
  { name: 'bengaluru-1', latitude: 12.97, longitude: 77.59 },
  { name: 'sydney-1', latitude: -33.92, longitude: 151.19 },
  { name: 'auckland-1', latitude: -36.85, longitude: 174.76 },
] as const satisfies readonly (Location & { name: string })[]

export type SiteName = (typeof sites)[number]['name']

/** Position of a site in the list, from 1. */
export const siteNumber = (name: SiteName): number => sites.findIndex((site) => site.name === name) + 1

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** Great-circle distance on a sphere of the Earth's mean radius. */
function kilometres(one: Location, other: Location): number {
  const [north, south] = [radians(one.latitude), radians(other.latitude)]
  const across = Math.sin(radians(one.longitude - other.longitude) / 2)
  const along = Math.sin((north - south) / 2)
  return 12_742 * Math.asin(Math.sqrt(along * along + Math.cos(north) * Math.cos(south) * across * across))
}

/** Returns the positions of the given sites, the nearest first. */
export const nearest = (place: Location, names: readonly SiteName[] = sites.map(({ name }) => name)): number[] =>
  names
    .toSorted((one, other) => kilometres(place, siteOf(one)) - kilometres(place, siteOf(other)))
    .map((name) => siteNumber(name))

function siteOf(name: SiteName): Location {
  const site = sites[siteNumber(name) - 1]
  if (site === undefined) throw new RangeError(`there is no site ${name}`)
  return site
}

/** Distance in kilometres between two sites, which are given by their positions. */
export const kilometresBetween = (one: Sql, other: Sql): Sql => {
  const all = sites.flatMap((from) => sites.map((to) => Math.round(kilometres(from, to))))
  return sql`${bind('Array(UInt16)', all)}[(${one} - 1) * ${bind('UInt8', sites.length)} + ${other}]`
}
