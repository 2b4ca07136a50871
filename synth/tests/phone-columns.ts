import { sql } from '../../src/base/sql.ts'
import { chance, chanceBelow } from '../chance.ts'
import { devices } from '../devices.ts'
import { textOf } from '../lists.ts'
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
  'Thrift Mobile': '086',
}
const phones = devices.mobile
const homes = places.map(({ country }) => country)

/** The columns for the device and the network of a phone at the time of the result. */
export const phoneColumns: Columns = {
  model: textOf(phones, ({ model }) => model, sql`device`),
  manufacturer: textOf(phones, ({ manufacturer }) => manufacturer, sql`device`),
  // The app has a new version every other month. A phone installs it up to 39 days later.
  operating_system_version: sql`concat(toString(15 + device % 3), '.',
    toString(intDiv(toMonth(toDate(starts_at) - ${chanceBelow(sql`40`, 'updates', sql`line`)}) + device, 2)))`,
  carrier_name: textOf(isps, (isp) => isp, sql`isp`),
  ...radioColumns,
  geo_country: sql`if(is_abroad, ${textOf(abroad, ({ country }) => country, sql`journey`)},
    ${textOf(homes, (country) => country, sql`place`)})`,
  mobile_country_code: textOf(homes, (country) => countryCodes[country] ?? '001', sql`place`),
  mobile_network_code: textOf(isps, (isp) => networkCodes[isp] ?? '99', sql`isp`),
  app_version: sql`if(${chance('app', sql`line`)} < 0.2, '4.1.0', '4.2.1')`,
}
