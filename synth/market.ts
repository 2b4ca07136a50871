import type { TechnologyName } from './technologies.ts'

/** One package on sale; `share` is its part of the households, or of the phones. Speeds in Mbit/s, none for phones. */
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

/** A market that no country has, with the shapes every country has. */
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

export const isps: readonly string[] = [...new Set(market.map(({ isp }) => isp))]
