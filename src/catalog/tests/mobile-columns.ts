import { text, type Column } from '../columns.ts'

/**
 * Columns of every mobile test. A phone moves between networks, so every row records the device and the network that it was
 * measured on.
 */
export const mobileColumns: readonly Column[] = [
  text('model', 'Model of the device.'),
  text('manufacturer', 'Manufacturer of the device.'),
  text('operating_system_version', 'Version of the operating system of the device.'),
  text('carrier_name', 'Name of the mobile operator as the device reports it.'),
  text('connection_type', 'Kind of connection the test ran over, Wi-Fi or Cellular.'),
  text('cellular_technology', 'Generation of the cellular connection, for example 3G or 4G.'),
  text('geo_country', 'Country the device was in.'),
  text('mobile_country_code', 'Mobile country code (MCC) of the operator.'),
  text('mobile_network_code', 'Mobile network code (MNC) of the operator; leading zeros are significant.'),
  text('app_version', 'Version of the measurement app.'),
]
