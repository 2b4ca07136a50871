import type { AgentKind } from '../src/catalog/agent-kinds.ts'

export type Device = { readonly manufacturer: string; readonly model: string; readonly share: number }

/** Device models by kind of agent. The model is stored as the agent's `base`. */
export const devices: Record<AgentKind, readonly Device[]> = {
  whitebox: [
    { manufacturer: 'Broadgauge', model: 'whitebox-8', share: 6 },
    { manufacturer: 'Broadgauge', model: 'whitebox-9', share: 4 },
  ],
  cpe: [
    { manufacturer: 'Haldane', model: 'router-9', share: 5 },
    { manufacturer: 'Haldane', model: 'router-12', share: 3 },
    { manufacturer: 'Ostrava Networks', model: 'hub-5', share: 2 },
  ],
  mobile: [
    { manufacturer: 'Google', model: 'Pixel 12', share: 3 },
    { manufacturer: 'Samsung', model: 'Galaxy S30', share: 5 },
    { manufacturer: 'Samsung', model: 'Galaxy A58', share: 4 },
    { manufacturer: 'Xiaomi', model: 'Redmi Note 18', share: 3 },
    { manufacturer: 'Apple', model: 'iPhone 20', share: 5 },
  ],
  web: [{ manufacturer: 'Broadgauge', model: 'browser', share: 1 }],
}

/** The weight of each kind of agent in a panel with all kinds. */
export const kindShares: Record<AgentKind, number> = { whitebox: 55, cpe: 25, mobile: 14, web: 6 }

/** The fraction of the scheduled tests that an agent of this kind runs. It misses the others because it is off or away. */
export const presence: Record<AgentKind, number> = { whitebox: 0.985, cpe: 0.975, mobile: 0.45, web: 0.06 }
