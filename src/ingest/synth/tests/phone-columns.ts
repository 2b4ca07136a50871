import { sql } from '../../../base/sql.ts'
import { chance, chanceBelow, oneOf, textAt } from '../chance.ts'
import { devices } from '../devices.ts'
import { market } from '../market.ts'
import { places } from '../places.ts'
import type { Columns } from '../select.ts'
import { radioColumns } from './radios.ts'

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
const homes = places.map(({ country }) => country)

/** The device and the network of a mobile row: what the phone says of itself at the moment. */
export const phoneColumns: Columns = {
  model: textAt(
    devices.mobile.map(({ model }) => model),
    sql`device`,
  ),
  manufacturer: textAt(
    devices.mobile.map(({ manufacturer }) => manufacturer),
    sql`device`,
  ),
  // A new version comes out in the middle of the month, and people take it when they take it.
  operating_system_version: sql`concat(toString(15 + device % 3), '.',
    toString(toMonth(toDate(starts_at) - ${chanceBelow(sql`40`, 'updates', sql`line`)})))`,
  carrier_name: textAt(
    market.map(({ isp }) => isp),
    sql`offer`,
  ),
  ...radioColumns,
  // Somewhere else for a day now and then.
  geo_country: sql`if(cityHash64(line, 'abroad', toDate(starts_at)) % 70 = 0,
    ${oneOf(homes, 'where', sql`line`)}, ${textAt(homes, sql`place`)})`,
  mobile_country_code: textAt(
    homes.map((country) => countryCodes[country] ?? '001'),
    sql`place`,
  ),
  mobile_network_code: textAt(
    market.map(({ isp }) => networkCodes[isp] ?? '99'),
    sql`offer`,
  ),
  app_version: sql`if(${chance('app', sql`line`)} < 0.2, '4.1.0', '4.2.1')`,
}
