import type { TechnologyName } from './technologies.ts'

/**
 * A package. `share` is its weight among the packages of households or of phones. Speeds are in Mbit/s, and null for phones.
 */
export type Offer = {
  readonly isp: string
  readonly package: string
  readonly technology: TechnologyName
  readonly downMbps: number | null
  readonly upMbps: number | null
  readonly share: number
}

const offer = (isp: string, technology: TechnologyName, ...packages: [string, number, number, number][]): Offer[] =>
  packages.map(([name, downMbps, upMbps, share]) => ({ isp, package: name, technology, downMbps, upMbps, share }))

const simCards = (isp: string, ...packages: [string, number][]): Offer[] =>
  packages.map(([name, share]) => ({ isp, package: name, technology: 'mobile', downMbps: null, upMbps: null, share }))

/** A fictional market with a realistic mix of ISPs and technologies. */
export const market: readonly Offer[] = [
  ...offer('Acme Broadband', 'fibre', ['Fibre 100', 100, 20, 9], ['Fibre 300', 300, 50, 6], ['Fibre 900', 900, 110, 4]),
  ...offer('Acme Broadband', 'vdsl', ['Superfast 40', 40, 10, 6], ['Superfast 80', 80, 20, 7]),
  ...offer('Borough Cable', 'cable', ['Cable 250', 250, 25, 9], ['Cable 500', 500, 36, 7], ['Cable 1000', 1000, 52, 4]),
  ...offer('Copperline', 'adsl', ['Copper 17', 17, 1, 7]),
  ...offer('Copperline', 'vdsl', ['Copper Plus 38', 38, 9.5, 7], ['Copper Plus 76', 76, 19, 6]),
  ...offer(
    'Northern Fibre',
    'fibre',
    ['Full 150', 150, 150, 6],
    ['Full 500', 500, 500, 5],
    ['Full 1000', 1000, 1000, 4],
  ),
  ...offer('Hilltop Air', 'fixed wireless', ['Air 50', 50, 10, 4], ['Air 100', 100, 15, 3]),
  ...offer('Orbital', 'satellite', ['Orbit 150', 150, 15, 3]),
  ...simCards('Vista Mobile', ['5G Unlimited', 5], ['SIM 50 GB', 3]),
  ...simCards('Papaya', ['Endless', 4], ['Prepaid', 2]),
  ...simCards('Meridian Cellular', ['Plus', 3], ['Basic', 2]),
  ...simCards('Thrift Mobile', ['SIM 20 GB', 2]),
]

/** ISPs whose market share differs between regions: a weight for each named region, and one for all other regions. */
const reach: Record<
  string,
  { readonly regions: readonly string[]; readonly inside: number; readonly outside: number }
> = {
  'Northern Fibre': {
    regions: ['North East', 'North West', 'Yorkshire and The Humber', 'Scotland'],
    inside: 2.4,
    outside: 0.1,
  },
  'Borough Cable': {
    regions: ['London', 'South East', 'West Midlands', 'North West', 'East Midlands', 'Yorkshire and The Humber'],
    inside: 1.2,
    outside: 0.6,
  },
  'Hilltop Air': {
    regions: ['Wales', 'Scotland', 'South West', 'Northern Ireland', 'North East'],
    inside: 2,
    outside: 0.6,
  },
  Orbital: { regions: ['Wales', 'Scotland', 'South West', 'Northern Ireland'], inside: 2, outside: 0.7 },
}

/** The factor by which an ISP's market share in a region differs from its share of the whole market. */
export function reachOf(isp: string, region: string): number {
  const own = reach[isp]
  if (own === undefined) return 1
  return own.regions.includes(region) ? own.inside : own.outside
}

export const isps: readonly string[] = [...new Set(market.map(({ isp }) => isp))]
