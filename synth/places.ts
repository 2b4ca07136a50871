import type { Location } from './sites.ts'

/** Where the agents of a panel live. */
export const geographies = ['united-kingdom', 'odd-zones'] as const

export type Geography = (typeof geographies)[number]

/**
 * A region with its centre of population, around which the agents live. `share` is its weight among the regions of a geography.
 */
export type Place = Location & {
  readonly geography: Geography
  readonly region: string
  readonly country: string
  readonly zone: string
  readonly share: number
  /** Standard deviation of the agents' distance from the centre, north-south and east-west. */
  readonly spreadKm: number
}

/** Regions of the United Kingdom; the shares are the populations of 2023 in tens of thousands. */
const unitedKingdom: readonly Place[] = (
  [
    ['North East', 271, 54.9, -1.6, 25],
    ['North West', 760, 53.55, -2.6, 35],
    ['Yorkshire and The Humber', 554, 53.7, -1.4, 35],
    ['East Midlands', 493, 52.85, -1.1, 35],
    ['West Midlands', 602, 52.5, -2, 30],
    ['East of England', 640, 52.1, 0.4, 40],
    ['London', 895, 51.5, -0.12, 12],
    ['South East', 948, 51.2, -0.7, 45],
    ['South West', 581, 51.1, -2.9, 60],
    ['Wales', 316, 51.9, -3.4, 45],
    ['Scotland', 549, 56, -3.7, 50],
    ['Northern Ireland', 192, 54.6, -6.2, 30],
  ] as const
).map(([region, share, latitude, longitude, spreadKm]) => ({
  geography: 'united-kingdom',
  region,
  country: 'GB',
  zone: 'Europe/London',
  share,
  latitude,
  longitude,
  spreadKm,
}))

/**
 * Time zones with unusual rules: no DST, offsets of half and quarter hours, DST of 30 minutes, DST changes at unusual dates.
 */
const oddZones: readonly Place[] = (
  [
    ['London', 'GB', 'Europe/London', 51.5, -0.12],
    ['Azores', 'PT', 'Atlantic/Azores', 37.74, -25.67],
    ['New York', 'US', 'America/New_York', 40.7, -73.9],
    ['Newfoundland', 'CA', 'America/St_Johns', 47.6, -52.75],
    ['Arizona', 'US', 'America/Phoenix', 33.5, -112],
    ['Karnataka', 'IN', 'Asia/Kolkata', 13, 77.5],
    ['Bagmati', 'NP', 'Asia/Kathmandu', 27.7, 85.3],
    ['New South Wales', 'AU', 'Australia/Sydney', -33.8, 151],
    ['Lord Howe', 'AU', 'Australia/Lord_Howe', -31.55, 159.08],
    ['Chatham', 'NZ', 'Pacific/Chatham', -43.95, -176.55],
  ] as const
).map(([region, country, zone, latitude, longitude]) => ({
  geography: 'odd-zones',
  region,
  country,
  zone,
  share: 1,
  latitude,
  longitude,
  spreadKm: 5,
}))

/** The places of all geographies. An agent's `place` is a position in this list. */
export const places: readonly Place[] = [...unitedKingdom, ...oddZones]

/** The wrong time zone with which some agents are registered; it is corrected later. */
export const careless = 'UTC'

export const zones: readonly string[] = [...new Set([...places.map(({ zone }) => zone), careless])]
