import { oddly } from './chances.ts'
import type { Occasion, Row } from './rows.ts'

/**
 * The columns that describe a phone and its network. A phone moves between networks, so every row has its own network.
 */
export function mobileColumns({ dice, agent }: Occasion): Row {
  const wifi = dice.pick([true, false])
  return {
    model: oddly(dice, 10, [null, ''], `P${agent.id.length}${agent.id.charCodeAt(agent.id.length - 1) % 4}`),
    manufacturer: oddly(dice, 10, [null], dice.pick(['Ant', 'Bee', 'bee'])),
    operating_system_version: oddly(dice, 10, [null], dice.pick(['9', '10', '10.1'])),
    carrier_name: oddly(dice, 10, [null, ''], dice.pick(['Ça Va', 'Volta', 'volta'])),
    connection_type: oddly(dice, 5, [null], wifi ? 'Wi-Fi' : 'Cellular'),
    cellular_technology: wifi ? null : dice.pick(['3G', '4G', '5G', '']),
    geo_country: oddly(dice, 10, [null], dice.pick(['GB', 'US', 'NP'])),
  }
}
