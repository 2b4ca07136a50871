import { bind, sql, type Sql } from '../../src/base/sql.ts'
import { chance } from '../chance.ts'
import { devices } from '../devices.ts'
import { numberOf, textOf } from '../lists.ts'
import { isps } from '../market.ts'
import { places } from '../places.ts'
import type { Columns } from '../select.ts'
import { abroad, radioColumns } from './radios.ts'

const countryCodes: Record<string, string> = {
  GB: '234',
  PT: '268',
  US: '310',
  CA: '302',
  IN: '404',
  NP: '429',
  AU: '505',
  NZ: '530',
}
const networkCodes: Record<string, string> = {
  'Vista Mobile': '01',
  Papaya: '15',
  'Meridian Cellular': '20',
  'Thrift Mobile': '86',
}
const phones = devices.mobile
const homes = places.map(({ country }) => country)
const isApple = sql`(${numberOf(phones, ({ manufacturer }) => Number(manufacturer === 'Apple'), sql`device`)} = 1)`

/** Versions of an operating system, each with the day of its release. */
type Releases = readonly (readonly [version: string, day: string])[]

const androidReleases: Releases = [
  ['13', '1970-01-01'],
  ['14', '2023-10-04'],
  ['15', '2024-10-15'],
  ['16', '2025-06-10'],
]
const iosReleases: Releases = [
  ['17.4.1', '1970-01-01'],
  ['17.5.1', '2024-05-20'],
  ['17.6.1', '2024-08-07'],
  ['18.0.1', '2024-10-03'],
  ['18.1.1', '2024-11-19'],
  ['18.2.1', '2025-01-06'],
  ['18.3.2', '2025-03-11'],
  ['18.4.1', '2025-04-16'],
  ['18.5', '2025-05-12'],
  ['18.6.2', '2025-08-20'],
  ['26.0.1', '2025-09-29'],
  ['26.1', '2025-11-03'],
  ['26.2', '2025-12-12'],
  ['26.3', '2026-02-11'],
  ['26.4', '2026-03-24'],
]

const epoch = Temporal.PlainDate.from('1970-01-01')

/** The newest version that was out `delay` days ago. */
const installed = (releases: Releases, delay: Sql): Sql => {
  const days = releases.map(([, day]) => epoch.until(day).days)
  return sql`${bind(
    'Array(String)',
    releases.map(([version]) => version),
  )}[
    arrayLastIndex(since -> since <= day - ${delay}, ${bind('Array(UInt16)', days)})]`
}

// Most phones of Apple update themselves within weeks. Other makers publish a version of Android months after its release.
const iosDelay = sql`toUInt16(2 + 700 * pow(${chance('updates', sql`line`)}, 3))`
const androidDelay = sql`toUInt16(20 + 1130 * ${chance('updates', sql`line`)})`

/** The columns for the device and the network of a phone at the time of the result. */
export const phoneColumns: Columns = {
  model: textOf(phones, ({ model }) => model, sql`device`),
  manufacturer: textOf(phones, ({ manufacturer }) => manufacturer, sql`device`),
  operating_system_version: sql`if(${isApple}, ${installed(iosReleases, iosDelay)}, ${installed(androidReleases, androidDelay)})`,
  carrier_name: textOf(isps, (isp) => isp, sql`isp`),
  ...radioColumns,
  geo_country: sql`if(is_abroad, ${textOf(abroad, ({ country }) => country, sql`journey`)},
    ${textOf(homes, (country) => country, sql`place`)})`,
  mobile_country_code: textOf(homes, (country) => countryCodes[country] ?? '001', sql`place`),
  mobile_network_code: textOf(isps, (isp) => networkCodes[isp] ?? '99', sql`isp`),
  app_version: sql`if(${chance('app', sql`line`)} < 0.2, '4.1.0', '4.2.1')`,
}
